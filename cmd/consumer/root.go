package main

import (
	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/capacity"
	"github.com/credence-stream/credence/cmd/consumer/check"
	"github.com/credence-stream/credence/cmd/consumer/dlq"
	"github.com/credence-stream/credence/cmd/consumer/draft"
	"github.com/credence-stream/credence/cmd/consumer/run"
	"github.com/credence-stream/credence/cmd/consumer/show"
	"github.com/credence-stream/credence/cmd/consumer/state"
	"github.com/credence-stream/credence/cmd/consumer/try"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/version"
)

func newRoot(a *app.App) *cobra.Command {
	root := &cobra.Command{
		Use:   "consumer",
		Short: "Bayesian models over a Kafka topic, one per key, exactly once",
		Long: `consumer updates Bayesian models, one per record key, with a Kafka topic of
data shards, and publishes a posterior summary after every shard.

Start with: consumer demo, then consumer try FILE`,
		Version:       version.Get().String(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          app.NeedsCommand,
		RunE:          app.Help,
	}
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return cli.Usagef("%w", err) })
	root.SetVersionTemplate("consumer {{.Version}}\n")
	root.AddGroup(
		&cobra.Group{ID: app.GroupFirst, Title: "Try it, with nothing installed:"},
		&cobra.Group{ID: app.GroupWork, Title: "Work:"},
		&cobra.Group{ID: app.GroupCare, Title: "Operate:"},
	)
	root.SetHelpCommandGroupID(app.GroupCare)
	root.AddCommand(run.DemoCommand(a), try.Command(a), run.Command(a), show.TailCommand(a), show.GetCommand(a), check.Command(a), capacity.Command(a), versionCommand(a))
	root.AddCommand(draft.Command(a))
	completionCommand(root)
	root.AddCommand(dlq.Command(a))
	root.AddCommand(state.VerifyCommand(a))
	root.AddCommand(state.Command(a))
	return root
}
