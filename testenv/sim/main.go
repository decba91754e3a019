// Command sim searches schedules for one that breaks a guarantee. It builds
// the simulator, which lives with the tests of package pipeline, runs it in one
// process per core over seeds of their own, and ends with one line; the exit
// code is 1 where a schedule violates a guarantee.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "sim:", err)
		os.Exit(1)
	}
}

// errViolations is the error of a search that found something.
var errViolations = errors.New("a guarantee is violated")

func run(ctx context.Context) error {
	seeds := flag.Int("seeds", 15_000, "schedules to run of each kind that the tests of package pipeline draw")
	from := flag.Uint64("from", 1, "seed of the first schedule")
	trace := flag.Bool("trace", false, "print every step of the first violation of each process")
	jobs := flag.Int("jobs", runtime.GOMAXPROCS(0), "processes")
	flag.Parse()

	dir, err := os.MkdirTemp("", "credence-sim-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary := filepath.Join(dir, "sim")
	if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, "github.com/credence-stream/credence/pipeline").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w: %s", err, out)
	}
	n := min(*jobs, *seeds)
	if n < 1 {
		return errors.New("seeds and jobs must be positive")
	}
	start := time.Now()
	shares, errs := make([]share, n), make([]error, n)
	var all sync.WaitGroup
	first := *from
	for i := range shares {
		count := *seeds / n
		if i < *seeds%n {
			count++
		}
		args := []string{"-test.run", "^TestSimulated", "-test.v", "-test.timeout", "0", "-sim.from", strconv.FormatUint(first, 10),
			"-sim.seeds", strconv.Itoa(count), "-sim.trace=" + strconv.FormatBool(*trace)}
		first += uint64(count)
		all.Go(func() { shares[i], errs[i] = search(ctx, binary, args, os.Stdout) })
	}
	all.Wait()
	var sum share
	for _, s := range shares {
		sum.schedules, sum.violations = sum.schedules+s.schedules, sum.violations+s.violations
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	fmt.Printf("%d schedules, %d violations, %.0f schedules per second\n", sum.schedules, sum.violations, float64(sum.schedules)/time.Since(start).Seconds())
	if sum.violations > 0 {
		return errViolations
	}
	return nil
}

// share is what one process did.
type share struct{ schedules, violations int }

// ended is the last line of each kind of schedules; the rest of what is printed is
// about violations.
var (
	ended   = regexp.MustCompile(`(\d+) schedules, (\d+) violations`)
	aboutGo = regexp.MustCompile(`^(=== RUN|--- |PASS|FAIL)`)
)

// search runs one process and passes on what it says of violations.
func search(ctx context.Context, binary string, args []string, w io.Writer) (s share, err error) {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(os.Environ(), "GOGC=800", "GOMAXPROCS=1") // one goroutine, much garbage
	out, err := cmd.StdoutPipe()
	if err != nil {
		return s, err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return s, err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		line := lines.Text()
		if m := ended.FindStringSubmatch(line); m != nil {
			schedules, _ := strconv.Atoi(m[1])
			violations, _ := strconv.Atoi(m[2])
			s.schedules, s.violations = s.schedules+schedules, s.violations+violations
		} else if !aboutGo.MatchString(line) {
			fmt.Fprintln(w, line)
		}
	}
	err = cmd.Wait()
	var failed *exec.ExitError
	if s.schedules > 0 && (err == nil || s.violations > 0 && errors.As(err, &failed) && failed.ExitCode() == 1) {
		return s, nil
	}
	return s, fmt.Errorf("the simulator did not end: %w", errors.Join(err, ctx.Err()))
}
