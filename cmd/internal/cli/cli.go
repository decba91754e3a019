// Package cli is what the command lines of the programs have in common: their names, exit
// codes, completion, and what is said where.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/version"
)

// Program is a command line with what it writes to.
type Program struct {
	Stdout, Stderr io.Writer
}

// Main runs a program under a context that ends with SIGINT, SIGTERM or SIGHUP, and
// exits with what it returns.
func Main(run func(context.Context, []string) int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, end := context.WithCancel(ctx)
	// The first signal ends the work in order, a second one ends the process.
	context.AfterFunc(ctx, func() { time.AfterFunc(echo, stop) })
	hungUp(end)
	os.Exit(run(ctx, os.Args[1:]))
}

// echo is how long after the first signal another one is taken for the same: timeout, and who stops a group of processes
// and each of them, send it twice.
var echo = 300 * time.Millisecond

// hungUp calls end when the terminal is closed, unless the program was started to outlive
// it, as by nohup. Of a terminal that is closed both the shell and the system tell: the
// second time is no impatience, and does not end the process.
func hungUp(end func()) {
	if signal.Ignored(syscall.SIGHUP) {
		return
	}
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGHUP)
	go func() {
		<-told
		end()
	}()
}

// Run executes one command line of root and returns the exit code, as ExitCode: what goes
// wrong before a command begins is a mistake of usage. It says on Stderr what went wrong.
func (p *Program) Run(ctx context.Context, root *cobra.Command, args []string) int {
	root.Version = version.Get().String()
	root.SetVersionTemplate(root.Name() + " {{.Version}}\n")
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return meant(cmd, err, args) })
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SetArgs(args)
	begun := false
	notice(root, &begun)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !begun {
		err = Usage(err)
	}
	switch {
	case err == nil, errors.Is(err, ErrReported), errors.Is(err, ErrMismatch):
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		p.Say("%s: stopped", root.Name())
	default:
		p.Say("%s: %v", root.Name(), err)
	}
	code := ExitCode(err)
	if code == exitUsage {
		p.Say("see %s --help", cmd.CommandPath())
	}
	return code
}

// notice sets begun once a command of the tree is known to make sense to cobra.
func notice(cmd *cobra.Command, begun *bool) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			*begun = true
			return run(cmd, args)
		}
	}
	for _, c := range cmd.Commands() {
		notice(c, begun)
	}
}

// Say writes one message for the person who runs the program.
func (p *Program) Say(format string, args ...any) {
	// There is nowhere left to report that stderr is gone.
	_, _ = fmt.Fprintf(p.Stderr, format+"\n", args...)
}
