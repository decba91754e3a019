package connect

import (
	"context"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// Sampled is one record of a sample of the input topic.
type Sampled struct {
	Partition  int32
	Partitions int // of the topic
	Record     *pipeline.Record
	Batch      *cdf.Batch // nil for a tombstone and with err; valid until the next record
	Err        error      // why the value can't be decoded
}

// sampleBytes is how much one fetch of a sample asks for.
const sampleBytes = 1 << 20

// Sample visits some records of the input topic, the newest or the oldest of
// each partition, in the order of the log: about as many as asked for in all.
// A visit returns false when it has had enough of the partition.
func (n *Connection) Sample(ctx context.Context, c *config.Config, newest bool, records int, visit func(*Sampled) bool) error {
	count, err := n.Log.Partitions(ctx, c.Kafka.Input)
	if err != nil {
		return err
	}
	decoder := n.Reader.Decoder(LimitsOf(c), nil)
	each := int64(max(1, records/max(1, count)))
	for id := range int32(count) {
		p := pipeline.Partition{Topic: c.Kafka.Input, ID: id}
		start, end, err := n.bounds(ctx, p)
		if err != nil {
			return err
		}
		if newest {
			start = max(start, end-each)
		} else {
			end = min(end, start+each)
		}
		if err := n.samplePartition(ctx, p, start, end, func(r *pipeline.Record) bool {
			s := &Sampled{Partition: id, Partitions: count, Record: r, Err: r.Refused}
			if s.Err == nil && r.Value != nil {
				s.Batch, s.Err = pipeline.Decode(decoder, r)
			}
			return visit(s)
		}); err != nil {
			return err
		}
	}
	return nil
}

// leaderWithin is how long a partition may have no leader: one of a topic that was
// just created, or of a broker that went away.
const leaderWithin = 10 * time.Second

func (n *Connection) bounds(ctx context.Context, p pipeline.Partition) (start, end int64, err error) {
	for began := time.Now(); ; {
		start, end, err = n.Log.Bounds(ctx, p)
		if err == nil || !kafka.Moved(err) || time.Since(began) > leaderWithin || ctx.Err() != nil {
			return start, end, err
		}
	}
}

func (n *Connection) samplePartition(ctx context.Context, p pipeline.Partition, from, to int64, visit func(*pipeline.Record) bool) error {
	for from < to {
		f, err := n.Log.Fetch(ctx, p, from, sampleBytes)
		if err != nil {
			return err
		}
		n, err := n.Reader.Learn(ctx, f.Records)
		if err != nil {
			return err
		}
		if n < len(f.Records) {
			f.Next = f.Records[n].Offset
		}
		for i := range f.Records[:n] {
			if r := &f.Records[i]; r.Offset >= to || !visit(r) {
				return nil
			}
		}
		from = f.Next
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}
