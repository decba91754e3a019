// Command times runs `go test`, passes on what it says and tells at the end
// which packages and tests took longest, and once more which failed:
//
//	times go test -count=1 ./...
//
// It has go test write events (-json) and prints what go test prints without
// them: with -v all that tests say, one package at a time, as it comes;
// otherwise a line per package, and what failed tests say. Its exit code is
// that of go test.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// reported is how many packages and how many tests are told of.
const reported = 10

func main() {
	// go test ends by itself where the terminal interrupts it, and still has something to say.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, os.Stdout, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "times:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// run runs the command, `go test` with its arguments, and returns its exit code.
func run(ctx context.Context, out io.Writer, command []string) (code int, err error) {
	if len(command) < 2 || command[1] != "test" {
		return 2, errors.New("want the words of a command: go test ARGUMENTS")
	}
	cmd := exec.CommandContext(ctx, command[0], slices.Insert(slices.Clone(command[1:]), 1, "-json")...) //nolint:gosec // the command that was asked for
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stderr = os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	took := new(times)
	reading := read(events, func(e event) {
		took.add(e)
	}, newVoice(out, verbose(command[2:])))
	if reading != nil { // go test must not wait for a reader
		_, _ = io.Copy(io.Discard, events)
	}
	err = cmd.Wait()
	took.report(out, reported)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return max(exit.ExitCode(), 1), reading // -1 where a signal ended it
	case err != nil:
		return 1, err
	}
	return 0, reading
}

// verbose reports whether arguments of go test ask for all that tests say.
func verbose(args []string) bool {
	for _, a := range args {
		if a == "-args" || a == "--args" {
			return false
		}
		if a = "-" + strings.TrimLeft(a, "-"); a == "-v" || a == "-v=true" {
			return true
		}
	}
	return false
}
