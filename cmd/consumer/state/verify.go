package state

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/internal/arithmetic"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
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
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			how, err := format.Choose(a.Out)
			if err != nil {
				return err
			}
			return withStates(a, cmd, &f, key, func(ctx context.Context, s *states) error { return s.verify(ctx, how) })
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

func (s *states) verify(ctx context.Context, format string) error {
	layout, err := s.settled(ctx)
	if err != nil {
		return err
	}
	if err := s.PastLost(ctx, layout, s.count); err != nil {
		return err
	}
	v := s.Verifier(s.count, layout.Past, s.seen)
	offsets, err := s.offsetsToRead(ctx, v)
	if err != nil {
		return err
	}
	bar := term.Progress(s.Err, "offsets verified", offsets)
	whole, part := int64(0), 0.0
	v.Advance = func(offsets float64) {
		part += offsets
		if more := int64(math.Floor(part)) - whole; more > 0 {
			whole += more
			bar.Add(more)
		}
	}
	out := app.NewListing(s.Out, format, []string{"key", "partition", "offset", "what differs"})
	var keys, rounded, wrong, gone int64
	for id := range s.count {
		got, err := v.Verify(ctx, s.partition(id), func(m admin.Mismatch) error {
			line := Mismatch{m.Key, m.Partition.Topic, m.Partition.ID, m.Offset, m.What}
			return out.Write(line, []string{m.Key, m.Partition.String(), strconv.FormatInt(m.Offset, 10), m.What})
		})
		if err != nil {
			bar.Done()
			return err
		}
		keys, rounded, wrong, gone = keys+got.Keys, rounded+got.Rounded, wrong+got.Wrong, gone+got.Trimmed
		switch {
		case got.Trimmed > 0 && got.Lack.Count > 0:
			bar.Printf("%s: partition %s/%d: the log was compacted (it lacks %s, the first of them %d): %s shards that are gone and cannot be verified",
				s.Consumer, s.config.Kafka.Input, id, cli.Plural(got.Lack.Count, "offset", "offsets"), got.Lack.First, cli.Plural(got.Trimmed, "key has", "keys have"))
		case got.Trimmed > 0:
			bar.Printf("%s: partition %s/%d: the group began at offset %d and the log now begins at %d: %s shards that are gone and cannot be verified",
				s.Consumer, s.config.Kafka.Input, id, got.Origin, got.Start, cli.Plural(got.Trimmed, "key has", "keys have"))
		}
	}
	bar.Done()
	if err := s.strays(ctx); err != nil {
		return err
	}
	if rounded > 0 {
		s.Printf("%s in the last digits of scores and plug-ins, or in what is behind flags of predictions, as another release computes them: the sums are those of the log",
			cli.Plural(rounded, "of these keys differs", "of these keys differ"))
	}
	untold := ""
	if gone > 0 {
		untold = ", " + cli.Plural(gone, "cannot", "cannot") + " be verified"
	}
	if wrong > 0 {
		s.Printf("what a member with another arithmetic than %s wrote, which its version says, differs without being damaged", arithmetic.ID())
	}
	s.Printf("%s the log, %s%s", cli.Plural(keys, "key matches", "keys match"), cli.Plural(wrong, "differs", "differ"), untold)
	if err := out.End(); err != nil || wrong == 0 {
		return err
	}
	return cli.ErrMismatch
}

// offsetsToRead counts the offsets that a verification reads.
func (s *states) offsetsToRead(ctx context.Context, v *admin.Verifier) (int64, error) {
	metas, err := s.metas(ctx)
	if err != nil {
		return 0, err
	}
	total := int64(0)
	for id, meta := range metas {
		if !meta.Exists {
			continue
		}
		start, _, err := s.Log.Bounds(ctx, s.partition(id))
		if err != nil {
			return 0, err
		}
		base := (&pipeline.Layout{Past: v.Past}).Base(int32(id), meta.Origin)
		total += max(0, meta.Watermark-max(start, base)) + v.Offsets(s.partition(id))
	}
	return total, nil
}

// strays tells of keys that have more than one model.
func (s *states) strays(ctx context.Context) error {
	return admin.EachKey(ctx, s.Store, s.config.Kafka.Input, s.count, "", func(key string, in []pipeline.Partition) error {
		if len(in) < 2 || !s.takes(key) {
			return nil
		}
		var ids []string
		for _, p := range in {
			ids = append(ids, strconv.Itoa(int(p.ID)))
		}
		s.Printf("warning: key %q has a model in each of the partitions %s, and murmur2 puts it into %d: a producer uses another partitioner (librdkafka: set partitioner=murmur2_random)",
			key, strings.Join(ids, ", "), kafka.PartitionOf([]byte(key), s.count))
		return nil
	})
}
