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
	dst = appendHead(dst, p)
	from := len(dst)
	// fits is the number of variables that can be kept if some are not, and
	// end where the last of them ends.
	fits, end := 0, from
	for i := range rows {
		dst = appendRow(dst, &rows[i], i)
		if limit > 0 {
			if len(dst)-start+tailSize(len(rows)-i-1, p.Gaps) <= limit {
				fits, end = i+1, len(dst)
			} else if len(dst)-start > limit {
				break
			}
		}
	}
	if limit > 0 && fits < len(rows) {
		return appendTail(dst[:end], nil, len(rows)-fits, p.Gaps), nil
	}
	from = len(dst)
	dst = appendTail(dst, p.Summary.Covariance, 0, p.Gaps)
	if limit > 0 && len(dst)-start > limit {
		dst = appendTail(dst[:from], nil, 0, p.Gaps)
	}
	return dst, nil
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
	dst = append(dst, `{"key":`...)
	dst = jsontext.AppendString(dst, p.Key)
	dst = append(dst, `,"kind":`...)
	dst = jsontext.AppendString(dst, p.Kind)
	dst = append(dst, `,"variant":`...)
	dst = jsontext.AppendString(dst, p.Variant)
	dst = appendCount(dst, `,"t":`, s.T)
	dst = appendCount(dst, `,"n":`, s.N)
	dst = appendCount(dst, `,"draws":`, int64(s.Draws))
	dst = append(dst, `,"config":`...)
	dst = jsontext.AppendString(dst, p.Config)
	dst = append(dst, `,"source":{"topic":`...)
	dst = jsontext.AppendString(dst, p.Source.Topic)
	dst = appendCount(dst, `,"partition":`, int64(p.Source.ID))
	dst = appendCount(dst, `,"offset":`, p.Offset)
	dst = append(dst, `},"time":"`...)
	dst = jsontext.AppendTime(dst, p.Time)
	dst = appendNumber(dst, `","n_eff":`, s.NEff)
	dst = append(dst, `,"scaling":`...)
	dst = jsontext.AppendScaling(dst, s.Scaling)
	dst = append(dst, `,"prior_dominated":`...)
	dst = jsontext.AppendStrings(dst, s.PriorDominated)
	if len(s.WeakMixing) > 0 {
		dst = append(dst, `,"weak_mixing":`...)
		dst = jsontext.AppendStrings(dst, s.WeakMixing)
	}
	if len(s.Flags) > 0 {
		dst = append(dst, `,"flags":`...)
		dst = jsontext.AppendStrings(dst, s.Flags)
	}
	dst = appendCount(dst, `,"score":{"rows":`, s.Score.Rows)
	dst = appendCount(dst, `,"predicted_rows":`, s.Score.PredictedRows)
	dst = appendNumber(dst, `,"log_density":`, s.Score.LogDensity)
	dst = appendNumber(dst, `,"log_evidence":`, s.Score.LogEvidence)
	dst = appendNumber(dst, `,"rmse":`, s.Score.RMSE)
	dst = appendNumber(dst, `,"coverage95":`, s.Score.Coverage95)
	return append(dst, `},"posterior":[`...)
}

// appendRow appends variable i.
func appendRow(dst []byte, r *cdf.Row, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	dst = append(dst, `{"variable":`...)
	dst = jsontext.AppendString(dst, r.Variable)
	dst = appendNumber(dst, `,"mean":`, r.Mean)
	dst = appendNumber(dst, `,"sd":`, r.SD)
	dst = appendNumber(dst, `,"median":`, r.Median)
	dst = appendNumber(dst, `,"q2.5":`, r.Q025)
	dst = appendNumber(dst, `,"q5":`, r.Q05)
	dst = appendNumber(dst, `,"q25":`, r.Q25)
	dst = appendNumber(dst, `,"q75":`, r.Q75)
	dst = appendNumber(dst, `,"q95":`, r.Q95)
	dst = appendNumber(dst, `,"q97.5":`, r.Q975)
	dst = appendNumber(dst, `,"mcse_mean":`, r.MCSEMean)
	dst = appendNumber(dst, `,"ess_bulk":`, r.ESSBulk)
	dst = appendNumber(dst, `,"ess_tail":`, r.ESSTail)
	dst = appendNumber(dst, `,"r_hat":`, r.RHat)
	return append(dst, '}')
}

// The keys of what not every posterior has.
const (
	covarianceKey = `,"covariance":`
	omittedKey    = `,"omitted":`
	gapsKey       = `,"gaps":`
)

// appendTail appends everything after the variables.
func appendTail(dst []byte, covariance []float64, omitted, gaps int) []byte {
	dst = append(dst, ']')
	if len(covariance) > 0 {
		dst = append(dst, covarianceKey...)
		dst = jsontext.AppendNumbers(dst, covariance)
	}
	if omitted > 0 {
		dst = appendCount(dst, omittedKey, int64(omitted))
	}
	if gaps > 0 {
		dst = appendCount(dst, gapsKey, int64(gaps))
	}
	return append(dst, '}')
}

// tailSize returns the length of the tail without a covariance.
func tailSize(omitted, gaps int) int {
	var b [96]byte
	return len(appendTail(b[:0], nil, omitted, gaps))
}

func appendCount(dst []byte, key string, v int64) []byte {
	return strconv.AppendInt(append(dst, key...), v, 10)
}

func appendNumber(dst []byte, key string, v float64) []byte {
	return jsontext.AppendNumber(append(dst, key...), v)
}
