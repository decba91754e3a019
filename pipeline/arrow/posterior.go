package arrow

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
)

// ContentType is the media type of an Arrow IPC stream.
const ContentType = "application/vnd.apache.arrow.stream"

// numberNames are the columns of a posterior after `variable`.
var numberNames = cdf.RowColumns

// numbers returns the values of those columns.
func numbers(r *cdf.Row) [len(numberNames)]float64 {
	return [...]float64{
		r.Mean, r.SD, r.Median, r.Q025, r.Q05, r.Q25, r.Q75, r.Q95, r.Q975,
		r.MCSEMean, r.ESSBulk, r.ESSTail, r.RHat,
	}
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
}

// NewEncoder returns an encoder.
func NewEncoder() *Encoder {
	fields := []written{{name: "variable", typ: cdf.Text, dict: -1}}
	for _, name := range numberNames {
		fields = append(fields, written{name: name, typ: cdf.Float, nullable: true, dict: -1})
	}
	var w builder
	metadata := w.schema(fields, true)
	return &Encoder{fields: w.b, metadata: metadata}
}

// ContentType implements pipeline.Encoder.
func (e *Encoder) ContentType() string { return ContentType }

// Append implements pipeline.Encoder. Numbers that are not defined are null,
// or absent from the metadata. A posterior beyond limit bytes loses first its
// covariance, then variables from the end; a limit of 0 is none.
func (e *Encoder) Append(dst []byte, p *pipeline.Posterior, limit int) ([]byte, error) {
	start, rows := len(dst), p.Summary.Rows
	whole := e.schema(dst, p, extras{covariance: p.Summary.Covariance, gaps: p.Gaps})
	if limit > 0 && fit(rows, limit-(len(whole)-start)) < len(rows) {
		whole = e.schema(whole[:start], p, extras{gaps: p.Gaps})
		if n := fit(rows, limit-(len(whole)-start)); n < len(rows) {
			// The count of omitted variables takes room, too.
			whole = e.schema(whole[:start], p, extras{omitted: len(rows), gaps: p.Gaps})
			n = fit(rows, limit-(len(whole)-start))
			whole = e.schema(whole[:start], p, extras{omitted: len(rows) - n, gaps: p.Gaps})
			rows = rows[:n]
		}
	}
	w := builder{b: whole}
	w.rows(rows)
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

// Bytes of a record batch message beyond its body, and of the end of stream.
var (
	batchBytes = func() int {
		var w builder
		w.batch(0, 1+len(numberNames), posteriorBuffers, -1)
		return len(w.b)
	}()
	endBytes = 8
)

// fit returns how many of the first rows can be written in limit bytes.
func fit(rows []cdf.Row, limit int) int {
	text, n := 0, 0
	var masked [len(numberNames)]bool
	for i := range rows {
		text += len(rows[i].Variable)
		size := batchBytes + endBytes + padded(4*(i+2)) + padded(text) + len(numberNames)*8*(i+1)
		for c, v := range numbers(&rows[i]) {
			masked[c] = masked[c] || !jsontext.Defined(v)
			if masked[c] {
				size += padded((i + 8) / 8)
			}
		}
		if size > limit {
			break
		}
		n = i + 1
	}
	return n
}

// padded returns n rounded up to a multiple of eight.
func padded(n int) int { return (n + 7) &^ 7 }

// rows writes the record batch.
func (w *builder) rows(rows []cdf.Row) {
	node, buffer, length := w.batch(len(rows), 1+len(numberNames), posteriorBuffers, -1)
	b := w.body(buffer)
	w.pair(node, 0, len(rows), 0)
	b.put(len(w.b))
	b.texts(len(rows), func(i int) string { return rows[i].Variable })
	var nulls, mask, data [len(numberNames)]int
	for i := range rows {
		for c, v := range numbers(&rows[i]) {
			if !jsontext.Defined(v) {
				nulls[c]++
			}
		}
	}
	for c := range numberNames {
		w.pair(node, c+1, len(rows), nulls[c])
		mask[c] = len(w.b)
		if nulls[c] > 0 {
			w.zero((len(rows) + 7) / 8)
		}
		b.put(mask[c])
		data[c] = len(w.b)
		w.zero(8 * len(rows))
		b.put(data[c])
	}
	for i := range rows {
		for c, v := range numbers(&rows[i]) {
			if !jsontext.Defined(v) {
				continue
			}
			le.PutUint64(w.b[data[c]+8*i:], math.Float64bits(v))
			if nulls[c] > 0 {
				w.b[mask[c]+i>>3] |= 1 << (i & 7)
			}
		}
	}
	b.done(length)
}

// extras are the parts of a posterior's metadata that not every one has.
type extras struct {
	covariance []float64
	omitted    int
	gaps       int
}

// posterior writes the metadata of p; the offset to it lies at from.
func (w *builder) posterior(from int, p *pipeline.Posterior, x extras) {
	s := p.Summary
	// Lists of trouble are there only where there is any: the bytes of other
	// posteriors stay what they were.
	trouble := []struct {
		key  string
		list []string
	}{{"credence.weak_mixing", s.WeakMixing}, {"credence.flags", s.Flags}}
	room := 22
	for _, t := range trouble {
		if len(t.list) > 0 {
			room++
		}
	}
	if s.Outliers.Rows > 0 {
		room += 3
	}
	m := w.pairs(from, room)
	number := func(key string, v float64) {
		if jsontext.Defined(v) {
			m.open(key)
			w.b = jsontext.AppendNumber(w.b, v)
			m.close()
		}
	}
	m.put("credence.key", p.Key)
	m.put("credence.kind", p.Kind)
	m.put("credence.variant", p.Variant)
	m.count("credence.t", s.T)
	m.count("credence.n", s.N)
	m.put("credence.topic", p.Source.Topic)
	m.count("credence.partition", int64(p.Source.ID))
	m.count("credence.offset", p.Offset)
	m.put("credence.config", p.Config)
	m.count("credence.draws", int64(s.Draws))
	number("credence.n_eff", s.NEff)
	m.open("credence.scaling")
	w.b = jsontext.AppendScaling(w.b, s.Scaling)
	m.close()
	m.texts("credence.prior_dominated", s.PriorDominated)
	for _, t := range trouble {
		if len(t.list) > 0 {
			m.texts(t.key, t.list)
		}
	}
	if o := s.Outliers; o.Rows > 0 {
		m.count("credence.outliers.rows", o.Rows)
		m.count("credence.outliers.t", o.T)
		m.count("credence.outliers.offset", p.Outlier)
	}
	m.count("credence.score.rows", s.Score.Rows)
	m.count("credence.score.predicted_rows", s.Score.PredictedRows)
	number("credence.score.log_density", s.Score.LogDensity)
	number("credence.score.log_evidence", s.Score.LogEvidence)
	number("credence.score.rmse", s.Score.RMSE)
	number("credence.score.coverage95", s.Score.Coverage95)
	if len(x.covariance) > 0 {
		m.open("credence.covariance")
		w.b = jsontext.AppendNumbers(w.b, x.covariance)
		m.close()
	}
	if x.omitted > 0 {
		m.count("credence.omitted", int64(x.omitted))
	}
	if x.gaps > 0 {
		m.count("credence.gaps", int64(x.gaps))
	}
	m.done()
}
