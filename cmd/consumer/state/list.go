package state

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
)

func listCommand(a *app.App) *cobra.Command {
	var f app.Flags
	var format app.Format
	var prefix, glob string
	var byPartition bool
	cmd := &cobra.Command{
		Use:   "list --config FILE",
		Short: "Print the stored states, by key",
		Long: `list prints one line per state in byte order of the keys: kind, shards (t),
rows (n), partition, offset and time of the last record applied, bytes stored. In
JSON, where rows wait for a shard, how many, and shard_offset, that of the last shard.
With --partitions it prints one line per partition instead: owner and generation
of the last claim, watermark, origin, keys, lag, gaps, configuration.`,
		Args: cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if byPartition && prefix+glob != "" {
				return cli.Usagef("--partitions lists no keys: leave --prefix and --key out")
			}
			how, err := format.Choose(a.Out)
			if err != nil {
				return err
			}
			return withStates(a, cmd, &f, glob, func(ctx context.Context, s *states) error {
				if byPartition {
					return s.listPartitions(ctx, how)
				}
				return s.list(ctx, prefix, how)
			})

		},
	}
	f.Add(a, cmd)
	format.Add(cmd)
	cmd.Flags().StringVar(&prefix, "prefix", "", "only keys that start with `P`")
	cmd.Flags().StringVar(&glob, "key", "", "only keys that match the `GLOB` (* stops at /, ** does not)")
	cmd.Flags().BoolVar(&byPartition, "partitions", false, "print one line per partition")
	return cmd
}

// Line is one state as it is printed.
type Line struct {
	Key         string `json:"key"`
	Kind        string `json:"kind"`
	Variant     string `json:"variant"`
	T           int64  `json:"t"`
	N           int64  `json:"n"`
	Partition   int32  `json:"partition"`
	Offset      int64  `json:"offset"`
	Bytes       int    `json:"bytes"`
	Time        string `json:"time"`
	Fingerprint string `json:"fingerprint"`
	// Waiting are rows that wait for a shard; ShardOffset is then that of the last shard, -1
	// before the first.
	Waiting     int    `json:"waiting,omitempty"`
	ShardOffset *int64 `json:"shard_offset,omitempty"`
}

// list prints the states; in memory are a page of keys of each partition and
// the values that were read ahead.
func (s *states) list(ctx context.Context, prefix, format string) error {
	out := app.NewListing(s.Out, format, []string{"key", "kind", "t", "n", "partition", "offset", "bytes", "time"})
	keys, total, damaged := 0, int64(0), 0
	reader := admin.Prefetch(s.Store, s.takes)
	err := admin.EachKey(ctx, reader, s.config.Kafka.Input, s.count, prefix, func(key string, in []pipeline.Partition) error {
		if !s.takes(key) {
			return nil
		}
		for _, p := range in {
			value, err := reader.Get(ctx, p, key)
			if err == nil && value == nil {
				continue // deleted since it was listed
			}
			var h pipeline.StoredState
			if err == nil {
				h, err = pipeline.ParseStored(key, value)
			}
			if isDamaged(err) || errors.Is(err, cdf.ErrLater) {
				damaged++
				s.Printf("%s: %v", p, err)
				continue
			}
			if err != nil {
				return err
			}
			keys++
			total += int64(h.Bytes)
			l := Line{Key: key, Kind: h.Kind, Variant: h.Variant, T: h.T, N: h.N, Partition: p.ID, Offset: h.Offset, Bytes: h.Bytes,
				Time: string(jsontext.AppendTime(nil, h.Time)), Fingerprint: hex.EncodeToString(h.Fingerprint[:8])}
			if h.Ended != nil {
				l.Waiting, l.ShardOffset = h.Waiting.Tell().Rows, &h.Ended.Offset
			}
			if err := out.Write(l, []string{key, l.Kind, strconv.FormatInt(l.T, 10), strconv.FormatInt(l.N, 10),
				strconv.Itoa(int(p.ID)), strconv.FormatInt(l.Offset, 10), strconv.Itoa(l.Bytes), l.Time}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := out.End(); err != nil {
		return err
	}
	s.Printf("%s of %s", cli.Plural(keys, "state"), cli.Plural(total, "byte"))
	if damaged > 0 {
		return fmt.Errorf("%s cannot be read: see %s state repair", cli.Plural(damaged, "state"), s.Consumer)
	}
	return nil
}

// partitionLine is one partition as it is printed.
type partitionLine struct {
	Partition  int32          `json:"partition"`
	Owner      string         `json:"owner"`
	Generation int32          `json:"generation"`
	Watermark  int64          `json:"watermark"` // -1: nothing is stored
	Origin     int64          `json:"origin"`
	Start      int64          `json:"log_start"`
	End        int64          `json:"log_end"`
	Keys       int64          `json:"keys"`
	Config     string         `json:"config"`
	Gaps       []pipeline.Gap `json:"gaps"`
}

func (s *states) listPartitions(ctx context.Context, format string) error {
	out := app.NewListing(s.Out, format, []string{"partition", "owner", "generation", "watermark", "origin", "log start", "log end", "keys", "config", "gaps"})
	metas, err := s.metas(ctx)
	if err != nil {
		return err
	}
	var keys, behind int64
	for id, m := range metas {
		l := partitionLine{Partition: int32(id), Owner: m.Owner, Generation: m.Generation, Watermark: m.Watermark,
			Origin: m.Origin, Keys: m.Keys, Gaps: append([]pipeline.Gap{}, m.Gaps...)}
		if l.Start, l.End, err = s.Log.Bounds(ctx, s.partition(id)); err != nil {
			return err
		}
		if n := len(m.Configured); n > 0 {
			l.Config = fmt.Sprintf("%.16s", m.Configured[n-1].Fingerprint)
		}
		keys += m.Keys
		behind += max(0, l.End-max(m.Watermark, l.Start))
		var cells []string
		for _, n := range []int64{int64(l.Generation), l.Watermark, l.Origin, l.Start, l.End, l.Keys} {
			cells = append(cells, strconv.FormatInt(n, 10))
		}
		cells = append([]string{strconv.Itoa(id), l.Owner}, cells...)
		if err := out.Write(l, append(cells, l.Config, strconv.Itoa(len(m.Gaps)))); err != nil {
			return err
		}
	}
	if err := out.End(); err != nil {
		return err
	}
	s.Printf("%s, %s, %s behind", cli.Plural(len(metas), "partition"), cli.Plural(keys, "key"), cli.Plural(behind, "record"))
	return nil
}
