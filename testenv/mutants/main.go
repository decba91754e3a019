// Command mutants plants each known fault in a copy of its source file and
// runs the tests that must find it. It prints one line per mutant and fails
// if one survives, or if its place in the source is gone.
//
// With -share I/N it takes each Nth of the list, from the Ith on.
//
// With -operators N it plants N faults in -package that the usual operators of
// mutation testing make, drawn at random, runs the tests of the packages that
// are its arguments, and fails if they find less than 85 % of those that compile.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
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

// leastFound is the part that must be found of what operators make.
const leastFound = .85

func main() {
	n := flag.Int("operators", 0, "how many mutants operators make of -package; 0: those of the list whose names contain one of the arguments")
	dir := flag.String("package", "pipeline", "folder of the package that -operators changes")
	seed := flag.Uint64("seed", 1, "of the choice of -operators")
	var part share
	flag.Var(&part, "share", "of the list, as `I/N`: each Nth from the Ith on, I from 0")
	flag.Parse()
	var err error
	if *n > 0 {
		err = rate(context.Background(), *dir, flag.Args(), *n, *seed)
	} else {
		err = known(context.Background(), part, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// share is a part of the list; zero is the whole.
type share struct{ from, every int }

func (s *share) String() string { return fmt.Sprintf("%d/%d", s.from, s.every) }

func (s *share) Set(text string) error {
	if n, _ := fmt.Sscanf(text, "%d/%d", &s.from, &s.every); n != 2 || s.from < 0 || s.from >= s.every {
		return errors.New("want I/N with I from 0 to N-1")
	}
	return nil
}

func (s share) has(i int) bool { return s.every == 0 || i%s.every == s.from }

// every mutant, in the order in which shares are dealt.
func every() []mutant {
	return slices.Concat(guarantees, ofArrow, faulty, ofMemory, gathering, origins, ofSchemas, ofColumns, ofIntake, ofSecurity, ofTenants, ofTraces, ofSupply, ofLost, ofSlowness,
		rescaling, upgrades, ofPage, mathematics)
}

// known plants the mutants in a share of the list whose names contain one of
// the words, all without words.
func known(ctx context.Context, part share, words []string) error {
	var all []mutant
	for i, m := range every() {
		if part.has(i) && chosen(m.name, words) {
			all = append(all, m)
		}
	}
	t, err := plantAll(ctx, possible(all))
	switch {
	case err != nil:
		return err
	case len(t.broken) > 0:
		return errors.Join(t.broken...)
	case t.survived > 0:
		return fmt.Errorf("%d survived", t.survived)
	}
	return nil
}

// rate plants mutants that operators make of a package.
func rate(ctx context.Context, dir string, packages []string, n int, seed uint64) error {
	all, err := operated(dir, packages, n, seed)
	if err != nil {
		return err
	}
	t, err := plantAll(ctx, all)
	if err != nil {
		return err
	}
	part := float64(t.found) / float64(t.found+t.survived)
	fmt.Printf("%d of %d found, %.1f %%; %d did not compile\n", t.found, t.found+t.survived, 100*part, len(t.broken))
	if part < leastFound {
		return fmt.Errorf("less than %.0f %% found", 100*leastFound)
	}
	return nil
}

// tally counts what became of mutants.
type tally struct {
	found, survived int
	broken          []error // those that could not be built
}

// plantAll tries mutants, one per core at a time, since building one is mostly
// the linker.
func plantAll(ctx context.Context, all []mutant) (t tally, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		err = errors.Join(err, forgetPackages(all))
	}()
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
	for i, m := range all {
		o := <-outcomes[i]
		verdict := "found"
		switch {
		case errors.Is(o.err, errNotBuilt):
			t.broken = append(t.broken, fmt.Errorf("%s: %w", m.name, o.err))
			continue
		case o.err != nil:
			return t, fmt.Errorf("%s: %w", m.name, o.err)
		case o.finder == "":
			verdict = "survived"
			t.survived++
		default:
			t.found++
		}
		fmt.Printf("%-45s %-8s %5.1f s %s\n", m.name, verdict, o.took.Seconds(), o.finder)
	}
	return t, nil
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

var errNotBuilt = errors.New("the tests did not run")

// failedTest names the first test that failed, or the package that panicked.
var failedTest = regexp.MustCompile(`(?m)^(?:--- FAIL: |FAIL\t)(\S+)`)

// try runs the tests with the mutant in place of the real file.
func (m mutant) try(ctx context.Context) (o outcome) {
	start := time.Now()
	dir, err := os.MkdirTemp("", "credence-mutant-")
	if err == nil {
		if m.ofPage() {
			o.finder, err = m.plantPage(ctx, dir)
		} else {
			o.finder, err = m.plant(ctx, dir)
		}
		err = errors.Join(err, os.RemoveAll(dir))
	}
	o.err, o.took = err, time.Since(start)
	return o
}

// changed is the source with the fault in it.
func (m mutant) changed() ([]byte, error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(source), m.old); n != 1 {
		return nil, fmt.Errorf("%s holds the text to change %d times, want 1:\n%s", m.file, n, m.old)
	}
	return []byte(strings.Replace(string(source), m.old, m.new, 1)), nil
}

// plant writes the mutant to dir and returns the test that failed with it.
func (m mutant) plant(ctx context.Context, dir string) (finder string, err error) {
	path, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	source, err := m.changed()
	if err != nil {
		return "", err
	}
	changed := filepath.Join(dir, "mutant.go")
	if err := os.WriteFile(changed, source, 0o600); err != nil {
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
	args := append([]string{"test", "-overlay", overlay, "-vet=off", "-ldflags=-s -w", "-count=1", "-failfast", "-timeout", "2m", "-run", m.tests}, m.packages...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CREDENCE_SHARED="+dir) // a fault that only data outside the project would find survives everywhere
	return finderOf(cmd, failedTest)
}

// finderOf runs tests and returns the one that failed, "" if none did; failed finds its name.
func finderOf(cmd *exec.Cmd, failed *regexp.Regexp) (string, error) {
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return "", nil
	case !errors.As(err, &ended):
		return "", err
	}
	found := failed.FindSubmatch(out)
	if found == nil || bytes.Contains(out, []byte("[build failed]")) {
		return "", fmt.Errorf("%w: %s", errNotBuilt, out)
	}
	return string(found[1]), nil
}
