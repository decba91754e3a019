package pipeline

import (
	"maps"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/alert"
	"github.com/credence-stream/credence/pipeline/quota"
)

// Metrics are the numbers that a worker reports. No model key is ever a label.
type Metrics struct {
	consumed   *prometheus.CounterVec
	rows       *prometheus.CounterVec
	gathered   prometheus.Counter
	dropped    *prometheus.CounterVec
	dead       *prometheus.CounterVec
	faults     prometheus.Counter
	published  *prometheus.CounterVec
	flagged    *prometheus.CounterVec
	alerts     *prometheus.CounterVec
	skipped    *prometheus.CounterVec
	update     *prometheus.HistogramVec
	checkpoint prometheus.Histogram
	written    prometheus.Counter
	fenced     prometheus.Counter
	rollbacks  prometheus.Counter
	claims     prometheus.Counter
	cacheBytes prometheus.Gauge
	cached     atomic.Int64 // what cacheBytes says
	cacheKeys  prometheus.Gauge
	evictions  prometheus.Counter
	lag        *prometheus.GaugeVec
	eventLag   *prometheus.GaugeVec
	open       *prometheus.GaugeVec
	stalls     prometheus.Counter
	halted     *prometheus.GaugeVec
	logDensity *prometheus.GaugeVec
	coverage   *prometheus.GaugeVec
	minESS     *prometheus.GaugeVec
	maxRHat    *prometheus.GaugeVec
	tenants    *quota.Metrics
	registry   prometheus.Registerer

	mu     sync.Mutex
	budget *Budget // nil: there is no worker yet
	tally  Tally
	known  raised // of the flags that the tally counts
	lost   droppedRows
}

// Tally counts what became of the records that this process took. One that was
// taken again after a claim was given up counts again.
type Tally struct {
	Applied int64 // shards and tombstones
	Skipped int64 // applied before
	Dead    map[Stage]int64
	Rows    int64 // folded into a model
	Unheard int64 // rows without a response, which were predicted only
	Dropped int64 // rows left out of applied shards
	// Drops are these by column and reason. Of more than 200 pairs of both the others
	// have the column "__other__".
	Drops []cdf.Drop
	// Flagged counts, by flag, the keys whose newest shard raised it; FlaggedKeys those
	// with any. Of many flagged keys only the first 100,000 count.
	Flagged     map[string]int64
	FlaggedKeys int64
}

// Tally returns the counts so far.
func (m *Metrics) Tally() Tally {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tally
	t.Dead, t.Drops = maps.Clone(t.Dead), m.lost.list()
	t.Flagged, t.FlaggedKeys = m.known.count()
	return t
}

// NewMetrics registers the metrics of a worker.
func NewMetrics(reg prometheus.Registerer, version string) *Metrics {
	m := &Metrics{registry: reg, tally: Tally{Dead: map[Stage]int64{}}, lost: droppedRows{}}
	auto := promauto.With(reg)
	counter := func(name, help string) prometheus.Counter {
		return auto.NewCounter(prometheus.CounterOpts{Namespace: "credence", Name: name, Help: help})
	}
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Namespace: "credence", Name: name, Help: help}, labels)
	}
	gauge := func(name, help string) prometheus.Gauge {
		return auto.NewGauge(prometheus.GaugeOpts{Namespace: "credence", Name: name, Help: help})
	}
	gauges := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return auto.NewGaugeVec(prometheus.GaugeOpts{Namespace: "credence", Name: name, Help: help}, labels)
	}
	m.consumed = counters("records_consumed_total", "Input records given to a lane.", "topic", "partition")
	m.rows = counters("rows_absorbed_total", "Rows folded into a model.", "kind")
	m.dropped = counters("rows_dropped_total", "Rows left out of a shard, by the column that was to blame.", "kind", "column", "reason")
	m.gathered = counter("rows_gathered_total", "Rows that wait, or have waited, until their key has enough for a shard.")
	m.dead = counters("records_dead_lettered_total", "Records that could not be applied.", "stage")
	m.faults = counter("faults_total", "Panics of the program while it worked on a record: faults of Credence, not of the record.")
	m.published = counters("summaries_published_total", "Posterior summaries that the output topic has acknowledged.", "kind")
	m.flagged = counters("shards_flagged_total", "Shards after which the model raised a flag.", "kind", "flag")
	m.alerts = counters("alerts_total", "Alerts that rose and fell.", "alert", "event")
	m.skipped = counters("records_skipped_total", "Records skipped because they had been applied.", "reason")
	m.update = auto.NewHistogramVec(prometheus.HistogramOpts{Namespace: "credence", Name: "update_duration_seconds",
		Help: "Time to decode a shard, fold it into its model and encode the summary.", Buckets: prometheus.ExponentialBuckets(5e-6, 4, 12)}, []string{"kind"})
	m.checkpoint = auto.NewHistogram(prometheus.HistogramOpts{Namespace: "credence", Name: "checkpoint_duration_seconds",
		Help: "Time of one compare-and-set.", Buckets: prometheus.ExponentialBuckets(1e-4, 4, 10)})
	m.written = counter("checkpoint_bytes_total", "Bytes of state written to the store.")
	m.fenced = counter("checkpoint_fenced_total", "Claims given up because the store refused them.")
	m.rollbacks = counter("state_rollbacks_total", "Times that the store had lost acknowledged checkpoints.")
	m.claims = counter("claims_total", "Partitions claimed.")
	m.cacheBytes = gauge("cache_bytes", "Bytes of states in memory.")
	m.cacheKeys = gauge("cache_keys", "Keys in memory.")
	m.evictions = counter("cache_evictions_total", "Saved states evicted to keep memory within its bound.")
	m.lag = gauges("consumer_lag_records", "Records in the log that are not yet in an acknowledged checkpoint.", "topic", "partition")
	m.eventLag = gauges("event_time_lag_seconds", "Age of the newest applied record.", "topic", "partition")
	m.open = gauges("open_transaction_seconds", "How long an open transaction has kept records from being read, 0 without one.", "topic", "partition")
	m.stalls = counter("stalls_total", "Fetches cut off because nothing came back.")
	m.halted = gauges("partitions_halted", "Partitions that wait for an operator.", "reason")
	m.logDensity = gauges("score_log_density", "Mean log predictive density per row of the last scored shard.", "kind")
	m.coverage = gauges("score_coverage95_ratio", "Share of rows of the last scored shard inside their 95 % interval.", "kind")
	m.minESS = gauges("draws_min_ess", "Least effective sample size of the last summary with draws.", "kind")
	m.maxRHat = gauges("draws_max_r_hat", "Largest R-hat of the last summary with draws.", "kind")
	m.tenants = quota.NewMetrics(reg)
	info := gauges("build_info", "Always 1.", "version", "goversion")
	info.WithLabelValues(version, runtime.Version()).Set(1)
	return m
}

// Expect makes the series whose labels are known beforehand, at 0: of one that came with
// its first count nobody could tell that it grew. What is left to come later are labels
// that only data tell, and gauges of what has not happened yet.
func (m *Metrics) Expect(r *Rules) {
	for _, stage := range stages {
		m.dead.WithLabelValues(string(stage))
	}
	for _, reason := range [...]string{skippedApplied, skippedRepeat} {
		m.skipped.WithLabelValues(reason)
	}
	for _, reason := range haltReasons {
		m.halted.WithLabelValues(reason)
	}
	for i := range r.rules {
		m.expect(r.rules[i].Spec)
	}
	m.expectTenants(r)
}

// expectTenants makes the series of the tenants.
func (m *Metrics) expectTenants(r *Rules) {
	words := make([]string, len(stages))
	for i, stage := range stages {
		words[i] = string(stage)
	}
	m.tenants.Expect(r.tenants, words)
}

// expect makes the series of one configured model.
func (m *Metrics) expect(spec *cdf.Spec) {
	m.rows.WithLabelValues(spec.Kind)
	m.published.WithLabelValues(spec.Kind)
	m.update.WithLabelValues(spec.Kind)
	flags := cdf.Flags()
	if a, ok := spec.Settings.(Adviser); ok {
		flags = append(flags, a.Flags()...)
	}
	for _, flag := range flags {
		m.flagged.WithLabelValues(spec.Kind, flag)
	}
	for i := range spec.Publish.Alerts {
		for _, raised := range [...]bool{true, false} {
			m.alerts.WithLabelValues(spec.Publish.Alerts[i].Name, (&alert.Event{Raised: raised}).Word())
		}
	}
	columns, _ := spec.Columns.Named()
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range columns[:min(len(columns), mostDropped)] {
		at := m.lost.add(spec.Kind, &cdf.Drop{Column: columns[i].Name, Reason: cdf.DropMissing})
		m.dropped.WithLabelValues(at.kind, at.column, at.reason)
	}
}

// acknowledged counts the posteriors that were sent and are not among the rest.
func (m *Metrics) acknowledged(sent, rest []Output) {
	n := map[string]int{}
	for i := range sent {
		n[sent[i].Kind]++
	}
	for i := range rest {
		n[rest[i].Kind]--
	}
	delete(n, "") // other outputs
	for kind, posteriors := range n {
		m.published.WithLabelValues(kind).Add(float64(posteriors))
	}
}

// Memory returns the bytes of states and those of records and outputs that are in memory, as
// credence_cache_bytes and credence_inflight_bytes have them.
func (m *Metrics) Memory() (states, inflight int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.budget != nil {
		inflight = m.budget.Used()
	}
	return m.cached.Load(), inflight
}

// hold adds to what states take in memory.
func (m *Metrics) hold(bytes, keys int64) {
	m.cacheBytes.Set(float64(m.cached.Add(bytes)))
	m.cacheKeys.Add(float64(keys))
}

// watch reports the budget.
func (m *Metrics) watch(b *Budget) {
	m.mu.Lock()
	m.budget = b
	m.mu.Unlock()
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "credence", Name: "inflight_bytes", Help: "Bytes of records and outputs in memory.",
	}, func() float64 { return float64(b.Used()) }))
}

// observe counts what became of the records of one lane message.
func (m *Metrics) observe(p Partition, tasks []task) {
	m.consumed.WithLabelValues(p.Topic, strconv.Itoa(int(p.ID))).Add(float64(len(tasks)))
	m.mu.Lock()
	defer m.mu.Unlock()
	var of kindCounts // of applied shards in a row
	for i := range tasks {
		t := &tasks[i]
		refused := ""
		if t.result.Dead == StageLimit {
			refused = t.over.Limit
		}
		m.tenants.Observe(m.tenantOf(t), t.result.Rows, string(t.result.Dead), refused)
		if t.result.Fault != nil {
			m.faults.Inc()
		}
		switch r := &tasks[i].result; {
		case r.Dead != "":
			m.dead.WithLabelValues(string(r.Dead)).Inc()
			m.tally.Dead[r.Dead]++
		case r.Skipped != "":
			m.skipped.WithLabelValues(r.Skipped).Inc()
			m.tally.Skipped++
		case r.Waiting > 0:
			m.tally.Applied++
			m.gathered.Add(float64(r.Waiting))
		default:
			m.tally.Applied++
			m.known.note(&tasks[i])
			for k := range r.Alerts {
				m.alerts.WithLabelValues(r.Alerts[k].Name, r.Alerts[k].Word()).Inc()
			}
			if r.Kind == "" {
				continue
			}
			m.tally.Rows += r.Rows
			m.tally.Unheard += r.Unheard
			m.tally.Dropped += r.Dropped
			for k := range r.Drops {
				at := m.lost.add(r.Kind, &r.Drops[k])
				m.dropped.WithLabelValues(at.kind, at.column, at.reason).Add(float64(r.Drops[k].Rows))
			}
			if r.Kind != of.kind {
				m.count(&of)
				of = kindCounts{kind: r.Kind, update: m.update.WithLabelValues(r.Kind)}
			}
			of.add(r)
			for _, flag := range r.Flags {
				m.flagged.WithLabelValues(r.Kind, flag).Inc()
			}
		}
	}
	m.count(&of)
}

// tenantOf returns the place of the tenant whose key a record has, also where it has no model.
func (m *Metrics) tenantOf(t *task) int {
	switch {
	case t.entry != nil:
		return int(t.entry.tenant.Place) - 1
	case t.record != nil:
		return m.tenants.Place(t.record.Key)
	}
	return -1
}

// kindCounts are what shards of one kind add to the metrics. Finding the metrics of
// a kind takes longer than adding to them.
type kindCounts struct {
	kind          string // "": there were no shards
	update        prometheus.Observer
	rows          int64
	scored, drawn *result // the last of which there is a score, or diagnostics
}

func (k *kindCounts) add(r *result) {
	k.update.Observe(r.Seconds)
	k.rows += r.Rows
	if r.Scored > 0 && !math.IsNaN(r.Density) {
		k.scored = r
	}
	if r.MinESS > 0 {
		k.drawn = r
	}
}

// count adds them. A gauge that nothing is told of is not there.
func (m *Metrics) count(k *kindCounts) {
	if k.kind == "" {
		return
	}
	m.rows.WithLabelValues(k.kind).Add(float64(k.rows))
	if k.scored != nil {
		m.logDensity.WithLabelValues(k.kind).Set(k.scored.Density)
		m.coverage.WithLabelValues(k.kind).Set(k.scored.Coverage)
	}
	if k.drawn != nil {
		m.minESS.WithLabelValues(k.kind).Set(k.drawn.MinESS)
		m.maxRHat.WithLabelValues(k.kind).Set(k.drawn.MaxRHat)
	}
}

const (
	// mostDropped bounds what a process tells apart of dropped rows, for a label of a
	// metric may not have as many values as data have columns.
	mostDropped = 200
	// otherColumns is the column of what is beyond.
	otherColumns = "__other__"
)

// lost is what rows of a kind of model were dropped for.
type lost struct{ kind, column, reason string }

// droppedRows counts rows by what they were dropped for.
type droppedRows map[lost]int64

// add counts the rows of a shard and returns where they were counted.
func (d droppedRows) add(kind string, drop *cdf.Drop) lost {
	at := lost{kind, strings.ToValidUTF8(drop.Column, "\ufffd"), drop.Reason}
	if _, known := d[at]; !known && len(d) >= mostDropped {
		at.column = otherColumns
	}
	d[at] += drop.Rows
	return at
}

// list returns the counts of all kinds, in the order of columns and reasons.
func (d droppedRows) list() (sum []cdf.Drop) {
	for at, rows := range d {
		if rows == 0 {
			continue // expected only
		}
		sum = cdf.AddDrops(sum, []cdf.Drop{{Column: at.column, Reason: at.reason, Rows: rows}})
	}
	return sum
}
