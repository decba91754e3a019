// Command gallery runs the scenarios of this folder: real data through the
// producer and the consumer, as a user would run them, and draws what comes
// out. It needs nothing but Go: broker and store run inside it.
//
//	go run ./examples/gallery nile
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string, out, messages io.Writer) int {
	flags := flag.NewFlagSet("gallery", flag.ContinueOnError)
	flags.SetOutput(messages)
	to := flags.String("out", "", "draw the picture in `DIR`; default: the scenario's folder")
	flags.Usage = func() {
		fmt.Fprintln(messages, "usage: go run ./examples/gallery [-out DIR] SCENARIO... | all")
		flags.PrintDefaults()
		for i := range scenarios {
			fmt.Fprintf(messages, "  %-12s %-11s %s\n", scenarios[i].name, scenarios[i].kind, scenarios[i].question)
		}
	}
	if flags.Parse(args) != nil {
		return 2
	}
	chosen, err := choose(flags.Args())
	if err != nil {
		fmt.Fprintf(messages, "gallery: %v\n", err)
		flags.Usage()
		return 2
	}
	if err := show(ctx, chosen, *to, out, messages); err != nil {
		fmt.Fprintf(messages, "gallery: %v\n", err)
		return 1
	}
	return 0
}

// choose returns the scenarios of the given names, all for "all".
func choose(names []string) ([]*scenario, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("name a scenario")
	}
	var chosen []*scenario
	for _, name := range names {
		found := false
		for i := range scenarios {
			if name == "all" || name == scenarios[i].name {
				chosen, found = append(chosen, &scenarios[i]), true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no scenario %q", name)
		}
	}
	return slices.Compact(chosen), nil
}

// show runs scenarios, prints what they find and draws their pictures.
func show(ctx context.Context, chosen []*scenario, to string, out, messages io.Writer) error {
	p, err := build(ctx, messages)
	if err != nil {
		return err
	}
	defer p.remove()
	for _, s := range chosen {
		fmt.Fprintf(out, "%s (%s): %s\n\n", s.name, s.kind, s.question)
		r, err := p.run(ctx, s, messages)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		found := s.findings(r)
		fmt.Fprintln(out)
		for _, line := range table(found) {
			fmt.Fprintln(out, line)
		}
		dir := to
		if dir == "" {
			dir = filepath.Join(p.root, s.folder())
		}
		name := filepath.Join(dir, "picture.svg")
		if to != "" {
			name = filepath.Join(dir, s.name+".svg")
		}
		picture, err := s.picture(r).svg()
		if err != nil {
			return fmt.Errorf("%s: picture: %w", s.name, err)
		}
		// #nosec G306 -- pictures are for anyone to read
		if err := os.WriteFile(name, picture, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(out, "\nThe picture is %s, what to make of it is in %s.\n\n", name,
			filepath.Join(p.root, s.folder(), "README.md"))
	}
	return nil
}

// table returns findings as the lines of a Markdown table, padded.
func table(found []finding) []string {
	rows := [][3]string{{"", "median", "95 % interval"}, {"--", "--", "--"}}
	wide := [3]int{}
	for _, f := range found {
		rows = append(rows, [3]string{f.name, f.show(f.median), f.interval()})
	}
	for _, r := range rows {
		for i := range r {
			wide[i] = max(wide[i], utf8.RuneCountInString(r[i]))
		}
	}
	var lines []string
	for _, r := range rows {
		line := "|"
		for i := range r {
			line += " " + r[i] + strings.Repeat(" ", wide[i]-utf8.RuneCountInString(r[i])) + " |"
		}
		lines = append(lines, line)
	}
	return lines
}
