package main

import (
	"context"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// sampled is one record of a sample of the input topic.
type sampled struct {
	partition  int32
	partitions int // of the topic
	record     *pipeline.Record
	batch      *cdf.Batch // nil for a tombstone and with err; valid until the next record
	err        error      // why the value can't be decoded
}

// sampleBytes is how much one fetch of a sample asks for.
const sampleBytes = 1 << 20

// sample visits some records of the input topic, the newest or the oldest of
// each partition, in the order of the log: about as many as asked for in all.
// A visit returns false when it has had enough of the partition.
func (n *connection) sample(ctx context.Context, c *config, newest bool, records int, visit func(*sampled) bool) error {
	count, err := n.log.Partitions(ctx, c.Kafka.Input)
	if err != nil {
		return err
	}
	decoder := arrow.NewDecoder(arrow.Limits{Record: int(c.Limits.Record), Rows: c.Limits.Rows, Columns: c.Limits.Columns})
	each := int64(max(1, records/max(1, count)))
	for id := range int32(count) {
		p := pipeline.Partition{Topic: c.Kafka.Input, ID: id}
		start, end, err := n.log.Bounds(ctx, p)
		if err != nil {
			return err
		}
		if newest {
			start = max(start, end-each)
		} else {
			end = min(end, start+each)
		}
		if err := n.samplePartition(ctx, p, start, end, func(r *pipeline.Record) bool {
			s := &sampled{partition: id, partitions: count, record: r, err: r.Refused}
			if s.err == nil && r.Value != nil {
				s.batch, s.err = decoder.Decode(r.Value)
			}
			return visit(s)
		}); err != nil {
			return err
		}
	}
	return nil
}

func (n *connection) samplePartition(ctx context.Context, p pipeline.Partition, from, to int64, visit func(*pipeline.Record) bool) error {
	for from < to {
		f, err := n.log.Fetch(ctx, p, from, sampleBytes)
		if err != nil {
			return err
		}
		for i := range f.Records {
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
