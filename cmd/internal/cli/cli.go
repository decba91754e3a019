// Package cli is what the command lines of paper and producer have in
// common: exit codes, and what is said where.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/version"
)

// Exit codes.
const (
	exitOK = iota
	exitFailure
	exitUsage
)

// Program is a command line with what it writes to.
type Program struct {
	Stdout, Stderr io.Writer
	// Started is set once the command line is known to make sense: what goes
	// wrong from then on is no mistake of usage.
	Started bool
}

// Main runs a program under a context that ends with SIGINT or SIGTERM, and
// exits with what it returns.
func Main(run func(context.Context, []string) int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the work in order, a second one ends the process.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:]))
}

// Run executes one command line of root and returns the exit code: 0, 1 for a
// failure, 2 for a mistake of usage. It says on Stderr what went wrong.
func (p *Program) Run(ctx context.Context, root *cobra.Command, args []string) int {
	root.Version = version.Get().String()
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SetArgs(args)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short = "Write the completion script of a shell: bash, zsh, fish or powershell"
			c.Args = NoArguments // a shell that it doesn't know
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	cmd, err := root.ExecuteContextC(ctx)
	switch {
	case err == nil:
		return exitOK
	case p.Started:
		p.Say("%s: %v", root.Name(), err)
		return exitFailure
	default:
		p.Say("%s: %v\nsee %s --help", root.Name(), err, cmd.CommandPath())
		return exitUsage
	}
}

// Say writes one message for the person who runs the program.
func (p *Program) Say(format string, args ...any) {
	// There is nowhere left to report that stderr is gone.
	_, _ = fmt.Fprintf(p.Stderr, format+"\n", args...)
}

// NoArguments refuses what is neither a flag nor the value of one.
func NoArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q", args[0])
	}
	return nil
}
