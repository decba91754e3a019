package arrow

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
)

// DecodePosterior reads what Encoder writes, and how many variables were left
// out of it. The time of a posterior is not in its bytes but in its message's
// timestamp: Time is 0. Nulls are NaN. pipeline.ErrDecode, wrapped, reports
// anything else.
func DecodePosterior(value []byte) (p *pipeline.Posterior, omitted int, err error) {
	// Columns that are one for want of numbers are laid out each by itself.
	size := 4 * max(len(value), 1<<16)
	b, err := NewDecoder(Limits{Record: size, Rows: size}).Decode(value)
	if errors.Is(err, errNoRows) {
		b, err = &cdf.Batch{}, nil // it may have lost all of its variables
	}
	if err != nil {
		return nil, 0, err
	}
	meta, ok := metadata(value)
	if !ok || meta["credence.key"] == "" {
		return nil, 0, damaged("not a posterior")
	}
	if f := meta["credence.format"]; f != "" && f != format {
		return nil, 0, damaged("posterior of format %.64q", f)
	}
	r := reader{meta: meta}
	s := &cdf.Summary{
		T:     r.count("credence.t"),
		N:     r.count("credence.n"),
		NEff:  r.number("credence.n_eff"),
		Draws: int(r.count("credence.draws")),
		Score: cdf.Score{
			Rows:          r.count("credence.score.rows"),
			PredictedRows: r.count("credence.score.predicted_rows"),
			LogDensity:    r.number("credence.score.log_density"),
			LogEvidence:   r.number("credence.score.log_evidence"),
			RMSE:          r.number("credence.score.rmse"),
			Coverage95:    r.number("credence.score.coverage95"),
		},
	}
	r.json("credence.scaling", (*jsontext.Scaling)(&s.Scaling))
	r.json("credence.prior_dominated", &s.PriorDominated)
	r.json("credence.weak_mixing", &s.WeakMixing)
	r.json("credence.flags", &s.Flags)
	var outlier int64
	if meta["credence.outliers.rows"] != "" {
		s.Outliers = cdf.Outliers{Rows: r.count("credence.outliers.rows"), T: r.count("credence.outliers.t")}
		outlier = r.count("credence.outliers.offset")
	}
	var drops []jsontext.Drop
	r.json("credence.dropped", &drops)
	s.Drops = jsontext.Drops(drops)
	var quantities jsontext.Quantities
	r.json("credence.quantities", &quantities)
	s.Quantities = quantities.Told()
	var alerts []string
	r.json("credence.alerts", &alerts)
	var covariance []jsontext.Number
	r.json("credence.covariance", &covariance)
	s.Covariance = jsontext.Floats(covariance)
	p = &pipeline.Posterior{
		Key:     meta["credence.key"],
		Kind:    meta["credence.kind"],
		Variant: meta["credence.variant"],
		Config:  meta["credence.config"],
		Source:  pipeline.Partition{Topic: meta["credence.topic"], ID: int32(r.count("credence.partition"))},
		Offset:  r.count("credence.offset"),
		Outlier: outlier,
		Summary: s,
		Alerts:  alerts,
	}
	_, scaled := meta["credence.scaling"]
	p.Settled = !scaled
	if meta["credence.gaps"] != "" {
		p.Gaps = int(r.count("credence.gaps"))
	}
	if meta["credence.omitted"] != "" {
		omitted = int(r.count("credence.omitted"))
	}
	if r.err != nil {
		return nil, 0, r.err
	}
	if s.Rows, err = variables(b); err != nil {
		return nil, 0, err
	}
	if s.Answers() > len(s.Rows) {
		s.Quantities = nil // some of their rows were left out
	}
	return p, omitted, nil
}

// variables returns the rows of a posterior's batch.
func variables(b *cdf.Batch) ([]cdf.Row, error) {
	if b.Rows == 0 {
		return nil, nil
	}
	if len(b.Columns) < 1+len(numberNames) || b.Columns[0].Name != "variable" || b.Columns[0].Type != cdf.Text {
		return nil, damaged("not a posterior")
	}
	for c, name := range numberNames {
		if b.Columns[c+1].Name != name || b.Columns[c+1].Type != cdf.Float {
			return nil, damaged("not a posterior")
		}
	}
	out := make([]cdf.Row, b.Rows)
	for i := range out {
		out[i].Variable, _ = b.Columns[0].Label(i)
		for c, v := range out[i].Numbers() {
			*v = b.Columns[c+1].Number[i]
		}
	}
	return out, nil
}

// metadata returns the custom metadata of the schema that b starts with.
func metadata(b []byte) (map[string]string, bool) {
	m, end, _, err := next(b)
	if err != nil || end || m.kind != headerSchema {
		return nil, false
	}
	f := m.meta
	items, at := f.vector(m.head, 2, 4)
	out, size := make(map[string]string), 0
	for i := range len(items) / 4 {
		t := f.item(at, i)
		key, _ := f.vector(t, 0, 1)
		text, _ := f.vector(t, 1, 1)
		// More text than the message has bytes is the same text many times.
		if size += len(key) + len(text); f.bad || size > len(b) {
			return nil, false
		}
		out[string(key)] = string(text)
	}
	return out, !f.bad
}

// reader reads metadata and keeps the first error.
type reader struct {
	meta map[string]string
	err  error
}

func (r *reader) fail(key string) {
	if r.err == nil {
		r.err = damaged("posterior metadata %s: %.64q", key, r.meta[key])
	}
}

func (r *reader) count(key string) int64 {
	v, err := strconv.ParseInt(r.meta[key], 10, 64)
	if err != nil {
		r.fail(key)
	}
	return v
}

func (r *reader) number(key string) float64 {
	if r.meta[key] == "" {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(r.meta[key], 64)
	if err != nil {
		r.fail(key)
	}
	return v
}

func (r *reader) json(key string, into any) {
	if r.meta[key] == "" {
		return
	}
	if err := json.Unmarshal([]byte(r.meta[key]), into); err != nil {
		r.fail(key)
	}
}
