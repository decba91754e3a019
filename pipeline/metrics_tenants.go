package pipeline

import "github.com/prometheus/client_golang/prometheus"

// tenantMetrics are those by prefix. Their labels are what is configured, and never a key.
type tenantMetrics struct {
	records, rows, dead, bytes *prometheus.CounterVec
	keys                       *prometheus.GaugeVec

	list []PrefixLimit
	each []tenantSeries // in the order of the list
}

// tenantSeries are those of one prefix.
type tenantSeries struct {
	records, rows, bytes prometheus.Counter
	dead                 map[Stage]prometheus.Counter
	keys                 prometheus.Gauge
}

// expect makes all series, at 0, unless they are there.
func (m *tenantMetrics) expect(list []PrefixLimit) {
	if m.each != nil {
		return
	}
	m.list = list
	for i := range list {
		prefix := list[i].Prefix
		s := tenantSeries{
			records: m.records.WithLabelValues(prefix), rows: m.rows.WithLabelValues(prefix), bytes: m.bytes.WithLabelValues(prefix),
			dead: map[Stage]prometheus.Counter{}, keys: m.keys.WithLabelValues(prefix),
		}
		for _, stage := range stages {
			s.dead[stage] = m.dead.WithLabelValues(prefix, string(stage))
		}
		m.each = append(m.each, s)
	}
}

// observe counts what became of a record.
func (m *tenantMetrics) observe(t *task) {
	if len(m.each) == 0 {
		return
	}
	at := -1
	if t.entry != nil {
		at = int(t.entry.limit) - 1
	} else if t.record != nil { // it has no valid key, or no model
		at = placeOf(m.list, string(t.record.Key))
	}
	if at < 0 {
		return
	}
	m.each[at].records.Inc()
	m.each[at].rows.Add(float64(t.result.Rows))
	if t.result.Dead != "" {
		m.each[at].dead[t.result.Dead].Inc()
	}
}

// wrote counts the states of a checkpoint.
func (m *tenantMetrics) wrote(changes []Change) {
	if len(m.each) == 0 {
		return
	}
	for i := range changes {
		if at := placeOf(m.list, changes[i].Key); at >= 0 {
			m.each[at].bytes.Add(float64(len(changes[i].Value)))
		}
	}
}

// counted puts what a partition has by now in the place of what it had, which is returned next
// time.
func (m *tenantMetrics) counted(was []int64, now []quota) []int64 {
	if was == nil {
		was = make([]int64, len(m.each))
	}
	for i := range m.each {
		n := int64(0)
		if i < len(now) {
			n = now[i].held
		}
		m.each[i].keys.Add(float64(n - was[i]))
		was[i] = n
	}
	return was
}
