package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

// program is the command line with what it talks to.
type program struct {
	cli.Program
	dial   func(context.Context, connection) (broker, error)
	encode func(*cdf.Batch) ([]byte, error)
}

// run executes one command line and returns the exit code.
func (p *program) run(ctx context.Context, args []string) int { return p.Run(ctx, p.root(), args) }

func (p *program) root() *cobra.Command {
	root := &cobra.Command{Use: "producer", Short: "Send shards to a Kafka topic"}
	root.AddCommand(p.replayCommand(), p.simulateCommand())
	return root
}
