package web

import (
	"context"
	"net/http"
	"time"

	"github.com/credence-stream/credence/cdf"
)

const (
	// computeTimeout is what one request may compute. Nobody waits for an answer without end, and a client that asks
	// again would take the cores from all others.
	computeTimeout = 30 * time.Second
	answerTimeout  = 60 * time.Second // what a client may take to read an answer
	firstPart      = 64
	partTime       = 300 * time.Millisecond
)

// reckoner predicts rows in parts, and looks between them whether anybody still waits.
type reckoner struct {
	ctx    context.Context //nolint:containedctx // of one request, in which it ends
	filter *cdf.Filter
	until  time.Time
	limit  time.Duration // for the message
}

// predict returns what Filter.Predict does.
func (r *reckoner) predict(b *cdf.Batch) ([]cdf.Prediction, error) {
	all := make([]cdf.Prediction, 0, b.Rows)
	for size := firstPart; len(all) < b.Rows; {
		began := time.Now()
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		if len(all) > 0 && began.After(r.until) {
			return nil, refuse(http.StatusRequestEntityTooLarge, "too_large", "%d of %d rows were predicted within %v; send them in several requests", len(all), b.Rows, r.limit)
		}
		found, err := r.filter.Predict(rowsOf(b, len(all), min(size, b.Rows-len(all))))
		if err != nil {
			return nil, refuse(http.StatusUnprocessableEntity, "unfit", "%v", err)
		}
		if all = append(all, found...); time.Since(began) < partTime {
			size *= 2
		}
	}
	return all, nil
}

// rowsOf returns n rows of a batch.
func rowsOf(b *cdf.Batch, from, n int) *cdf.Batch {
	if n == b.Rows {
		return b
	}
	part := *b
	part.Rows, part.Columns = n, make([]cdf.Column, len(b.Columns))
	for i, c := range b.Columns {
		c.Number, c.Int, c.Code = cut(c.Number, from, n), cut(c.Int, from, n), cut(c.Code, from, n)
		part.Columns[i] = c
	}
	return &part
}

// cut returns n values of a column, none where it has none of their sort.
func cut[T any](list []T, from, n int) []T {
	if len(list) == 0 {
		return nil
	}
	return list[from : from+n]
}
