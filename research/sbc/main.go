// Command sbc checks every model by simulation-based calibration: parameters
// from the prior, data from them, ranks of the parameters among the draws that
// the filter publishes. It uses the models as the consumer does.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/credence-stream/credence/models"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbc:", err)
		os.Exit(1)
	}
}

// quick is the number of replicates of -quick.
const quick = 200

// options are what the command line asks for.
type options struct {
	seed       uint64
	replicates int               // of every study, 0: as many as each names
	again      func(*study) bool // the studies that are run, whatever is kept
	kept       map[string]kept
}

func run(ctx context.Context, args []string, stdout, progress io.Writer) error {
	flags := flag.NewFlagSet("sbc", flag.ExitOnError)
	kind := flags.String("kind", "", "this kind only")
	within := flags.String("study", "", "only studies whose title contains this text")
	replicates := flags.Int("replicates", 0, "replicates of every study, 0: as many as each names")
	short := flags.Bool("quick", false, fmt.Sprintf("%d replicates of every study", quick))
	seed := flags.Uint64("seed", 1, "of all random numbers")
	out := flags.String("out", "", "file that the page is written to instead of the standard output")
	var pages []string
	flags.Func("keep", "page whose tables are kept: only studies without one are run, and those that -kind and -study name; may be repeated",
		func(path string) error { pages = append(pages, path); return nil })
	_ = flags.Parse(args) // exits
	if *short && *replicates == 0 {
		*replicates = quick
	}
	if *replicates < 0 || *replicates > most {
		return fmt.Errorf("-replicates %d: want 0 to %d", *replicates, most)
	}
	chosen := func(s *study) bool {
		return (*kind == "" || s.kind == *kind) && strings.Contains(s.title(), *within)
	}
	all := studies()
	if !slices.ContainsFunc(all, func(s study) bool { return chosen(&s) }) {
		return fmt.Errorf("there is no study of kind %q whose title contains %q", *kind, *within)
	}
	o := options{seed: *seed, replicates: *replicates, again: chosen, kept: map[string]kept{}}
	if pages == nil {
		all = slices.DeleteFunc(all, func(s study) bool { return !chosen(&s) })
	} else if *kind == "" && *within == "" {
		o.again = func(*study) bool { return false }
	}
	for _, path := range pages {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		results, err := read(string(text), *seed)
		if err != nil {
			return fmt.Errorf("-keep %s: %w", path, err)
		}
		maps.Copy(o.kept, results)
	}
	p, err := o.page(ctx, all, progress)
	if err != nil {
		return err
	}
	if *out == "" {
		_, err := p.WriteTo(stdout)
		return err
	}
	return os.WriteFile(*out, p.Bytes(), 0o644)
}

// page runs the studies, or keeps their results, and lays them out.
func (o *options) page(ctx context.Context, all []study, progress io.Writer) (*page, error) {
	if err := o.check(all); err != nil {
		return nil, err
	}
	p := newPage(o.seed)
	for i := range all {
		s := &all[i]
		if k, ok := o.keeps(s); ok {
			p.section(s, k.result)
			continue
		}
		kind, ok := models.Lookup(s.kind)
		if !ok {
			return nil, fmt.Errorf("%s: there is no such kind", s.title())
		}
		n := s.replicates
		if o.replicates > 0 {
			n = o.replicates
		}
		r, err := s.replicate(ctx, kind, o.seed, n)
		if err != nil {
			return nil, err
		}
		t := s.tabulate(r)
		p.section(s, t.result())
		fmt.Fprintf(progress, "%s: %d replicates, seed %d: %s\n", s.title(), n, o.seed, t.verdict())
	}
	return p, nil
}

func (o *options) keeps(s *study) (k kept, ok bool) {
	if k, ok = o.kept[s.title()]; ok && !o.again(s) {
		return k, true
	}
	return k, false
}

// check finds settings that a kind does not know, and results that cannot be
// kept, before hours are spent.
func (o *options) check(all []study) error {
	for i := range all {
		s := &all[i]
		if k, ok := o.keeps(s); ok {
			if err := k.current(s); err != nil {
				return err
			}
		}
		if kind, ok := models.Lookup(s.kind); ok {
			if _, err := s.spec(kind, o.seed); err != nil {
				return err
			}
		}
	}
	return nil
}
