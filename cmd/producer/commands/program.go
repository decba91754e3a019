// Package commands is the command line of the producer, whose commands other programs can
// have as well.
package commands

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

// Program is the command line with what it talks to.
type Program struct {
	cli.Program
	names  cli.Names
	dial   func(context.Context, connection) (broker, error)
	encode func(*cdf.Batch) ([]byte, error)
}

// New returns the command line that sends to Kafka. Data go to stdout, messages to stderr.
func New(names cli.Names, stdout, stderr io.Writer) *Program {
	return &Program{Program: cli.Program{Stdout: stdout, Stderr: stderr}, names: names, dial: dial, encode: encode}
}

// Run executes one command line and returns the exit code.
func (p *Program) Run(ctx context.Context, args []string) int {
	return p.Program.Run(ctx, p.root(), args)
}

func (p *Program) root() *cobra.Command {
	root := &cobra.Command{Use: p.names.Producer, Short: "Send shards to a Kafka topic", Args: cli.NeedsCommandOr(p.names.Consumer, cli.ConsumerCommands...), RunE: cli.Help}
	root.AddCommand(p.Commands()...)
	cli.AddCompletion(root, "")
	cli.AddHelp(root, "")
	return root
}

// Commands returns the commands below the root.
func (p *Program) Commands() []*cobra.Command {
	return []*cobra.Command{p.replayCommand(), p.simulateCommand()}
}
