// Command mutants plants each known fault in a copy of its source file and
// runs the tests that must find it. It prints one line per mutant and fails
// if one survives, or if its place in the source is gone.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// run plants the mutants whose names contain one of the words, all without
// words: one per core at a time, since building one is mostly the linker.
func run(ctx context.Context, words []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all []mutant
	for _, m := range slices.Concat(guarantees, mathematics) {
		if chosen(m.name, words) {
			all = append(all, m)
		}
	}
	outcomes := make([]chan outcome, len(all))
	for i := range outcomes {
		outcomes[i] = make(chan outcome, 1)
	}
	go func() {
		atOnce := make(chan struct{}, runtime.NumCPU())
		for i, m := range all {
			atOnce <- struct{}{}
			go func() {
				outcomes[i] <- m.try(ctx)
				<-atOnce
			}()
		}
	}()
	survived := 0
	for i, m := range all {
		o := <-outcomes[i]
		if o.err != nil {
			return fmt.Errorf("%s: %w", m.name, o.err)
		}
		verdict := "found"
		if o.finder == "" {
			verdict = "survived"
			survived++
		}
		fmt.Printf("%-45s %-8s %5.1f s %s\n", m.name, verdict, o.took.Seconds(), o.finder)
	}
	if survived > 0 {
		return fmt.Errorf("%d survived", survived)
	}
	return nil
}

func chosen(name string, words []string) bool {
	for _, w := range words {
		if strings.Contains(name, w) {
			return true
		}
	}
	return len(words) == 0
}

// outcome is what became of a mutant.
type outcome struct {
	finder string // the test that failed, "" without one
	took   time.Duration
	err    error
}

// failedTest names the first test that failed, or the package that panicked.
var failedTest = regexp.MustCompile(`(?m)^(?:--- FAIL: |FAIL\t)(\S+)`)

// try runs the tests with the mutant in place of the real file.
func (m mutant) try(ctx context.Context) (o outcome) {
	start := time.Now()
	dir, err := os.MkdirTemp("", "credence-mutant-")
	if err == nil {
		o.finder, err = m.plant(ctx, dir)
		err = errors.Join(err, os.RemoveAll(dir))
	}
	o.err, o.took = err, time.Since(start)
	return o
}

// plant writes the mutant to dir and returns the test that failed with it.
func (m mutant) plant(ctx context.Context, dir string) (finder string, err error) {
	path, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(source), m.old); n != 1 {
		return "", fmt.Errorf("%s holds the text to change %d times, want 1:\n%s", m.file, n, m.old)
	}
	changed := filepath.Join(dir, "mutant.go")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(source), m.old, m.new, 1)), 0o600); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return "", err
	}
	args := append([]string{"test", "-overlay", overlay, "-vet=off", "-ldflags=-s -w", "-count=1", "-failfast", "-timeout", "5m", "-run", m.tests}, m.packages...)
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	var failed *exec.ExitError
	switch {
	case err == nil:
		return "", nil
	case !errors.As(err, &failed):
		return "", err
	}
	found := failedTest.FindSubmatch(out)
	if found == nil || bytes.Contains(out, []byte("[build failed]")) {
		return "", fmt.Errorf("the tests did not run: %s", out)
	}
	return string(found[1]), nil
}
