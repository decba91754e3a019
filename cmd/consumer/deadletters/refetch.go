package deadletters

import (
	"context"
	"errors"
	"fmt"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink"
)

// refetchBytes is what is asked for beside the record, which comes whole.
const refetchBytes = 1 << 20

// refetch returns the record whose bytes a letter leaves out from where it
// was, and the letter with its headers. The verdict says whether it still is
// there: a log that was trimmed or made anew has lost it for good.
func refetch(ctx context.Context, log pipeline.Log, l sink.Letter) (*pipeline.Record, sink.Letter, verdict, error) {
	f, err := log.Fetch(ctx, l.Source, l.Offset, refetchBytes)
	switch {
	case errors.Is(err, pipeline.ErrOutOfRange):
		return nil, l, verdictGone, nil
	case err != nil:
		return nil, l, verdictGone, fmt.Errorf("the record of a letter, %s at offset %d: %w", l.Source, l.Offset, err)
	case len(f.Records) == 0:
		return nil, l, verdictGone, nil
	}
	r := &f.Records[0]
	if r.Offset == l.Offset && r.Refused != nil {
		return nil, l, verdictUnread, nil
	}
	whole, same := l.Whole(r)
	if !same {
		return nil, l, verdictGone, nil
	}
	return r, whole, verdictSend, nil
}
