package admin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/credence-stream/credence/pipeline"
)

// statesOf tells the states of partitions from those that they have once a worker or an import has claimed
// or cleared one of them.
func statesOf(metas []pipeline.Meta) string {
	h := sha256.New()
	for _, m := range metas {
		fmt.Fprintf(h, "%q %t %d\n", m.Owner, m.Exists, m.Watermark)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// TakeBack takes the mark of an import back that was killed before it changed anything, and returns the
// layout of before; of any other layout that layout. It claims each partition first: an import that is
// at work after all is fenced when it begins to change something.
func TakeBack(ctx context.Context, s pipeline.Store, l pipeline.LayoutAdmin, topic string, partitions int, layout pipeline.Layout) (pipeline.Layout, error) {
	if layout.Importing == nil || layout.Importing.Found == nil {
		return layout, nil
	}
	found := layout.Importing.Found
	for _, look := range []func(pipeline.Partition) (pipeline.Meta, error){
		func(p pipeline.Partition) (pipeline.Meta, error) { return s.Meta(ctx, p) },
		func(p pipeline.Partition) (pipeline.Meta, error) { return s.Claim(ctx, pipeline.NewLease(p)) },
	} {
		var metas []pipeline.Meta
		for id := range partitions {
			m, err := look(pipeline.Partition{Topic: topic, ID: int32(id)})
			if errors.Is(err, pipeline.ErrDamaged) || m.Exists && m.Format != pipeline.StateFormat { // which nobody claims
				return layout, nil
			}
			if err != nil {
				return layout, err
			}
			metas = append(metas, m)
		}
		if statesOf(metas) != found.States {
			return layout, nil
		}
	}
	was := pipeline.Layout{Partitions: found.Partitions, Past: found.Past}
	if err := replaceLayout(ctx, l, topic, layout, was); err != nil {
		return layout, fmt.Errorf("the mark of an import %s: %w", layout.Importing, err)
	}
	return was, nil
}
