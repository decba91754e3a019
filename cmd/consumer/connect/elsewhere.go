package connect

import (
	"context"
	"fmt"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// Elsewhere is a topic of another cluster.
type Elsewhere struct {
	Config *config.Config // how that cluster is reached, and its topic as kafka.input
}

// ReadFrom has the records of the input topic read from another cluster, and only read:
// membership of the group, its offsets, outputs and dead letters stay with this one,
// which gets an empty topic of as many partitions to share out.
func (n *Connection) ReadFrom(ctx context.Context, e *Elsewhere) error {
	from, err := Dial(e.Config)
	if err != nil {
		return err
	}
	count, err := from.Log.Partitions(ctx, e.Config.Kafka.Input)
	if err != nil {
		from.Close()
		return fmt.Errorf("topic %s: %w", e.Config.Kafka.Input, err)
	}
	n.Log, n.other = from.Log, from.Client
	return n.Client.Create(ctx, kafka.InputTopic(n.Config.Kafka.Input, count, int(n.Config.Limits.Record)+config.Headroom))
}
