package state

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// VerifyCommand returns the command verify.
func VerifyCommand(a *app.App) *cobra.Command {
	var f app.Flags
	var format app.Format
	var key string
	cmd := &cobra.Command{
		Use:   "verify --config FILE",
		Short: "Recompute states from the log and compare them bit by bit",
		Long: `verify reads the input topic from where the group began to the stored
watermark, recomputes every state under the configuration and the limits that
were in force, and compares. It changes nothing, and consumers may run
meanwhile. It uses at most memory.cache, and reads the log again for what
does not fit.

It prints one line per difference: key, partition, offset, what differs.
Exit code 3 means that there are differences, 0 that there are none. A state
whose first shards are no longer in the log cannot be verified; it is reported,
but not as a difference.`,
		GroupID: app.GroupCare,
		Args:    app.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			how, err := format.Choose(a.Out)
			if err != nil {
				return err
			}
			c, conn, err := a.Connect(&f)
			if err != nil {
				return err
			}
			defer conn.Close()
			return verifyStates(cmd.Context(), a, conn, c, key, how)
		},
	}
	f.Add(a, cmd)
	format.Add(cmd)
	cmd.Flags().StringVar(&key, "key", "", "only keys that match the `GLOB` (* stops at /, ** does not)")
	return cmd
}

// Mismatch is one difference as it is printed.
type Mismatch struct {
	Key       string `json:"key"`
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
	What      string `json:"what"`
}

func verifyStates(ctx context.Context, a *app.App, conn *connect.Connection, c *config.Config, glob, format string) error {
	if err := conn.OpenStore(ctx, c); err != nil {
		return err
	}
	n, err := conn.Log.Partitions(ctx, c.Kafka.Input)
	if err != nil {
		return err
	}
	offsets, err := offsetsToRead(ctx, conn, c, n)
	if err != nil {
		return err
	}
	bar := term.Progress(a.Err, "offsets verified", offsets)
	whole, part := int64(0), 0.0
	v := &admin.Verifier{
		Log: conn.Log, Store: conn.Store, Reader: conn.Store, Rules: conn.Rules, Memory: max(int64(c.Memory.Cache), 1<<20),
		NewDecoder: func(l pipeline.Limits) pipeline.Decoder {
			return arrow.NewDecoder(arrow.Limits{Record: int(l.Record), Rows: l.Rows, Columns: l.Columns})
		},
		Advance: func(offsets float64) {
			part += offsets
			if more := int64(math.Floor(part)) - whole; more > 0 {
				whole += more
				bar.Add(more)
			}
		},
	}
	if glob != "" {
		v.Match = func(key string) bool { return cdf.Glob(glob, key) }
	}
	out := app.NewListing(a.Out, format, []string{"key", "partition", "offset", "what differs"})
	var keys, wrong int64
	for id := range n {
		got, err := v.Verify(ctx, pipeline.Partition{Topic: c.Kafka.Input, ID: int32(id)}, func(m admin.Mismatch) error {
			line := Mismatch{m.Key, m.Partition.Topic, m.Partition.ID, m.Offset, m.What}
			return out.Write(line, []string{m.Key, m.Partition.String(), strconv.FormatInt(m.Offset, 10), m.What})
		})
		if err != nil {
			bar.Done()
			return err
		}
		keys, wrong = keys+got.Keys, wrong+got.Wrong
		if got.Trimmed > 0 {
			bar.Printf("consumer: partition %s/%d: the group began at offset %d and the log now begins at %d: %d keys have shards that are gone and cannot be verified",
				c.Kafka.Input, id, got.Origin, got.Start, got.Trimmed)
		}
	}
	bar.Done()
	if err := strays(ctx, a, conn, c, n, glob); err != nil {
		return err
	}
	a.Printf("%d keys match the log, %d differ", keys, wrong)
	if err := out.End(); err != nil || wrong == 0 {
		return err
	}
	return cli.ErrMismatch
}

// offsetsToRead counts the offsets that a verification reads.
func offsetsToRead(ctx context.Context, n *connect.Connection, c *config.Config, partitions int) (int64, error) {
	total := int64(0)
	for id := range partitions {
		p := pipeline.Partition{Topic: c.Kafka.Input, ID: int32(id)}
		meta, err := n.Store.Meta(ctx, p)
		if err != nil {
			return 0, err
		}
		if !meta.Exists {
			continue
		}
		start, _, err := n.Log.Bounds(ctx, p)
		if err != nil {
			return 0, err
		}
		total += max(0, meta.Watermark-max(start, meta.Origin))
	}
	return total, nil
}

// strays tells of keys that have more than one model.
func strays(ctx context.Context, a *app.App, conn *connect.Connection, c *config.Config, n int, glob string) error {
	return admin.EachKey(ctx, conn.Store, c.Kafka.Input, n, "", func(key string, in []pipeline.Partition) error {
		if len(in) < 2 || glob != "" && !cdf.Glob(glob, key) {
			return nil
		}
		var ids []string
		for _, p := range in {
			ids = append(ids, strconv.Itoa(int(p.ID)))
		}
		a.Printf("warning: key %q has a model in each of the partitions %s, and murmur2 puts it into %d: a producer uses another partitioner (librdkafka: set partitioner=murmur2_random)",
			key, strings.Join(ids, ", "), kafka.PartitionOf([]byte(key), n))
		return nil
	})
}
