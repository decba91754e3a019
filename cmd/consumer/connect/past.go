package connect

import (
	"context"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
)

// Past returns what recomputes earlier states as the workers made them. watch stands
// before the outputs, to see what is published.
func (n *Connection) Past(watch func(pipeline.Outputs) pipeline.Outputs) *admin.Past {
	return &admin.Past{
		Log: n.Reader.Following(n.Log), Store: n.Store, Layouts: n.Store, Rules: n.Rules,
		NewLog: func(l pipeline.Limits) (pipeline.Log, error) {
			log, err := n.LogUnder(l.Record)
			if err != nil {
				return nil, err
			}
			return n.Reader.Following(log), nil
		},
		NewDecoder: func(l pipeline.Limits) pipeline.Decoder { return n.Reader.Decoder(l, nil) },
		NewOutputs: func(l pipeline.Limits) pipeline.Outputs { return watch(NewOutputs(n.Config, n.Rules, l.Summary)) },
	}
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
