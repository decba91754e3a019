package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/pipeline"
)

func (a *app) dlqCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dlq COMMAND",
		Short: "List dead letters, or send them to the input topic again",
		Long: `A record that cannot be applied goes to the dead letter topic, and the stream
goes on without it. list shows these letters and why they are there; replay
sends their records again once the cause is mended.`,
		GroupID: groupCare,
		Args:    needsCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.dlqListCommand(), a.dlqReplayCommand())
	return cmd
}

// needsCommand refuses words that are none of the commands below.
func needsCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return usagef("unknown command %q%s", cmd.Name()+" "+args[0], suggest(args[0], names))
}

// dlqFlags say which letters are meant.
type dlqFlags struct {
	configFlags
	key   string
	stage string
	limit int
}

func (f *dlqFlags) add(a *app, cmd *cobra.Command) {
	f.configFlags.add(a, cmd)
	cmd.Flags().StringVar(&f.key, "key", "", "only keys that match the `GLOB` (* stops at /, ** does not)")
	cmd.Flags().StringVar(&f.stage, "stage", "", "only letters of `STAGE`: decode, schema, check or numeric")
	cmd.Flags().IntVar(&f.limit, "limit", 0, "stop after `N` letters")
}

func (f *dlqFlags) check() error {
	stages := []string{"", string(pipeline.StageDecode), string(pipeline.StageSchema), string(pipeline.StageCheck), string(pipeline.StageNumeric)}
	if !slices.Contains(stages, f.stage) {
		return usagef("--stage %s: %q is none of: %s", f.stage, f.stage, strings.Join(stages[1:], ", "))
	}
	if f.limit < 0 {
		return usagef("--limit %d is below 0", f.limit)
	}
	return nil
}

func (a *app) dlqListCommand() *cobra.Command {
	var f dlqFlags
	var format formatFlag
	cmd := &cobra.Command{
		Use:   "list --config FILE",
		Short: "Print the dead letters and why they are there",
		Long: `list reads the dead letter topic and prints each letter once, those of a
partition in their order. STATE says what a replay would make of it: open, or
replayed (by this group).`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			how, err := format.choose(a.out)
			if err != nil {
				return err
			}
			c, conn, err := a.connect(&f.configFlags)
			if err != nil {
				return err
			}
			defer conn.close()
			return a.dlqList(cmd.Context(), conn, c, &f, how)
		},
	}
	f.add(a, cmd)
	format.add(cmd)
	return cmd
}

func (a *app) dlqReplayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay --config FILE",
		Short: "Send dead letters to the input topic again, each once",
		Long: `replay sends the records of dead letters to the input topic again, byte for
byte, with the header credence-shard: dlq.<topic>.<partition>/<offset>, by which
workers tell one that they have applied. What was sent is noted in the offsets
of the group <group>.dlq. So it may be run twice, or be killed and run again.

Mend the cause first: a record that still cannot be applied dies again.
A letter is left out, and with it the later ones of its key, when the group has
not come to its record yet, when no model is configured for its key, when the
rows of its model are steps in time, whose order is lost (dlm), or when it is a
tombstone, which would delete what the key has learned since; --yes sends the
last two as well.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			c, conn, err := a.connect(&f.configFlags)
			if err != nil {
				return err
			}
			defer conn.close()
			return a.dlqReplay(cmd, conn, c, &f)
		},
	}
	f.add(a, cmd)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print what would be sent, and send nothing")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "send also letters of steps in time (dlm), and tombstones")
	return cmd
}
