package arrow

import (
	"github.com/credence-stream/credence/internal/jsontext"
	"github.com/credence-stream/credence/pipeline"
)

// The metadata of posteriors, draws and predictions, in their order.
var (
	aboutFormat         = named("credence.format")
	aboutKey            = named("credence.key")
	aboutKind           = named("credence.kind")
	aboutVariant        = named("credence.variant")
	aboutT              = named("credence.t")
	aboutN              = named("credence.n")
	aboutTopic          = named("credence.topic")
	aboutPartition      = named("credence.partition")
	aboutOffset         = named("credence.offset")
	aboutConfig         = named("credence.config")
	aboutDraws          = named("credence.draws")
	aboutNEff           = named("credence.n_eff")
	aboutScaling        = named("credence.scaling")
	aboutPriorDominated = named("credence.prior_dominated")
	aboutWeakMixing     = named("credence.weak_mixing")
	aboutFlags          = named("credence.flags")
	aboutOutlierRows    = named("credence.outliers.rows")
	aboutOutlierT       = named("credence.outliers.t")
	aboutOutlierOffset  = named("credence.outliers.offset")
	aboutDropped        = named("credence.dropped")
	aboutWaitingRows    = named("credence.waiting.rows")
	aboutWaitingRecords = named("credence.waiting.records")
	aboutWaitingBytes   = named("credence.waiting.bytes")
	aboutWaitingOffset  = named("credence.waiting.offset")
	aboutWaitingTime    = named("credence.waiting.time")
	aboutQuantities     = named("credence.quantities")
	aboutAlerts         = named("credence.alerts")
	aboutRows           = named("credence.score.rows")
	aboutPredictedRows  = named("credence.score.predicted_rows")
	aboutLogDensity     = named("credence.score.log_density")
	aboutLogEvidence    = named("credence.score.log_evidence")
	aboutRMSE           = named("credence.score.rmse")
	aboutCoverage95     = named("credence.score.coverage95")
	aboutCovariance     = named("credence.covariance")
	aboutOmitted        = named("credence.omitted")
	aboutGaps           = named("credence.gaps")
)

// format is the version of the metadata: since 2 credence.scaling may be
// absent, see pipeline.Posterior. Messages of version 1 have no version.
const format = "2"

// extras are the parts of a posterior's metadata that not every one has.
type extras struct {
	covariance []float64
	omitted    int
	gaps       int
}

// aboutAlways is how many pairs every posterior has.
const aboutAlways = 14

// room returns how many pairs describe p.
func room(p *pipeline.Posterior, x extras) int {
	s, n := p.Summary, aboutAlways
	for _, there := range [...]bool{
		!p.Settled,
		jsontext.Defined(s.NEff), jsontext.Defined(s.Score.LogDensity), jsontext.Defined(s.Score.LogEvidence),
		jsontext.Defined(s.Score.RMSE), jsontext.Defined(s.Score.Coverage95),
		len(s.Drops) > 0, len(s.Quantities) > 0, len(p.Alerts) > 0,
		len(s.WeakMixing) > 0, len(s.Flags) > 0, len(x.covariance) > 0, x.omitted > 0, x.gaps > 0,
	} {
		if there {
			n++
		}
	}
	if s.Outliers.Rows > 0 {
		n += 3
	}
	if p.Waiting.Rows > 0 {
		n += 5
	}
	return n
}

// model writes whose state it is: that after t shards.
func (p *pairs) model(key, kind, variant string, t int64) {
	p.put(aboutKey, key)
	p.put(aboutKind, kind)
	p.put(aboutVariant, variant)
	p.count(aboutT, t)
}

// source writes which record it follows, under which configuration.
func (p *pairs) source(from pipeline.Partition, offset int64, config string) {
	p.put(aboutTopic, from.Topic)
	p.count(aboutPartition, int64(from.ID))
	p.count(aboutOffset, offset)
	p.put(aboutConfig, config)
}

// posterior writes the metadata of p; the offset to it lies at from.
func (w *builder) posterior(from int, p *pipeline.Posterior, x extras) {
	s := p.Summary
	m := w.pairs(from, room(p, x))
	m.put(aboutFormat, format)
	m.model(p.Key, p.Kind, p.Variant, s.T)
	m.count(aboutN, s.N)
	m.source(p.Source, p.Offset, p.Config)
	m.count(aboutDraws, int64(s.Draws))
	m.number(aboutNEff, s.NEff)
	if !p.Settled {
		m.open(aboutScaling)
		m.b = jsontext.AppendScaling(m.b, s.Scaling)
		m.close()
	}
	m.texts(aboutPriorDominated, s.PriorDominated)
	// Lists of trouble are there only where there is any.
	if len(s.WeakMixing) > 0 {
		m.texts(aboutWeakMixing, s.WeakMixing)
	}
	if len(s.Flags) > 0 {
		m.texts(aboutFlags, s.Flags)
	}
	if o := s.Outliers; o.Rows > 0 {
		m.count(aboutOutlierRows, o.Rows)
		m.count(aboutOutlierT, o.T)
		m.count(aboutOutlierOffset, p.Outlier)
	}
	if len(s.Drops) > 0 {
		m.open(aboutDropped)
		m.b = jsontext.AppendDrops(m.b, s.Drops)
		m.close()
	}
	if w := p.Waiting; w.Rows > 0 { // of what is read back; no message has them
		m.count(aboutWaitingRows, int64(w.Rows))
		m.count(aboutWaitingRecords, int64(w.Records))
		m.count(aboutWaitingBytes, int64(w.Bytes))
		m.count(aboutWaitingOffset, w.Began.Offset)
		m.count(aboutWaitingTime, w.Began.Time)
	}
	if len(s.Quantities) > 0 {
		m.open(aboutQuantities)
		m.b = jsontext.AppendQuantities(m.b, s.Quantities)
		m.close()
	}
	if len(p.Alerts) > 0 {
		m.texts(aboutAlerts, p.Alerts)
	}
	m.count(aboutRows, s.Score.Rows)
	m.count(aboutPredictedRows, s.Score.PredictedRows)
	m.number(aboutLogDensity, s.Score.LogDensity)
	m.number(aboutLogEvidence, s.Score.LogEvidence)
	m.number(aboutRMSE, s.Score.RMSE)
	m.number(aboutCoverage95, s.Score.Coverage95)
	if len(x.covariance) > 0 {
		m.open(aboutCovariance)
		m.b = jsontext.AppendNumbers(m.b, x.covariance)
		m.close()
	}
	if x.omitted > 0 {
		m.count(aboutOmitted, int64(x.omitted))
	}
	if x.gaps > 0 {
		m.count(aboutGaps, int64(x.gaps))
	}
	w.b = m.done()
}
