// Package commands is the command line of the consumer, whose commands other programs can
// have as well.
package commands

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/capacity"
	"github.com/credence-stream/credence/cmd/consumer/check"
	"github.com/credence-stream/credence/cmd/consumer/deadletters"
	"github.com/credence-stream/credence/cmd/consumer/draft"
	"github.com/credence-stream/credence/cmd/consumer/run"
	"github.com/credence-stream/credence/cmd/consumer/show"
	"github.com/credence-stream/credence/cmd/consumer/state"
	"github.com/credence-stream/credence/cmd/consumer/try"
	"github.com/credence-stream/credence/cmd/internal/cli"
)

// Run executes one command line of the consumer and returns the exit code.
func Run(ctx context.Context, a *app.App, args []string) int {
	p := cli.Program{Stdout: a.Out, Stderr: a.Err}
	return p.Run(ctx, Root(a), args)
}

// Root returns the consumer's root and all that is below it.
func Root(a *app.App) *cobra.Command {
	root := &cobra.Command{
		Use:   a.Consumer,
		Short: "Bayesian models over a Kafka topic, one per key, exactly once",
		Long: a.Consumer + ` updates Bayesian models, one per record key, with a Kafka topic of
data shards, and publishes a posterior summary after every shard.

` + Start(a),
	}
	Fill(root, a)
	root.Args = cli.NeedsCommandOr(a.Producer, cli.ProducerCommands...)
	return root
}

// Start says with which commands to begin.
func Start(a *app.App) string {
	return "Start with: " + a.Consumer + " demo, then " + a.Consumer + " try FILE"
}

// Fill gives a root the consumer's commands, in their groups, beside those that it has, and
// those that every program has.
func Fill(root *cobra.Command, a *app.App) {
	root.Args, root.RunE = cli.NeedsCommand, cli.Help
	root.AddGroup(
		&cobra.Group{ID: app.GroupFirst, Title: "Try it, with nothing installed:"},
		&cobra.Group{ID: app.GroupWork, Title: "Work:"},
		&cobra.Group{ID: app.GroupCare, Title: "Operate:"},
	)
	root.AddCommand(run.DemoCommand(a), try.Command(a), run.Command(a), show.TailCommand(a), show.GetCommand(a), check.Command(a), run.ReadyCommand(a), capacity.Command(a), versionCommand(a))
	root.AddCommand(draft.Command(a))
	root.AddCommand(deadletters.Command(a))
	root.AddCommand(state.VerifyCommand(a))
	root.AddCommand(state.RescaleCommand(a))
	root.AddCommand(state.Command(a))
	cli.AddCompletion(root, app.GroupCare)
	cli.AddHelp(root, app.GroupCare)
}
