package arrow

import (
	"unsafe"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// ContentType is the media type of an Arrow IPC stream.
const ContentType = "application/vnd.apache.arrow.stream"

// numberNames are the columns of a posterior after `variable`.
var numberNames = cdf.RowColumns

// numbers returns the values of those columns, which lie one after the other in a
// row.
func numbers(r *cdf.Row) *[len(numberNames)]float64 {
	return (*[len(numberNames)]float64)(unsafe.Pointer(&r.Mean))
}

// posteriorBuffers is the number of buffers of a posterior's record batch.
const posteriorBuffers = 3 + 2*len(numberNames)

var _ pipeline.Encoder = (*Encoder)(nil)

// Encoder writes posteriors and predictions as Arrow IPC streams: one record
// batch, one row per variable or predicted row, what belongs to the whole in
// the schema's metadata. It may be used by several goroutines.
type Encoder struct {
	fields   []byte // the schema message up to its metadata
	metadata int    // where in it the offset to the metadata lies
	batch    []byte // the metadata of a record batch without rows
	at       places // in it
	sheets   sheets
}

// NewEncoder returns an encoder.
func NewEncoder() *Encoder {
	fields := []written{{name: "variable", typ: cdf.Text, dict: -1}}
	for _, name := range numberNames {
		fields = append(fields, written{name: name, typ: cdf.Float, nullable: true, dict: -1})
	}
	var schema, batch builder
	e := &Encoder{metadata: schema.schema(fields, true), at: batch.batch(0, 1+len(numberNames), posteriorBuffers, -1)}
	e.fields, e.batch = schema.b, batch.b
	return e
}

// ContentType implements pipeline.Encoder.
func (e *Encoder) ContentType() string { return ContentType }

// Append implements pipeline.Encoder. Numbers that are not defined are null,
// or absent from the metadata. A posterior beyond limit bytes loses first its
// covariance, then variables from the end; a limit of 0 is none.
func (e *Encoder) Append(dst []byte, p *pipeline.Posterior, limit int) ([]byte, error) {
	start, rows := len(dst), p.Summary.Rows
	whole := e.schema(dst, p, extras{covariance: p.Summary.Covariance, gaps: p.Gaps})
	if limit > 0 && e.fit(rows, limit-(len(whole)-start)) < len(rows) {
		whole = e.schema(whole[:start], p, extras{gaps: p.Gaps})
		if n := e.fit(rows, limit-(len(whole)-start)); n < len(rows) {
			// The count of omitted variables takes room, too.
			whole = e.schema(whole[:start], p, extras{omitted: len(rows), gaps: p.Gaps})
			n = e.fit(rows, limit-(len(whole)-start))
			whole = e.schema(whole[:start], p, extras{omitted: len(rows) - n, gaps: p.Gaps})
			rows = rows[:n]
		}
	}
	w := builder{b: whole}
	e.rows(&w, rows)
	w.finish()
	return w.b, nil
}

// schema appends the schema message of p.
func (e *Encoder) schema(dst []byte, p *pipeline.Posterior, x extras) []byte {
	w := builder{b: append(dst, e.fields...), base: len(dst) + 8}
	w.posterior(len(dst)+e.metadata, p, x)
	w.end()
	return w.b
}
