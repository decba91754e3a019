// Command sbc checks every model by simulation-based calibration: parameters
// from the prior, data from them, ranks of the parameters among the draws that
// the filter publishes. It uses the models as the consumer does.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
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

func run(ctx context.Context, args []string, stdout, progress io.Writer) error {
	flags := flag.NewFlagSet("sbc", flag.ExitOnError)
	only := flags.String("kind", "", "this kind only")
	replicates := flags.Int("replicates", 0, "replicates of every study, 0: as many as each names")
	short := flags.Bool("quick", false, fmt.Sprintf("%d replicates of every study", quick))
	seed := flags.Uint64("seed", 1, "of all random numbers")
	out := flags.String("out", "", "file that the page is written to instead of the standard output")
	_ = flags.Parse(args) // exits
	if *short && *replicates == 0 {
		*replicates = quick
	}
	if *replicates < 0 || *replicates > most {
		return fmt.Errorf("-replicates %d: want 0 to %d", *replicates, most)
	}
	all := studies()
	if *only != "" {
		all = slices.DeleteFunc(all, func(s study) bool { return s.kind != *only })
		if len(all) == 0 {
			return fmt.Errorf("there is no study of kind %q", *only)
		}
	}
	if err := check(all, *seed); err != nil {
		return err
	}
	var page bytes.Buffer
	command := strings.TrimSpace("go run ./testenv/sbc " + strings.Join(args, " "))
	fmt.Fprintf(&page, header, command, *seed, alarm, alarm)
	last := ""
	for i := range all {
		s := &all[i]
		if s.kind != last {
			last = s.kind
			fmt.Fprintf(&page, "\n## %s\n", s.kind)
			if _, ok := models.Lookup(s.kind); !ok {
				fmt.Fprintf(&page, "\nLeft out: this version has no kind %s.\n", s.kind)
			}
		}
		kind, ok := models.Lookup(s.kind)
		if !ok {
			continue
		}
		n := s.replicates
		if *replicates > 0 {
			n = *replicates
		}
		r, err := s.replicate(ctx, kind, *seed, n)
		if err != nil {
			return err
		}
		t := s.tabulate(r)
		t.section(&page)
		fmt.Fprintf(progress, "%s, %s: %d replicates, seed %d: %s\n", s.kind, s.name, n, *seed, t.verdict())
	}
	if *out == "" {
		_, err := page.WriteTo(stdout)
		return err
	}
	return os.WriteFile(*out, page.Bytes(), 0o644)
}

// check finds settings that a kind does not know before hours are spent.
func check(all []study, seed uint64) error {
	for i := range all {
		if kind, ok := models.Lookup(all[i].kind); ok {
			if _, err := all[i].spec(kind, seed); err != nil {
				return err
			}
		}
	}
	return nil
}
