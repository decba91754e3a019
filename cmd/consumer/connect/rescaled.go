package connect

import (
	"context"
	"fmt"

	"github.com/credence-stream/credence/pipeline"
)

// Noted returns what the group's offsets say of a time in which the input topic, which has count
// partitions, had another number of them; "" for nothing. Where the store is lost, it is what
// is left of that.
func (n *Connection) Noted(ctx context.Context, count int) (string, error) {
	marks, err := n.Client.Marks(ctx, n.Config.Kafka.Group, n.Config.Kafka.Input, count)
	if err != nil {
		return "", err
	}
	noted := ""
	for _, m := range marks {
		if text := m.Past().Rescaled; text != "" {
			noted = text
		}
	}
	return noted, nil
}

// PastLost returns an error where the topic was rescaled and the store has lost from what: the states
// may be whole, and the log cannot be read again as it was applied.
func (n *Connection) PastLost(ctx context.Context, l pipeline.Layout, count int) error {
	if len(l.Past) > 0 || l.Moving != nil {
		return nil
	}
	noted, err := n.Noted(ctx, count)
	if noted == "" || err != nil {
		return err
	}
	return fmt.Errorf("the group notes that topic %s was %s, and the store has lost which partitions it had before: its log cannot be read again as it was applied. "+
		"Restore the store, or import an export that was written since then (state import --in FILE --force)", n.Config.Kafka.Input, noted)
}
