package demo

import (
	"iter"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/replay"
)

// fields are the columns of a shard: all but the key, typed as `producer
// replay` types them.
var fields = []replay.Field{
	{Name: "date", Type: cdf.Time},
	{Name: "hour", Type: cdf.Integer},
	{Name: "delay", Type: cdf.Integer},
	{Name: "late", Type: cdf.Bool},
	{Name: "distance", Type: cdf.Integer},
	{Name: "destination", Type: cdf.Text},
}

// Shards yields the flights as shards of each origin's next rows, keyed by the
// origin, as `producer replay --key-column origin` cuts them: whole shards in
// the order in which they fill, then the short ones that are left in the order
// in which their origins first appeared. A shard is valid until the next one
// is asked for. It stops at the first error.
func Shards(rows int) iter.Seq2[replay.Shard, error] {
	return func(yield func(replay.Shard, error) bool) {
		cut := replay.NewCutter(fields, rows)
		values := make([]replay.Value, len(fields))
		for f, err := range Rows() {
			if err != nil {
				yield(replay.Shard{}, err)
				return
			}
			values[0].Number = float64(f.Date.Unix())
			values[1].Int = int64(f.Hour)
			values[2].Int = int64(f.Delay)
			if values[3].Number = 0; f.Late {
				values[3].Number = 1
			}
			values[4].Int = int64(f.Distance)
			values[5].Text = f.Destination
			if sh, full := cut.Add(f.Origin, values); full && !yield(sh, nil) {
				return
			}
		}
		for sh := range cut.Rest() {
			if !yield(sh, nil) {
				return
			}
		}
	}
}
