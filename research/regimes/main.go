// Command regimes measures the defaults as shipped where users start: first
// shards and tenth ones, few rows, rare events, outliers, noise that the model
// does not have. It asks of every regime whether 95 % intervals cover the truth
// that often, and if not, whether a flag says so.
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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "regimes:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, progress io.Writer) error {
	flags := flag.NewFlagSet("regimes", flag.ExitOnError)
	only := flags.String("regime", "", "only regimes whose title contains this text")
	replicates := flags.Int("replicates", 0, "of every regime, 0: as many as each names")
	seed := flags.Uint64("seed", 1, "of all random numbers")
	out := flags.String("out", "", "file that the page is written to instead of the standard output")
	count := flags.Int("search", 0, "look at so many regimes of each sort that are drawn by chance; -regime names a sort")
	first := flags.Int("from", 1, "number of the first of them")
	_ = flags.Parse(args) // exits
	if *count > 0 {
		kinds, err := searched(*only)
		if err != nil {
			return err
		}
		return search(ctx, kinds, *first, *count, *seed, stdout, progress)
	}
	list := slices.DeleteFunc(regimes(), func(g regime) bool { return !strings.Contains(g.title(), *only) })
	if len(list) == 0 {
		return fmt.Errorf("no regime's title contains %q", *only)
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, header, *seed)
	last := ""
	for i := range list {
		g := &list[i]
		if *replicates > 0 {
			g.replicates = *replicates
		}
		found, err := g.measure(ctx, *seed)
		if err != nil {
			return err
		}
		if g.kind != last {
			fmt.Fprintf(&page, "\n## %s\n", g.kind)
			last = g.kind
		}
		g.section(&page, found)
		fmt.Fprintf(progress, "%s: %s\n", g.title(), found.verdict())
	}
	if *out == "" {
		_, err := stdout.Write(page.Bytes())
		return err
	}
	return os.WriteFile(*out, page.Bytes(), 0o644)
}
