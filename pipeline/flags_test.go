package pipeline_test

import (
	"bytes"
	"log/slog"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// doubtful is a model that always raises two flags.
type doubtful struct{ cdf.Model }

func (doubtful) AppendFlags(dst []string) []string { return append(dst, "odd", "other", "scale_moved") }

func (d doubtful) Summarize(list []cdf.Functional, rows []cdf.Row) error {
	return d.Model.(cdf.Summarizer).Summarize(list, rows)
}

func (d doubtful) PriorSD(list []cdf.Functional, dst []float64) {
	d.Model.(cdf.Summarizer).PriorSD(list, dst)
}

// wise is settings that know what to do about one of them, and of the engine's.
type wise struct{}

func (wise) Flags() []string { return []string{"odd"} }

func (wise) Advise(flag string) string {
	switch flag {
	case "odd":
		return "look away"
	case "scale_moved":
		return "look closer"
	}
	return ""
}

// A flag is logged once per key, however many shards raise it, with what to
// do about it where the settings or the engine know.
func TestFlagsAreLoggedOncePerKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec := func(settings any, raise bool) *cdf.Spec {
			s := cdftest.Line()
			s.Settings = settings
			if build := s.New; raise {
				s.New = func(d cdf.Dims) (cdf.Model, error) {
					m, err := build(d)
					return doubtful{m}, err
				}
			}
			return s
		}
		rules := pipelinetest.RulesOf(t, pipeline.Rule{Match: "k*", Spec: spec(wise{}, true)},
			pipeline.Rule{Match: "plain", Spec: spec(struct{}{}, true)}, pipeline.Rule{Match: "quiet", Spec: spec(wise{}, false)})
		var log []pipeline.Record
		for i := range 40 {
			key := []string{"k1", "k2", "plain", "quiet"}[i%4]
			log = append(log, pipeline.Record{Offset: int64(i), Time: 1e12, Key: []byte(key), Value: simRows(50, 1, 53, float64(i))})
		}
		var text bytes.Buffer
		b := pipelinetest.StartLogging(t, &pipelinetest.Kafka{Log: log}, storetest.NewMemory(), rules, slog.NewTextHandler(&text, nil))
		b.CatchUp(t)
		b.Stop(t)
		for line, want := range map[string]int{
			`msg="model raises a flag" topic=in partition=0 key=k1 kind=line flag=odd advice="look away"` + "\n": 1,
			`msg="model raises a flag" topic=in partition=0 key=k2 kind=line flag=odd advice="look away"` + "\n": 1,
			`msg="model raises a flag" topic=in partition=0 key=k1 kind=line flag=other` + "\n":                  1,
			`msg="model raises a flag" topic=in partition=0 key=plain kind=line flag=odd` + "\n":                 1,
			`key=k1 kind=line flag=scale_moved advice="look closer"` + "\n":                                      1,
			`key=plain kind=line flag=scale_moved advice="a column spreads more than 5 times`:                    1, // the engine's
			"raises a flag": 9, "quiet": 0,
		} {
			if n := strings.Count(text.String(), line); n != want {
				t.Errorf("%d lines with %q, want %d; the log is\n%s", n, line, want, text.String())
			}
		}
		// Three keys of ten shards each.
		if n := labelled(t, b.Reg, "credence_shards_flagged_total", map[string]string{"kind": "line", "flag": "odd"}); n != 30 {
			t.Errorf("%g shards are counted with the flag, want 30", n)
		}
	})
}

// The log says how many repeats were found, and what part of the rows they are.
func TestRepeatsAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := pipelinetest.RulesOf(t, pipeline.Rule{Match: "k", Spec: cdftest.Line()})
		var log []pipeline.Record
		for i := range int64(6) {
			numbers := make([]float64, 42)
			for k := range numbers {
				numbers[k] = math.Sin(float64(100*(i/2) + int64(k)))
			}
			numbers[0], numbers[1] = -1, 0
			log = append(log, pipeline.Record{Offset: i, Time: 1e12, Key: []byte("k"), Value: simRows(numbers...)})
		}
		var text bytes.Buffer
		b := pipelinetest.StartLogging(t, &pipelinetest.Kafka{Log: log}, storetest.NewMemory(), rules, slog.NewTextHandler(&text, nil))
		b.CatchUp(t)
		b.Stop(t)
		if line := `kind=line flag=repeated_shards found=1 part=0.5 advice="shards came again bit for bit`; strings.Count(text.String(), line) != 1 {
			t.Errorf("no line with %q; the log is\n%s", line, text.String())
		}
	})
}

// labelled is the counter with the given labels.
func labelled(t *testing.T, reg *prometheus.Registry, name string, labels map[string]string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			got := map[string]string{}
			for _, l := range m.GetLabel() {
				got[l.GetName()] = l.GetValue()
			}
			if f.GetName() == name && maps.Equal(got, labels) {
				return m.GetCounter().GetValue()
			}
		}
	}
	return 0
}

// A posterior names the record that had an outlier last, also after the key's
// state has been in the store.
func TestOutliersNameTheirRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := pipelinetest.RulesOf(t, pipeline.Rule{Match: "k", Spec: cdftest.Line()})
		var log []pipeline.Record
		for i := range int64(40) {
			value := simRows(-1, 0, 0, 1, 1, 2, 2, 3)
			if i == 20 {
				value = simRows(-1, 0, 9, 1)
			}
			log = append(log, pipeline.Record{Offset: i, Time: 1e12, Key: []byte("k"), Value: value})
		}
		k, store := &pipelinetest.Kafka{Log: log[:30:30]}, storetest.NewMemory()
		for _, n := range []int{30, 40} {
			k.Set(func(k *pipelinetest.Kafka) { k.Log = log[:n:n] })
			b := pipelinetest.StartWith(t, k, store, rules)
			b.CatchUp(t)
			b.Stop(t)
		}
		in := pipeline.Partition{Topic: "in"}
		value, err := store.Get(t.Context(), in, "k")
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := rules.Restore(in, "k", value)
		if err != nil || p.Summary.T != 40 || p.Summary.Outliers != (cdf.Outliers{Rows: 1, T: 21}) || p.Outlier != 20 {
			t.Errorf("restored %+v of %+v, %v", p.Summary.Outliers, p, err)
		}
		for _, o := range k.Sent {
			told := bytes.Contains(o.Value, []byte(" outliers=1 t=21 offset=20 "))
			if o.Topic == "out" && told != (o.Offset >= 20) {
				t.Errorf("offset %d: %s", o.Offset, o.Value)
			}
		}
	})
}

// Where predicted probabilities do not come true because of a curve the log names its column.
func TestCurvedColumnIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 81))
		var log []pipeline.Record
		for i := range 40 {
			var rows []float64
			for range 30 {
				x := r.NormFloat64()
				y := math.Abs(r.NormFloat64() / math.Sqrt2) // half of the variance, and above the line where x is far out
				if above := r.Float64() < .8; above != (x*x > .45) {
					y = -y
				}
				rows = append(rows, x/math.Sqrt2+y, x)
			}
			log = append(log, pipeline.Record{Offset: int64(i), Time: 1e12, Key: []byte("k"), Value: simRows(rows...)})
		}
		var text bytes.Buffer
		rules := pipelinetest.RulesOf(t, pipeline.Rule{Match: "k", Spec: cdftest.ClassedLine()})
		b := pipelinetest.StartLogging(t, &pipelinetest.Kafka{Log: log}, storetest.NewMemory(), rules, slog.NewTextHandler(&text, nil))
		b.CatchUp(t)
		b.Stop(t)
		if !strings.Contains(text.String(), "flag=miscalibrated curved=x advice=") {
			t.Errorf("the log is\n%s", text.String())
		}
	})
}
