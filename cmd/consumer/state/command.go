// Package state is the commands about checkpoints: list, export, import, delete
// and repair, and verify, which computes them anew from the log.
package state

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
)

// Command returns the command state.
func Command(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "state COMMAND",
		Short: "List, export, import, delete or repair the checkpointed states",
		Long: `A key's state is in the checkpoint store, in one partition, with the offset up
to which the log has been applied. These commands read and change it with the
operations of a worker, so that it stays exact while consumers run.`,
		GroupID: app.GroupCare,
		Args:    cli.NeedsCommand,
		RunE:    cli.Help,
	}
	cmd.AddCommand(listCommand(a), exportCommand(a), importCommand(a), deleteCommand(a), repairCommand(a))
	return cmd
}

// states is what the commands about states work on.
type states struct {
	*connect.Connection
	*app.App
	config *config.Config
	cmd    *cobra.Command
	count  int                   // partitions of the input topic
	seen   func(key string) bool // nil: all keys
}

// withStates connects and runs f. A glob that is not empty selects keys.
func withStates(a *app.App, cmd *cobra.Command, f *app.Flags, glob string, do func(context.Context, *states) error) error {
	return a.Connected(f, func(conn *connect.Connection) error {
		c, ctx := conn.Config, cmd.Context()
		if err := conn.OpenStore(ctx, c); err != nil {
			return err
		}
		n, err := conn.Log.Partitions(ctx, c.Kafka.Input)
		if err != nil {
			return err
		}
		s := &states{Connection: conn, App: a, config: c, cmd: cmd, count: n}
		if glob != "" {
			s.seen = func(key string) bool { return cdf.Glob(glob, key) }
		}
		return do(ctx, s)
	})
}

func (s *states) takes(key string) bool { return s.seen == nil || s.seen(key) }

func (s *states) partition(id int) pipeline.Partition {
	return pipeline.Partition{Topic: s.config.Kafka.Input, ID: int32(id)}
}

// metas returns the metas of all partitions.
func (s *states) metas(ctx context.Context) ([]pipeline.Meta, error) {
	return s.Metas(ctx, s.config.Kafka.Input, s.count)
}

// remains are metas, also of damaged partitions, for who replaces or deletes all that there is.
func (s *states) remains(ctx context.Context) ([]pipeline.Meta, error) {
	all := make([]pipeline.Meta, s.count)
	for id := range all {
		var err error
		if all[id], err = s.Store.Meta(ctx, s.partition(id)); err != nil && !isDamaged(err) {
			return nil, err
		}
	}
	return all, nil
}
