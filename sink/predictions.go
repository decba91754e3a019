package sink

import (
	"github.com/credence-stream/credence/pipeline"
)

// AppendPredictions appends predictions as one JSON object without line
// breaks, with "t" the shards that the state had absorbed and one element of
// "predictions" per row. Numbers that are not defined are null. What exceeds
// limit bytes loses rows from the end, counted in "omitted"; a limit of 0 is
// none. The error is always nil.
func (JSON) AppendPredictions(dst []byte, p *pipeline.Predictions, limit int) ([]byte, error) {
	start := len(dst)
	dst = appendModel(dst, p.Key, p.Kind, p.Variant, p.T)
	dst = appendSource(dst, p.Config, p.Source, p.Offset, p.Time)
	dst, fits := appendItems(append(dst, `,"predictions":[`...), start, limit, len(p.Rows), 0,
		func(dst []byte, i int) []byte { return appendPrediction(dst, &p.Rows[i], i) })
	return appendTail(dst, nil, len(p.Rows)-fits, 0), nil
}

// appendPrediction appends the i-th of the predicted rows.
func appendPrediction(dst []byte, p *pipeline.RowPrediction, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	dst = appendCount(dst, `{"row":`, p.Row)
	dst = appendNumber(dst, `,"mean":`, p.Mean)
	dst = appendNumber(dst, `,"sd":`, p.SD)
	dst = appendNumber(dst, `,"q2.5":`, p.Q025)
	dst = appendNumber(dst, `,"q97.5":`, p.Q975)
	return append(dst, '}')
}
