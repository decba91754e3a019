//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"strings"
	"time"
)

// profiles are files that say where the time of our work goes, as go tool pprof reads them.
type profiles struct {
	dir    string        // none are made where it is empty
	length time.Duration // of a look
}

var notInNames = regexp.MustCompile(`[^a-z0-9=.]+`)

// profile writes that of a row, which is measured before: nothing is watched then.
func (b *bench) profile(item string, do watched) error {
	if b.profiles.dir == "" {
		return nil
	}
	if err := os.MkdirAll(b.profiles.dir, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(b.profiles.dir, strings.Trim(notInNames.ReplaceAllString(strings.ToLower(item), "-"), "-")+".pprof"))
	if err != nil {
		return err
	}
	if err := errors.Join(do(b.ctx, b.profiles.length, f), f.Close()); err != nil {
		return fmt.Errorf("profile of %s: %w", item, err)
	}
	return nil
}

// watched is work that hands over its profile of about such a length.
type watched func(ctx context.Context, d time.Duration, w io.Writer) error

// watch watches work of this process.
func watch(do contestant) watched {
	return func(ctx context.Context, d time.Duration, w io.Writer) error {
		if err := pprof.StartCPUProfile(w); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
		_, err := do.batch(ctx, d)
		return err
	}
}

// watch watches a consumer that takes a topic.
func (r *rig) watch(t *topic) watched {
	return func(ctx context.Context, d time.Duration, w io.Writer) error {
		c, err := r.start(ctx, t.name, "")
		if err != nil {
			return err
		}
		_, _, _, err = c.follow(ctx, 1)
		if err == nil {
			err = c.get(ctx, fmt.Sprintf("/debug/pprof/profile?seconds=%.0f", d.Seconds()), func(body io.Reader) error {
				_, err := io.Copy(w, body)
				return err
			})
		}
		return errors.Join(err, c.stop())
	}
}
