// Package admin looks after stored state from outside of the workers: it lists,
// exports, imports and resets it, and verifies it against the log. The core
// knows nothing of it; what it asks of the core is pipeline.Recomputer, to apply
// records as a lane does, and the store's own interfaces.
package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/quota"
)

// Export is what a partition's state is exported as beside its values.
type Export struct {
	Partition int32                 `json:"partition"`
	Watermark int64                 `json:"watermark"`
	Origin    int64                 `json:"origin"`
	Keys      int64                 `json:"keys"`
	Topic     string                `json:"topic_id,omitempty"`
	Last      pipeline.Last         `json:"last"`
	Config    []pipeline.Configured `json:"configured"`
	Gaps      []pipeline.Gap        `json:"gaps"`
	Format    int                   `json:"format"`
	Minutes   quota.Minutes         `json:"minutes,omitzero"`
}

// Collect calls visit for every stored value of a partition that match takes, in
// byte order, all of one watermark, and returns what belongs to them; false
// where nothing is stored. When a worker has moved the watermark in between, it
// calls again, with the attempt's number from 2 on, and begins anew; after
// attempts it gives up with an error.
func Collect(ctx context.Context, s pipeline.Store, r pipeline.Reader, p pipeline.Partition, attempts int, match func(string) bool,
	again func(attempt int) error, visit func(key string, value pipeline.Stored) error) (Export, bool, error) {
	for try := 1; ; try++ {
		before, err := s.Meta(ctx, p)
		if err != nil || !before.Exists {
			return Export{}, false, err
		}
		if before.Format != pipeline.StateFormat {
			return Export{}, false, fmt.Errorf("the state of %s has format %d, this program reads %d", p, before.Format, pipeline.StateFormat)
		}
		if Unfinished(before) {
			return Export{}, false, fmt.Errorf("the state of %s is half an import: run the import again first", p)
		}
		err = Each(ctx, r, p, match, func(key string, value pipeline.Stored, err error) error {
			if err == nil && value == nil {
				err = &goneError{p, key}
			}
			if err != nil {
				return err
			}
			return visit(key, value)
		})
		var lost *goneError
		if err != nil && !errors.As(err, &lost) {
			return Export{}, false, err
		}
		after, merr := s.Meta(ctx, p)
		if merr != nil {
			return Export{}, false, merr
		}
		if after.Watermark == before.Watermark && after.Exists {
			return Export{
				Partition: p.ID, Watermark: after.Watermark, Origin: after.Origin, Keys: after.Keys, Topic: after.Topic, Last: after.Last,
				Config: after.Configured, Gaps: after.Gaps, Format: after.Format, Minutes: after.Minutes,
			}, true, err
		}
		if try == attempts {
			return Export{}, false, fmt.Errorf("the state of %s moved on %d times while it was read (offset %d, then %d): stop its consumer for a moment, or wait for a quiet one",
				p, attempts, before.Watermark, after.Watermark)
		}
		if err := again(try + 1); err != nil {
			return Export{}, false, err
		}
	}
}

// goneError is a key that was listed and has no value.
type goneError struct {
	p   pipeline.Partition
	key string
}

func (e *goneError) Error() string {
	return fmt.Sprintf("damaged state: key %q of %s is listed and has no value; see state repair", e.key, e.p)
}
