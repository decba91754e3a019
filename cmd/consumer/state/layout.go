package state

import (
	"context"
	"fmt"

	"github.com/credence-stream/credence/pipeline"
)

// settled returns the layout of the topic, and refuses one that is not that of the
// partitions which the topic has.
func (s *states) settled(ctx context.Context) (pipeline.Layout, error) {
	l, err := pipeline.ReadLayout(ctx, s.Store, s.config.Kafka.Input, s.count)
	if err != nil {
		return l, err
	}
	why, remedy, err := pipeline.Elsewhere(ctx, l, s.Store, s.Log, s.config.Kafka.Input, s.count)
	if err == nil && why != "" {
		err = fmt.Errorf("%s. %s", why, remedy)
	}
	return l, err
}

// rescaled refuses to begin anew with the log of a topic that was rescaled, by what the
// store says, or the group's offsets where the store is lost.
func (s *states) rescaled(ctx context.Context) error {
	l, err := s.Store.Layout(ctx, s.config.Kafka.Input)
	if err != nil {
		return err
	}
	noted, err := s.Noted(ctx, s.count)
	switch {
	case err != nil:
		return err
	case noted != "":
		noted = " (" + noted + ")"
	case len(l.Past) == 0 && l.Moving == nil:
		return nil
	}
	return fmt.Errorf("topic %s was rescaled%s, and keys have records in two partitions: its log alone does not give their states again. "+
		"Import an export that was written since then (state import --force), or copy the topic to a new one and read that with a new group", s.config.Kafka.Input, noted)
}
