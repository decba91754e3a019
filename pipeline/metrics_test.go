package pipeline

import (
	"fmt"
	"math"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/cdf"
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
		{result: result{Kind: "a", Rows: 3, Seconds: 1, Published: true, Scored: 3, Density: -1, Coverage: .5}},
		{result: result{Kind: "a", Rows: 4, Seconds: 1, Dropped: 2, Drops: lost, Unheard: 1, Scored: 4, Density: math.NaN(), Coverage: .9}},
		{result: result{Dead: StageCheck}},
		{result: result{Kind: "b", Rows: 5, Seconds: 1, Published: true, MinESS: 20, MaxRHat: 1.5}},
		{result: result{Skipped: "applied"}},
		{result: result{}, entry: &entry{key: "gone"}}, // a tombstone
		{result: result{Kind: "a", Rows: 6, Seconds: 1, Published: true, Scored: 6, Density: -2, Coverage: .75}},
	}
	m.observe(Partition{"in", 3}, tasks)
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
	for name, want := range map[string]float64{
		"records_consumed_total 3 in": 7, "rows_absorbed_total a": 13, "rows_absorbed_total b": 5,
		"rows_dropped_total p a missing": 2, "summaries_published_total a": 2, "summaries_published_total b": 1,
		"update_duration_seconds a": 3, "update_duration_seconds b": 1, "score_log_density a": -2, "score_coverage95_ratio a": .75,
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
