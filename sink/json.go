package sink

import (
	"strconv"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
)

var _ Form = JSON{}

// JSON writes posteriors and predictions as one JSON object each, without line
// breaks. It has no state.
type JSON struct{}

// ContentType implements pipeline.Encoder.
func (JSON) ContentType() string { return "application/json" }

// Append implements pipeline.Encoder. Numbers that are not defined are null.
// A posterior beyond limit bytes loses first its covariance, then variables
// from the end; a limit of 0 is none.
func (JSON) Append(dst []byte, p *pipeline.Posterior, limit int) ([]byte, error) {
	start, rows := len(dst), p.Summary.Rows
	dst, fits := appendItems(appendHead(dst, p), start, limit, len(rows), p.Gaps,
		func(dst []byte, i int) []byte { return appendRow(dst, &rows[i], i) })
	if fits < len(rows) {
		return appendTail(dst, nil, len(rows)-fits, p.Gaps), nil
	}
	from := len(dst)
	dst = appendTail(dst, p.Summary.Covariance, 0, p.Gaps)
	if limit > 0 && len(dst)-start > limit {
		dst = appendTail(dst[:from], nil, 0, p.Gaps)
	}
	return dst, nil
}

// appendItems appends n items, or those that fit when with the tail all would
// exceed limit bytes from start on, and returns how many there are.
func appendItems(dst []byte, start, limit, n, gaps int, item func([]byte, int) []byte) ([]byte, int) {
	fits, end := 0, len(dst) // those that can be kept if some are not
	for i := range n {
		dst = item(dst, i)
		if limit <= 0 || len(dst)-start+tailSize(n-i-1, gaps) <= limit {
			fits, end = i+1, len(dst)
		} else if len(dst)-start > limit {
			break
		}
	}
	return dst[:end], fits
}

// AppendJSON appends the JSON form of a posterior that lost omitted variables
// before it was read back: what JSON would have written in its place.
func AppendJSON(dst []byte, p *pipeline.Posterior, omitted int) []byte {
	dst = appendHead(dst, p)
	for i := range p.Summary.Rows {
		dst = appendRow(dst, &p.Summary.Rows[i], i)
	}
	return appendTail(dst, p.Summary.Covariance, omitted, p.Gaps)
}

// appendHead appends everything before the variables.
func appendHead(dst []byte, p *pipeline.Posterior) []byte {
	s := p.Summary
	dst = appendModel(dst, p.Key, p.Kind, p.Variant, s.T)
	dst = appendCount(dst, `,"n":`, s.N)
	dst = appendCount(dst, `,"draws":`, int64(s.Draws))
	dst = appendSource(dst, p.Config, p.Source, p.Offset, p.Time)
	dst = appendNumber(dst, `,"n_eff":`, s.NEff)
	dst = append(dst, `,"scaling":`...)
	if p.Settled && len(s.Scaling) == 0 {
		dst = append(dst, "null"...) // an Arrow message need not have it
	} else {
		dst = jsontext.AppendScaling(dst, s.Scaling)
	}
	dst = jsontext.AppendStrings(append(dst, `,"prior_dominated":`...), s.PriorDominated)
	if len(s.WeakMixing) > 0 {
		dst = jsontext.AppendStrings(append(dst, `,"weak_mixing":`...), s.WeakMixing)
	}
	if len(s.Flags) > 0 {
		dst = jsontext.AppendStrings(append(dst, `,"flags":`...), s.Flags)
	}
	if o := s.Outliers; o.Rows > 0 {
		dst = appendCount(dst, `,"outliers":{"rows":`, o.Rows)
		dst = appendCount(dst, `,"t":`, o.T)
		dst = append(appendCount(dst, `,"offset":`, p.Outlier), '}')
	}
	if len(s.Drops) > 0 {
		dst = jsontext.AppendDrops(append(dst, `,"dropped":`...), s.Drops)
	}
	if w := p.Waiting; w.Rows > 0 {
		dst = appendCount(dst, `,"waiting":{"rows":`, int64(w.Rows))
		dst = appendCount(dst, `,"records":`, int64(w.Records))
		dst = appendCount(dst, `,"bytes":`, int64(w.Bytes))
		dst = appendCount(dst, `,"offset":`, w.Began.Offset)
		dst = append(jsontext.AppendTime(append(dst, `,"time":"`...), w.Began.Time), `"}`...)
	}
	dst = appendAnswers(dst, p)
	dst = appendCount(dst, `,"score":{"rows":`, s.Score.Rows)
	dst = appendCount(dst, `,"predicted_rows":`, s.Score.PredictedRows)
	dst = appendNumber(dst, `,"log_density":`, s.Score.LogDensity)
	dst = appendNumber(dst, `,"log_evidence":`, s.Score.LogEvidence)
	dst = appendNumber(dst, `,"rmse":`, s.Score.RMSE)
	dst = appendNumber(dst, `,"coverage95":`, s.Score.Coverage95)
	return append(dst, `},"posterior":[`...)
}

// appendModel begins the object.
func appendModel(dst []byte, key, kind, variant string, t int64) []byte {
	dst = appendText(dst, `{"key":`, key)
	dst = appendText(dst, `,"kind":`, kind)
	dst = appendText(dst, `,"variant":`, variant)
	return appendCount(dst, `,"t":`, t)
}

// appendSource appends what a message was made under and of which record.
func appendSource(dst []byte, config string, source pipeline.Partition, offset, time int64) []byte {
	dst = appendText(dst, `,"config":`, config)
	dst = appendText(dst, `,"source":{"topic":`, source.Topic)
	dst = appendCount(dst, `,"partition":`, int64(source.ID))
	dst = appendCount(dst, `,"offset":`, offset)
	return append(jsontext.AppendTime(append(dst, `},"time":"`...), time), '"')
}

// appendRow appends variable i.
func appendRow(dst []byte, r *cdf.Row, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	dst = appendText(dst, `{"variable":`, r.Variable)
	for c, v := range r.Numbers() {
		dst = append(append(dst, `,"`...), cdf.RowColumns[c]...)
		dst = appendNumber(dst, `":`, *v)
	}
	return append(dst, '}')
}

// appendTail appends everything after the variables.
func appendTail(dst []byte, covariance []float64, omitted, gaps int) []byte {
	dst = append(dst, ']')
	if len(covariance) > 0 {
		dst = jsontext.AppendNumbers(append(dst, `,"covariance":`...), covariance)
	}
	if omitted > 0 {
		dst = appendCount(dst, `,"omitted":`, int64(omitted))
	}
	if gaps > 0 {
		dst = appendCount(dst, `,"gaps":`, int64(gaps))
	}
	return append(dst, '}')
}

// tailSize returns the length of the tail without a covariance.
func tailSize(omitted, gaps int) int {
	var b [96]byte
	return len(appendTail(b[:0], nil, omitted, gaps))
}

func appendText(dst []byte, key, v string) []byte {
	return jsontext.AppendString(append(dst, key...), v)
}

func appendCount(dst []byte, key string, v int64) []byte {
	return strconv.AppendInt(append(dst, key...), v, 10)
}

func appendNumber(dst []byte, key string, v float64) []byte {
	return jsontext.AppendNumber(append(dst, key...), v)
}
