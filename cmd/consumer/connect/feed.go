package connect

import (
	"context"

	"github.com/credence-stream/credence/pipeline"
)

// Feed calls visit with one record after another, waiting for more, and
// returns what visit returns.
type Feed func(ctx context.Context, visit func(*pipeline.Record) error) error
