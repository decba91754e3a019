//go:build unix

// Command bench measures how fast shards become posteriors: beside what others
// use for the same work, in the same run on the same machine. Absolute figures
// drift with the machine's load; ratios hold.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/credence-stream/credence/testenv"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	out, page, only, profiles string
	quick                     bool
	backend                   testenv.Backend
}

func run(ctx context.Context) (err error) {
	var o options
	flag.StringVar(&o.out, "out", "", "folder for bench.md and bench.json")
	flag.StringVar(&o.page, "page", "", "page whose table is replaced")
	flag.StringVar(&o.only, "only", "", "`PARTS` of the table, separated by commas: "+strings.Join(names(), ", "))
	flag.StringVar(&o.profiles, "profiles", "", "folder for a profile of our side of a row, as go tool pprof reads it, made after the row is measured")
	flag.BoolVar(&o.quick, "quick", false, "less of everything, in minutes")
	flag.StringVar((*string)(&o.backend), "backend", string(testenv.Local), "embedded or local")
	flag.Parse()

	dir, err := os.MkdirTemp("", "credence-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := &bench{ctx: ctx, quick: o.quick, backend: o.backend, dir: dir, profiles: profiles{o.profiles, 3 * time.Second}, effort: effort{rounds: 7, batch: 100 * time.Millisecond}}
	if o.quick {
		b.effort = effort{rounds: 3, batch: 50 * time.Millisecond}
	}
	if b.peers, err = invite(ctx, dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.peers.close()) }()
	defer func() {
		if b.rig != nil {
			err = errors.Join(err, b.rig.close())
		}
	}()
	if err := b.parts(o.only); err != nil {
		return err
	}
	return o.write(b.rows)
}

// parts are those of the table, each with what measures its rows.
var parts = []struct {
	name string
	do   func(*bench) error
}{
	{"linear", (*bench).regressions},
	{"kernels", (*bench).kernels},
	{"probit", (*bench).gibbs},
	{"compressed", (*bench).sketches},
	{"kinds", (*bench).kinds},
	{"flat", (*bench).flat},
	{"steps", (*bench).steps},
	{"path", (*bench).paths},
	{"events", (*bench).events},
	{"keys", (*bench).manyKeys},
	{"scale", (*bench).scale},
	{"latency", (*bench).latencies},
}

func names() (all []string) {
	for _, part := range parts {
		all = append(all, part.name)
	}
	return all
}

// parts measures the parts of a list, all of them where it is empty.
func (b *bench) parts(only string) error {
	for name := range strings.SplitSeq(only, ",") {
		if only != "" && !slices.Contains(names(), name) {
			return fmt.Errorf("-only: no part is called %q; the parts are %s", name, strings.Join(names(), ", "))
		}
	}
	for _, part := range parts {
		if only != "" && !strings.Contains(","+only+",", ","+part.name+",") {
			continue
		}
		if err := part.do(b); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

// write puts the table where the flags say, else on standard output.
func (o *options) write(rows []row) error {
	table := append([]byte(machine()), markdown(rows)...)
	if o.out == "" && o.page == "" {
		_, err := os.Stdout.Write(table)
		return err
	}
	if o.page != "" {
		page, err := os.ReadFile(o.page)
		if err != nil {
			return err
		}
		if page, err = place(page, table); err != nil {
			return err
		}
		if err := os.WriteFile(o.page, page, 0o644); err != nil {
			return err
		}
	}
	if o.out == "" {
		return nil
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(o.out, "bench.json"))
	if err != nil {
		return err
	}
	return errors.Join(writeJSON(f, rows), f.Close(), os.WriteFile(filepath.Join(o.out, "bench.md"), table, 0o644))
}

// machine says where, when and of what the figures are.
func machine() string {
	return fmt.Sprintf("Measured on %s, %d cores (%s), %s/%s, %s. Processor time, of all threads; who is compared works in turns.\n\n",
		time.Now().Format("2 January 2006"), runtime.NumCPU(), processorName(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// processorName is what Linux calls the processor.
func processorName() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	_, rest, _ := strings.Cut(string(text), "model name")
	name, _, _ := strings.Cut(rest, "\n")
	if name = strings.Trim(name, "\t :"); name == "" {
		return "unknown processor"
	}
	return name
}
