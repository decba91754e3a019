package connect

import (
	"context"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// Past returns what recomputes earlier states as the workers made them. watch stands
// before the outputs, to see what is published.
func (n *Connection) Past(watch func(pipeline.Outputs) pipeline.Outputs) *admin.Past {
	return &admin.Past{
		Log: n.Reader.Following(n.Log), Store: n.Store, Reader: n.Store, Layouts: n.Store, Rules: n.Rules,
		NewLog: n.logOf, NewDecoder: n.decoderOf,
		NewOutputs: func(l pipeline.Limits) pipeline.Outputs { return watch(n.outputsOf(l)) },
	}
}

// Verifier returns what recomputes the states of the input topic as the workers made them,
// of the keys that match tells, nil for all. The topic has count partitions now, and past
// is what they were before it was rescaled.
func (n *Connection) Verifier(count int, past []pipeline.Era, match func(key string) bool) *admin.Verifier {
	return &admin.Verifier{
		Log: n.Reader.Following(n.Log), Store: n.Store, Reader: n.Store, Rules: n.Rules, Match: match, Memory: max(int64(n.Config.Memory.Cache), 1<<20),
		NewLog: n.logOf, NewDecoder: n.decoderOf, NewOutputs: n.outputsOf,
		Past: past, Count: count, Home: kafka.PartitionOf,
	}
}

// logOf returns what reads the input as a worker does under limits.
func (n *Connection) logOf(l pipeline.Limits) (pipeline.Log, error) {
	log, err := n.LogUnder(l.Record)
	if err != nil {
		return nil, err
	}
	return n.Reader.Following(log), nil
}

// decoderOf returns what decodes as a worker does under limits.
func (n *Connection) decoderOf(l pipeline.Limits) pipeline.Decoder { return n.Reader.Decoder(l, nil) }

// outputsOf returns what encodes as a worker does under limits.
func (n *Connection) outputsOf(l pipeline.Limits) pipeline.Outputs {
	return NewOutputs(n.Config, n.Rules, l.Summary)
}

// Place returns the partition of a key: the one that has a state of it, else the one that
// it belongs to.
func (l *Lookup) Place(ctx context.Context, key string) (pipeline.Partition, error) {
	found, err := l.Find(ctx, key, true)
	if err != nil {
		return pipeline.Partition{}, err
	}
	if len(found) > 0 {
		return found[0].Partition, nil
	}
	n, err := l.Partitions(ctx)
	if err != nil {
		return pipeline.Partition{}, err
	}
	return pipeline.Partition{Topic: l.Topic, ID: l.Home([]byte(key), n)}, nil
}
