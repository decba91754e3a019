package pipeline

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/quantity"
)

// Of more columns than a label should have as values the rest are counted together.
func TestDroppedRowsAreBounded(t *testing.T) {
	d := droppedRows{}
	for i := range 3 * mostDropped {
		d.add("k", &cdf.Drop{Column: fmt.Sprintf("x%03d", i), Reason: cdf.DropMissing, Rows: 1})
	}
	d.add("k", &cdf.Drop{Column: "x000", Reason: cdf.DropMissing, Rows: 5})
	list := d.list()
	if len(list) != mostDropped+1 || list[0].Rows != 2*mostDropped || list[1].Rows != 6 || list[0].Column != otherColumns {
		t.Errorf("%d counts, %v", len(list), list[:2])
	}
}

// TestMetricsOfAMessage: shards of several kinds are counted with their own kind,
// and of the gauges the last that is defined stays.
func TestMetricsOfAMessage(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := NewMetrics(reg, "")
	lost := []cdf.Drop{{Column: "p", Reason: cdf.DropMissing, Rows: 2}}
	tasks := []task{
		{result: result{Kind: "a", Rows: 3, Seconds: 1, Scored: 3, Density: -1, Coverage: .5}},
		{result: result{Kind: "a", Rows: 4, Seconds: 1, Dropped: 2, Drops: lost, Unheard: 1, Scored: 4, Density: math.NaN(), Coverage: .9}},
		{result: result{Dead: StageCheck}},
		{result: result{Kind: "b", Rows: 5, Seconds: 1, MinESS: 20, MaxRHat: 1.5}},
		{result: result{Skipped: "applied"}},
		{result: result{}, entry: &entry{key: "gone"}}, // a tombstone
		{result: result{Kind: "a", Rows: 6, Seconds: 1, Scored: 6, Density: -2, Coverage: .75}},
	}
	m.observe(Partition{"in", 3}, tasks)
	got := values(t, reg)
	for name, want := range map[string]float64{
		"records_consumed_total 3 in": 7, "rows_absorbed_total a": 13, "rows_absorbed_total b": 5,
		"rows_dropped_total p a missing": 2,
		"update_duration_seconds a":      3, "update_duration_seconds b": 1, "score_log_density a": -2, "score_coverage95_ratio a": .75,
		"draws_min_ess b": 20, "draws_max_r_hat b": 1.5, "records_dead_lettered_total check": 1, "records_skipped_total applied": 1,
	} {
		if v, ok := got["credence_"+name]; !ok || v != want {
			t.Errorf("%s is %g, want %g", name, v, want)
		}
	}
	for _, name := range []string{"score_log_density b", "draws_min_ess a", "rows_dropped_total p b missing"} {
		if _, ok := got["credence_"+name]; ok {
			t.Errorf("%s, of which nothing was said, is there", name)
		}
	}
	if tally := m.Tally(); fmt.Sprint(tally) != fmt.Sprint(Tally{Applied: 5, Skipped: 1, Dead: map[Stage]int64{StageCheck: 1}, Rows: 18, Unheard: 1, Dropped: 2, Drops: lost, Flagged: map[string]int64{}}) {
		t.Errorf("tally %+v", tally)
	}
}

// values returns what a registry has, each series by its name and the values of its
// labels; of a histogram the number of observations.
func values(t *testing.T, reg *prometheus.Registry) map[string]float64 {
	t.Helper()
	all, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range all {
		for _, x := range family.GetMetric() {
			name := family.GetName()
			for _, l := range x.GetLabel() {
				name += " " + l.GetValue()
			}
			got[name] = x.GetCounter().GetValue() + x.GetGauge().GetValue() + float64(x.GetHistogram().GetSampleCount())
		}
	}
	return got
}

// warning is settings whose model has a flag of its own.
type warning struct{}

func (warning) Advise(string) string { return "" }
func (warning) Flags() []string      { return []string{"own"} }

// TestSeriesAreThereFromTheStart: what is counted by labels that the configuration knows
// is there before anything was counted, at 0.
func TestSeriesAreThereFromTheStart(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := NewMetrics(reg, "")
	spec := cdf.NewSpec("line", "", warning{}, nil)
	spec.Publish.Alerts = []quantity.Alert{{Name: "late"}}
	spec.Columns.Response.Name = "delay"
	m.Expect(&Rules{rules: []Rule{{Match: "**", Spec: spec}}})
	got := values(t, reg)
	want := []string{
		"records_skipped_total applied", "records_skipped_total repeat", "rows_absorbed_total line", "summaries_published_total line",
		"update_duration_seconds line", "alerts_total late raised", "alerts_total late cleared", "rows_dropped_total delay line missing",
		"shards_flagged_total own line", "rows_gathered_total", "claims_total", "state_rollbacks_total", "checkpoint_fenced_total", "stalls_total",
	}
	for _, stage := range stages {
		want = append(want, "records_dead_lettered_total "+string(stage))
	}
	for _, reason := range haltReasons {
		want = append(want, "partitions_halted "+reason)
	}
	source := ""
	for _, name := range []string{"machine_claim.go", "machine_cut.go", "machine_intake.go", "identity.go"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source += string(b)
	}
	for _, m := range regexp.MustCompile(`(?:halt\(|halted, m.why = |return )"(\w+)",`).FindAllStringSubmatch(source, -1) {
		want = append(want, "partitions_halted "+m[1])
	}
	if len(want) < 14+len(stages)+2*len(haltReasons) {
		t.Errorf("the sources have fewer halts than are listed: %q", want)
	}
	for _, flag := range cdf.Flags() {
		want = append(want, "shards_flagged_total "+flag+" line")
	}
	for _, name := range want {
		if v, ok := got["credence_"+name]; !ok || v != 0 {
			t.Errorf("%s: %g, there is %v", name, v, ok)
		}
	}
	if tally := m.Tally(); len(tally.Drops) > 0 {
		t.Errorf("nothing was dropped, and the tally has %v", tally.Drops)
	}
}

// TestPublishedAreAcknowledged: a posterior counts once it is acknowledged, other
// outputs do not.
func TestPublishedAreAcknowledged(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := NewMetrics(reg, "")
	sent := []Output{{Kind: "a", Offset: 1}, {Offset: 1}, {Kind: "b", Offset: 2}, {Kind: "a", Offset: 3}}
	m.acknowledged(sent, sent[1:])
	m.acknowledged(sent[1:], sent[1:])
	if got := values(t, reg); got["credence_summaries_published_total a"] != 1 || got["credence_summaries_published_total b"] != 0 {
		t.Errorf("after one of three: %v", got)
	}
	m.acknowledged(sent[1:], nil)
	if got := values(t, reg); got["credence_summaries_published_total a"] != 2 || got["credence_summaries_published_total b"] != 1 {
		t.Errorf("after all: %v", got)
	}
}

// TestTallyOfFlags: a key counts with the flags of its newest shard, one that was deleted
// with none, and of too many keys the first count.
func TestTallyOfFlags(t *testing.T) {
	m := NewMetrics(prometheus.NewRegistry(), "")
	say := func(key string, kind string, flags ...string) {
		m.observe(Partition{"in", 0}, []task{{entry: &entry{key: key}, result: result{Kind: kind, Flags: flags}}})
	}
	want := func(keys int64, flags map[string]int64) {
		t.Helper()
		if got := m.Tally(); got.FlaggedKeys != keys || fmt.Sprint(got.Flagged) != fmt.Sprint(flags) {
			t.Errorf("%d keys have flags %v, want %d and %v", got.FlaggedKeys, got.Flagged, keys, flags)
		}
	}
	say("a", "k")
	want(0, map[string]int64{})
	say("a", "k", "x", "y")
	say("b", "k", "x")
	say("c", "k")
	want(2, map[string]int64{"x": 2, "y": 1})
	say("a", "k", "y")
	want(2, map[string]int64{"x": 1, "y": 1})
	say("b", "") // a tombstone
	want(1, map[string]int64{"y": 1})
	say("a", "k")
	want(0, map[string]int64{})
	for i := range mostRaised + 10 {
		say(fmt.Sprint(i), "k", "x")
	}
	want(mostRaised, map[string]int64{"x": mostRaised})
	say("0", "k", "y")
	want(mostRaised, map[string]int64{"x": mostRaised - 1, "y": 1})
}
