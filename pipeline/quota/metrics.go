package quota

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Metrics are those by prefix. Their labels are what is configured, and never a key.
type Metrics struct {
	records, rows, dead, refused, bytes *prometheus.CounterVec
	keys, stored                        *prometheus.GaugeVec

	list []Limit
	each []series // in the order of the list
}

// series are those of one prefix.
type series struct {
	records, rows, bytes prometheus.Counter
	dead                 map[string]prometheus.Counter // by stage
	refused              map[string]prometheus.Counter // by kind of limit
	keys, stored         prometheus.Gauge
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	auto := promauto.With(reg)
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return auto.NewCounterVec(prometheus.CounterOpts{Namespace: "credence", Subsystem: "prefix", Name: name, Help: help}, labels)
	}
	return &Metrics{
		records: counters("records_total", "Input records of keys that begin with a prefix of limits.prefixes, given to a lane.", "prefix"),
		rows:    counters("rows_total", "Rows of these keys folded into a model.", "prefix"),
		dead:    counters("dead_letters_total", "Records of these keys that could not be applied.", "prefix", "stage"),
		refused: counters("refused_total", "Records of the prefix that a limit made dead letters.", "prefix", "limit"),
		bytes:   counters("state_written_bytes_total", "Bytes of these keys' states written to the store.", "prefix"),
		keys: auto.NewGaugeVec(prometheus.GaugeOpts{Namespace: "credence", Subsystem: "prefix", Name: "keys",
			Help: "Keys that have a state and begin with the prefix, in the partitions of this process."}, []string{"prefix"}),
		stored: auto.NewGaugeVec(prometheus.GaugeOpts{Namespace: "credence", Subsystem: "prefix", Name: "state_bytes",
			Help: "Bytes of these keys' states that the store has, in the partitions of this process."}, []string{"prefix"}),
	}
}

// Expect makes all series, at 0, unless they are there.
func (m *Metrics) Expect(list []Limit, stages []string) {
	if m.each != nil {
		return
	}
	m.list = list
	for i := range list {
		prefix := list[i].Prefix
		s := series{
			records: m.records.WithLabelValues(prefix), rows: m.rows.WithLabelValues(prefix), bytes: m.bytes.WithLabelValues(prefix),
			dead: map[string]prometheus.Counter{}, refused: map[string]prometheus.Counter{}, keys: m.keys.WithLabelValues(prefix), stored: m.stored.WithLabelValues(prefix),
		}
		for _, stage := range stages {
			s.dead[stage] = m.dead.WithLabelValues(prefix, stage)
		}
		for _, limit := range kinds {
			s.refused[limit] = m.refused.WithLabelValues(prefix, limit)
		}
		m.each = append(m.each, s)
	}
}

// Place returns the place of a key's tenant, -1 where it has none.
func (m *Metrics) Place(key []byte) int {
	if len(m.list) == 0 {
		return -1
	}
	return Place(m.list, string(key))
}

// Observe counts a record of the tenant at a place: the rows that were folded into a model, the
// stage at which it failed, "" if it did not, and the kind of limit that refused it.
func (m *Metrics) Observe(place int, rows int64, dead, limit string) {
	if place < 0 || place >= len(m.each) {
		return
	}
	s := &m.each[place]
	s.records.Inc()
	s.rows.Add(float64(rows))
	if dead != "" {
		s.dead[dead].Inc()
	}
	if limit != "" {
		s.refused[limit].Inc()
	}
}

// Wrote counts a state of a checkpoint.
func (m *Metrics) Wrote(key string, bytes int) {
	if at := Place(m.list, key); at >= 0 {
		m.each[at].bytes.Add(float64(bytes))
	}
}

// Counted puts what a partition has by now, none for nil, in the place of what it had: what was
// returned the last time.
func (m *Metrics) Counted(was []Sum, now []Account) []Sum {
	if was == nil {
		was = make([]Sum, len(m.each))
	}
	for i := range m.each {
		var n Sum
		if i < len(now) {
			n = Sum{now[i].Held, now[i].Bytes}
		}
		m.each[i].keys.Add(float64(n.Keys - was[i].Keys))
		m.each[i].stored.Add(float64(n.Bytes - was[i].Bytes))
		was[i] = n
	}
	return was
}
