package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/testenv/probe"
)

var (
	part     = pipeline.Partition{Topic: "shards", ID: 3}
	errEnded = errors.New("the process has ended")
	errCut   = errors.New("cut for the test")
)

const prefix = "credence:{MkU3OEVBNTcwNTJENDM2Qk/credence/shards/3}:"

func lease(token string) pipeline.Lease {
	return pipeline.Lease{Partition: part, Token: token, Generation: 7}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// put is a checkpoint with values given as key, value, key, value; an empty
// value deletes.
func put(from, to int64, keysAndValues ...string) pipeline.Checkpoint {
	c := pipeline.Checkpoint{From: from, To: to, Last: pipeline.Last{Offset: to - 1}}
	for i := 0; i < len(keysAndValues); i += 2 {
		change := pipeline.Change{Key: keysAndValues[i]}
		if v := keysAndValues[i+1]; v != "" {
			change.Value = pipeline.Stored(v)
		}
		c.Changes = append(c.Changes, change)
	}
	return c
}

// big returns a value that is kept apart.
func big(mark byte) string {
	b := make([]byte, blobBytes+1)
	for i := range b {
		b[i] = mark
	}
	return string(b)
}

func claim(t testing.TB, s *Store, token string) {
	t.Helper()
	_, err := s.Claim(t.Context(), lease(token))
	must(t, err)
}

func save(t testing.TB, s *Store, token string, c pipeline.Checkpoint) {
	t.Helper()
	must(t, s.Save(t.Context(), lease(token), c))
}

func holds(t testing.TB, s *Store, token string, watermark int64, key, want string) {
	t.Helper()
	got, err := s.Load(t.Context(), lease(token), []int64{watermark}, []string{key}, 1)
	if err != nil || string(got[0]) != want {
		t.Errorf("load %q: %.20q and error %v, want %.20q", key, got, err, want)
	}
}

// poll tries f every few milliseconds for as long as tests have patience.
func poll(f func() error) error {
	deadline := time.NewTimer(probe.Patience)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		err := f()
		if err == nil || errors.Is(err, errEnded) {
			return err
		}
		select {
		case <-deadline.C:
			return err
		case <-tick.C:
		}
	}
}

func eventually(t testing.TB, what string, f func() error) {
	t.Helper()
	if err := poll(f); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// tap runs before and after the commands that it matches. What it returns, if
// not nil, becomes the command's error: from before, the command isn't sent.
type tap struct {
	match         func(goredis.Cmder) bool
	before, after func() error
}

func (h *tap) DialHook(next goredis.DialHook) goredis.DialHook { return next }

func (h *tap) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []goredis.Cmder) error {
		return h.around(cmds, func() error { return next(ctx, cmds) })
	}
}

func (h *tap) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		return h.around([]goredis.Cmder{cmd}, func() error { return next(ctx, cmd) })
	}
}

func (h *tap) around(cmds []goredis.Cmder, do func() error) error {
	if !slices.ContainsFunc(cmds, h.match) {
		return do()
	}
	if h.before != nil {
		if err := h.before(); err != nil {
			return err
		}
	}
	err := do()
	if err == nil && h.after != nil {
		err = h.after()
	}
	return err
}

// command matches a command by name.
func command(name string) func(goredis.Cmder) bool {
	return func(cmd goredis.Cmder) bool { return cmd.Name() == name }
}

// runs matches the execution of a script.
func runs(sc script) func(goredis.Cmder) bool {
	return func(cmd goredis.Cmder) bool {
		args := cmd.Args()
		return len(args) > 1 && (args[1] == sc.sha || args[1] == sc.source)
	}
}

// first makes a function that runs f on its first call only.
func first(f func() error) func() error {
	done := false
	return func() error {
		if done {
			return nil
		}
		done = true
		return f()
	}
}

func stamp(i int64) string { return fmt.Sprintf("%d", i) }
