// Package deadletters is the commands about dead letters: list and replay.
package deadletters

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
)

// Command returns the command dead-letters.
func Command(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "dead-letters COMMAND",
		Aliases: []string{"dlq"},
		Short:   "List dead letters, or send them to the input topic again",
		Long: `A record that cannot be applied goes to the dead letter topic, and the stream
goes on without it. list shows these letters and the reasons; replay sends
their records again once the cause is fixed.`,
		GroupID: app.GroupCare,
		Args:    cli.NeedsCommand,
		RunE:    cli.Help,
	}
	cmd.AddCommand(listCommand(a), replayCommand(a))
	return cmd
}

// letterFlags say which letters are meant.
type letterFlags struct {
	app.Flags
	key   string
	stage string
	limit int
}

func (f *letterFlags) add(a *app.App, cmd *cobra.Command) {
	f.Add(a, cmd)
	cmd.Flags().StringVar(&f.key, "key", "", "only keys that match the `GLOB` (* stops at /, ** does not)")
	cmd.Flags().StringVar(&f.stage, "stage", "", "only letters of `STAGE`: "+stages)
	cmd.Flags().IntVar(&f.limit, "limit", 0, "stop after `N` letters")
}

// stages are those of pipeline.Stages, in words.
const stages = "decode, schema, check, numeric, fault or limit"

func (f *letterFlags) check() error {
	if f.stage != "" && !slices.Contains(pipeline.Stages(), pipeline.Stage(f.stage)) {
		return cli.Usagef("--stage %s: %q is none of: %s", f.stage, f.stage, stages)
	}
	if f.limit < 0 {
		return cli.Usagef("--limit %d is below 0", f.limit)
	}
	return nil
}

func listCommand(a *app.App) *cobra.Command {
	var f letterFlags
	var format app.Format
	cmd := &cobra.Command{
		Use:   "list --config FILE",
		Short: "Print the dead letters and why they are there",
		Long: `list reads the dead letter topic and prints each letter once, those of a
partition in order. STATE is open, replayed (by this
group), or unread (too large for limits.dead_letter, or damaged). BYTES are those of
the record's value; "left out" where only the input topic has them.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			how, err := format.Choose(a.Out)
			if err != nil {
				return err
			}
			return a.Connected(&f.Flags, func(conn *connect.Connection) error {
				return listLetters(cmd.Context(), a, conn, conn.Config, &f, how)
			})
		},
	}
	f.add(a, cmd)
	format.Add(cmd)
	return cmd
}

func replayCommand(a *app.App) *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay --config FILE",
		Short: "Send dead letters to the input topic again, each once",
		Long: `replay sends the records of dead letters to the input topic again, byte for
byte, with the header credence-shard: dlq.<topic>.<partition>/<offset>, by which
workers recognise one that they have applied. What was sent is recorded in the
offsets of the group <group>.dlq. So it may be run twice, or be killed and run
again.

Fix the cause first: a record that still cannot be applied becomes a dead letter
again. A letter is left out, and with it the later ones of its key, if the group
has not reached its record yet, if no model is configured for its key, if the
rows of its model are steps in time, whose order is lost (dlm), or if it is a
tombstone, which would delete what the key has learnt since, or if it is behind a
letter of its partition that cannot be read; --yes sends the last three as well. A record that was too large for a letter (limits.dead_letter) is
read from the input topic; where that has it no more, replay says so and goes on.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return a.Connected(&f.Flags, func(conn *connect.Connection) error { return replayLetters(a, cmd, conn, conn.Config, &f) })
		},
	}
	f.add(a, cmd)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print what would be sent, and send nothing")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "also send letters of steps in time (dlm), tombstones, and those behind one that cannot be read")
	return cmd
}
