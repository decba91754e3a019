package run

import (
	"bytes"
	"os"
	"runtime/metrics"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/internal/offheap"
	"github.com/credence-stream/credence/pipeline"
)

// memoryParts tells what the memory of the process is made of: the parts add up to what is
// resident of it, which the system counts by itself.
type memoryParts struct {
	desc    *prometheus.Desc
	states  func() (states, inflight int64)
	history func() int64
	outside func() int64 // bytes beside what the runtime counts
}

// RegisterMetrics registers the metric that says what the memory of the process is made of, with
// what a worker and the page's history have of it, and that of the log's lines that were lost.
func RegisterMetrics(reg prometheus.Registerer, worker *pipeline.Metrics, history, lost func() int64) {
	reg.MustRegister(newMemoryParts(worker.Memory, history, offheap.Mapped), prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "credence_log_lines_lost_total",
		Help: "Lines of the log that stderr did not take.",
	}, func() float64 { return float64(lost()) }))
}

func newMemoryParts(states func() (states, inflight int64), history, outside func() int64) *memoryParts {
	return &memoryParts{prometheus.NewDesc("credence_memory_bytes", "Resident memory of the process, by what it is made of.", []string{"of"}, nil), states, history, outside}
}

// Describe implements prometheus.Collector.
func (m *memoryParts) Describe(to chan<- *prometheus.Desc) { to <- m.desc }

// Collect implements prometheus.Collector.
func (m *memoryParts) Collect(to chan<- prometheus.Metric) {
	for of, bytes := range m.parts() {
		to <- prometheus.MustNewConstMetric(m.desc, prometheus.GaugeValue, float64(bytes), of)
	}
}

// parts returns the bytes of each part.
func (m *memoryParts) parts() map[string]int64 {
	r := readRuntime()
	p := map[string]int64{"history": m.history(), "free": r.free + r.unused, "runtime": r.total - r.released - r.objects - r.free - r.unused}
	p["states"], p["inflight"] = m.states()
	p["other"] = max(0, r.objects+m.outside()-p["states"]-p["inflight"]-p["history"])
	if n, ok := programBytes("/proc/self/statm"); ok {
		p["program"] = n
	}
	return p
}

// runtimeMemory is what Go's runtime has mapped, see package runtime/metrics.
type runtimeMemory struct {
	total, released int64
	objects         int64 // live, and dead ones that are not swept
	free, unused    int64 // for the next objects
}

func readRuntime() (r runtimeMemory) {
	to := []*int64{&r.total, &r.released, &r.objects, &r.free, &r.unused}
	samples := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/unused:bytes"},
	}
	metrics.Read(samples)
	for i := range samples {
		*to[i] = int64(samples[i].Value.Uint64())
	}
	return r
}

// programBytes returns how much of the program's files is resident; false where the system
// has no such file.
func programBytes(statm string) (n int64, ok bool) {
	text, err := os.ReadFile(statm)
	fields := bytes.Fields(text)
	if err != nil || len(fields) < 3 {
		return 0, false
	}
	pages, err := strconv.ParseInt(string(fields[2]), 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}
