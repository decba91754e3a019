package arrow

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
)

// AppendPredictions appends predictions as one Arrow IPC stream: columns row
// (int64), mean, sd, q2.5 and q97.5, of p.Expected also epred_sd, epred_q2.5 and
// epred_q97.5 (float64, null where undefined), one row per predicted row in their order, and what belongs to the whole in the
// schema's metadata; credence.t counts the shards that the state had absorbed.
// What exceeds limit bytes loses rows from the end, counted in
// credence.omitted; a limit of 0 is none.
func (e *Encoder) AppendPredictions(dst []byte, p *pipeline.Predictions, limit int) ([]byte, error) {
	columns := predictionColumns(p)
	start, kept := len(dst), len(p.Rows)
	for {
		b := cdf.Batch{Rows: kept, Columns: columns}
		out, err := appendStream(dst, &b, func(w *builder, from int) { w.predictions(from, p, len(p.Rows)-kept) })
		if err != nil {
			return dst, err
		}
		over := len(out) - start - limit
		if limit <= 0 || over <= 0 || kept == 0 {
			return out, nil
		}
		// A row takes less than 8 bytes a column and one more, so that no more go than must.
		kept -= min(kept, max(1, over/(8*len(columns)+1)))
		columns[0].Int = columns[0].Int[:kept]
		for c := range columns[1:] {
			columns[c+1].Number = columns[c+1].Number[:kept]
		}
		dst = out[:start]
	}
}

// predictionColumns lays rows out as columns.
func predictionColumns(of *pipeline.Predictions) []cdf.Column {
	rows := of.Rows
	columns := []cdf.Column{
		{Name: "row", Type: cdf.Integer, Int: make([]int64, len(rows))},
		{Name: "mean"}, {Name: "sd"}, {Name: "q2.5"}, {Name: "q97.5"},
		{Name: "epred_sd"}, {Name: "epred_q2.5"}, {Name: "epred_q97.5"},
	}
	if !of.Expected {
		columns = columns[:5]
	}
	numbers := columns[1:]
	room := make([]float64, len(numbers)*len(rows))
	for c := range numbers {
		numbers[c].Number = room[c*len(rows) : (c+1)*len(rows)]
	}
	for i := range rows {
		p := &rows[i]
		columns[0].Int[i] = p.Row
		told := [...]float64{p.Mean, p.SD, p.Q025, p.Q975, p.EpredSD, p.EpredQ025, p.EpredQ975}
		for c, v := range told[:len(numbers)] {
			if !jsontext.Defined(v) {
				v = math.NaN()
			}
			numbers[c].Number[i] = v
		}
	}
	return columns
}

// predictions writes the metadata of p; the offset to it lies at from.
func (w *builder) predictions(from int, p *pipeline.Predictions, omitted int) {
	m := w.pairs(from, 9)
	m.model(p.Key, p.Kind, p.Variant, p.T)
	m.source(p.Source, p.Offset, p.Config)
	if omitted > 0 {
		m.count(aboutOmitted, int64(omitted))
	}
	w.b = m.done()
}
