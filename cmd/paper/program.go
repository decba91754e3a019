package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/version"
)

// Exit codes.
const (
	exitOK = iota
	exitFailure
	exitUsage
)

// program is the command line with what it talks to.
type program struct {
	stdout, stderr io.Writer
	// started is set once the command line is known to make sense: what goes
	// wrong from then on is no mistake of usage.
	started bool
}

// run executes one command line and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	root := p.command()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	switch {
	case err == nil:
		return exitOK
	case p.started:
		p.say("paper: %v", err)
		return exitFailure
	default:
		p.say("paper: %v\nsee %s --help", err, cmd.CommandPath())
		return exitUsage
	}
}

func (p *program) command() *cobra.Command {
	root := &cobra.Command{
		Use:           "paper",
		Short:         "Repeat the experiments of the C-DF paper (arXiv:1401.3632)",
		Version:       version.Get().String(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.AddCommand(p.listCommand(), p.runCommand(), p.figuresCommand(), p.reportCommand())
	return root
}

// noArguments refuses what is neither a flag nor the value of one.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q", args[0])
	}
	return nil
}

// say writes one message for the person who runs the program.
func (p *program) say(format string, args ...any) {
	// There is nowhere left to report that stderr is gone.
	_, _ = fmt.Fprintf(p.stderr, format+"\n", args...)
}
