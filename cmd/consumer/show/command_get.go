package show

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink"
)

// GetCommand returns the command get.
func GetCommand(a *app.App) *cobra.Command {
	var f app.Flags
	var format app.Format
	var at moment
	cmd := &cobra.Command{
		Use:   "get KEY --config FILE",
		Short: "Print the current posterior of a key from the checkpoint store, or an earlier one",
		Long: `get prints what the checkpoint store has of a key. One that begins with a dash
stands behind --, as in get --config FILE -- -1.

With --at-offset or --at-time it recomputes the posterior as it was when all
records of the key's partition up to that offset, or before the first one that is
later than that time, had been applied: what was published last by then, bit for
bit, under the configuration and the limits that were in force. It reads the log
from where the group began, holds one state, and writes nothing; consumers may run
meanwhile.`,
		GroupID: app.GroupWork,
		Args:    app.OneArg("KEY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			how, err := format.Choose(a.Out)
			if err != nil {
				return err
			}
			if err := at.read(cmd.Flags().Changed("at-offset"), time.Now()); err != nil {
				return err
			}
			return a.Connected(&f, func(conn *connect.Connection) error {
				if at.asked() {
					if err := conn.OpenStore(cmd.Context(), conn.Config); err != nil {
						return err
					}
					return getPast(cmd.Context(), a, conn, args[0], &at, how)
				}
				ctx, cancel := context.WithTimeout(cmd.Context(), app.Patience)
				defer cancel()
				if err := conn.OpenStore(ctx, conn.Config); err != nil {
					return err
				}
				return getKey(ctx, a, conn.Lookup, args[0], how)
			})
		},
	}
	f.Add(a, cmd)
	cmd.Flags().Int64Var(&at.offset, "at-offset", -1, "recompute the posterior as it was after the record at this `OFFSET` of the key's partition")
	cmd.Flags().StringVar(&at.time, "at-time", "", "recompute the posterior as it was at a `TIME`, as in 2026-01-31T08:00:00Z, or so long ago, as in 36h")
	cmd.ValidArgsFunction = f.CompleteKey(a)
	format.Add(cmd)
	return cmd
}

// getKey prints the posterior of a key.
func getKey(ctx context.Context, a *app.App, l *connect.Lookup, key, format string) error {
	if _, ok := l.Rules.Match(key); !ok {
		return fmt.Errorf("no entry of models matches key %q: its records go to the dead letters", key)
	}
	all, err := l.Find(ctx, key, false)
	if err != nil {
		return fmt.Errorf("key %q: %w", key, err)
	}
	if len(all) == 0 {
		return fmt.Errorf("no model for key %q: no shard of it is in a checkpoint yet, or it was deleted%s", key, meant(ctx, l, key))
	}
	if len(all) > 1 {
		a.Printf("warning: partitions %d and %d both have a model for key %q: a producer uses another partitioner than murmur2 (librdkafka: set partitioner=murmur2_random)",
			all[0].Partition.ID, all[1].Partition.ID, key)
	}
	p, err := l.Restore(key, all[0])
	if err != nil {
		return err
	}
	return writePosterior(a, p, format)
}

const (
	keysLooked = 10_000 // keys that are compared with one that is not there
	keysMeant  = 3      // of them that are named
)

// meant names the keys that may have been meant, among the first of all and the first that
// go on as the key does. Whatever goes wrong, it says nothing: what is wrong with the key
// is told.
func meant(ctx context.Context, l *connect.Lookup, key string) string {
	first, err := l.FirstKeys(ctx, "", keysLooked)
	if err != nil {
		return ""
	}
	longer, err := l.FirstKeys(ctx, key, keysMeant)
	if err != nil {
		return ""
	}
	known := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(first), longer...))))
	var names []string
	for _, name := range cli.Near(key, known, keysMeant) {
		names = append(names, strconv.Quote(name))
	}
	among := ""
	if len(first) == keysLooked {
		among = fmt.Sprintf(" (of the first %s keys)", cli.Count(keysLooked))
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s%s?", strings.Join(names, " or "), among)
}

func writePosterior(a *app.App, p *pipeline.Posterior, format string) error {
	switch format {
	case app.JSON:
		_, err := fmt.Fprintf(a.Out, "%s\n", sink.AppendJSON(nil, p, 0))
		return err
	case app.CSV:
		return newCSV(a.Out).write(p)
	}
	return writeDetails(a.Out, p)
}
