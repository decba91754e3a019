package sink

import (
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
)

// AppendPredictions appends predictions as one JSON object without line
// breaks, with "t" the shards that the state had absorbed and one element of
// "predictions" per row. Numbers that are not defined are null. What exceeds
// limit bytes loses rows from the end, counted in "omitted"; a limit of 0 is
// none. The error is always nil.
func (JSON) AppendPredictions(dst []byte, p *pipeline.Predictions, limit int) ([]byte, error) {
	start := len(dst)
	dst = append(dst, `{"key":`...)
	dst = jsontext.AppendString(dst, p.Key)
	dst = append(dst, `,"kind":`...)
	dst = jsontext.AppendString(dst, p.Kind)
	dst = append(dst, `,"variant":`...)
	dst = jsontext.AppendString(dst, p.Variant)
	dst = appendCount(dst, `,"t":`, p.T)
	dst = append(dst, `,"config":`...)
	dst = jsontext.AppendString(dst, p.Config)
	dst = append(dst, `,"source":{"topic":`...)
	dst = jsontext.AppendString(dst, p.Source.Topic)
	dst = appendCount(dst, `,"partition":`, int64(p.Source.ID))
	dst = appendCount(dst, `,"offset":`, p.Offset)
	dst = append(dst, `},"time":"`...)
	dst = jsontext.AppendTime(dst, p.Time)
	dst = append(dst, `","predictions":[`...)
	// fits is the number of rows that can be kept if some are not, and end
	// where the last of them ends.
	fits, end := 0, len(dst)
	for i := range p.Rows {
		dst = appendPrediction(dst, &p.Rows[i], i)
		if limit <= 0 {
			continue
		}
		if len(dst)-start+tailSize(len(p.Rows)-i-1, 0) <= limit {
			fits, end = i+1, len(dst)
		} else if len(dst)-start > limit {
			break
		}
	}
	if limit > 0 && fits < len(p.Rows) {
		return appendTail(dst[:end], nil, len(p.Rows)-fits, 0), nil
	}
	return appendTail(dst, nil, 0, 0), nil
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
