package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/internal/cli"
)

// program is the command line.
type program struct{ cli.Program }

// run executes one command line and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int {
	root := &cobra.Command{Use: "paper", Short: "Repeat the experiments of the C-DF paper (arXiv:1401.3632)", Args: cli.NeedsCommand, RunE: cli.Help}
	root.AddCommand(p.listCommand(), p.runCommand(), p.figuresCommand(), p.reportCommand())
	cli.AddCompletion(root, "")
	cli.AddHelp(root, "")
	return p.Run(ctx, root, args)
}
