package pipeline

import (
	"math"
	"runtime"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/gather"
)

// Where a shard of gathered rows costs the state, a recomputation lets go of the rows as
// a worker does that makes its last record a dead letter.
func TestRecomputedAsCondemned(t *testing.T) {
	rules := toyRules().Gathering(gather.Rule{Rows: 3})
	c := rules.NewRecomputer(simPartition, rules.limits, func() Decoder { return &toyDecoder{takes: func() {}} }, func() Outputs { return toyOutputs{} })
	var s *Recomputed
	for i, value := range []string{"1", "2", "3", strconv.Itoa(toyLoses), "1", "2", "5"} {
		var err error
		if s, err = c.Apply(s, &Record{Offset: int64(i), Time: 1e12, Key: []byte("k1"), Value: []byte(value)}); err != nil {
			t.Fatal(err)
		}
	}
	value, err := s.Value()
	if err != nil {
		t.Fatal(err)
	}
	h, err := ParseStored("k1", value)
	if err != nil {
		t.Fatal(err)
	}
	if told := h.Waiting.Tell(); told.Rows != 1 || told.Began.Offset != 6 || h.T != 1 || h.Ended.Offset != 2 || h.Offset != 6 {
		t.Errorf("%+v wait, %d shards, the last ended at %+v, the last record is %d", told, h.T, h.Ended, h.Offset)
	}
}

// What rows that wait say they take bounds the cache: it is held against the heap. No
// test runs beside it.
func TestWaitingRowsAreCounted(t *testing.T) {
	const keys, rows = 300, 120
	heap := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	uses := []cdf.Input{{Name: "x"}, {Name: "n", Category: true}, {Name: "g", Category: true}}
	for name, label := range map[string]func(i int) string{
		"few labels": func(i int) string { return "group " + strconv.Itoa(i%3) }, "many labels": func(i int) string { return "a group of its own " + strconv.Itoa(i) },
	} {
		before, all, said := heap(), make([]*gather.Rows, keys), int64(0)
		for k := range all {
			all[k] = gather.New(gather.Mark{}, uses)
			for i := range rows {
				all[k].Add(&cdf.Batch{Rows: 1, Columns: []cdf.Column{
					{Name: "x", Number: []float64{1}}, {Name: "n", Type: cdf.Integer, Number: []float64{1}, Int: []int64{1}},
					{Name: "g", Type: cdf.Text, Code: []int32{0}, Levels: []string{label(i)}},
				}})
			}
			said += all[k].Size()
		}
		held := heap() - before
		runtime.KeepAlive(all)
		s := &keyState{model: &opened{filter: new(cdf.Filter)}}
		empty := s.size("k")
		if s.model.env.Waiting = all[0]; s.size("k")-empty != all[0].Size() {
			t.Errorf("of %d bytes a key counts %d", all[0].Size(), s.size("k")-empty)
		}
		if ratio := float64(said) / held; math.Abs(ratio-1) > .25 {
			t.Errorf("%s: %.0f bytes a key, and it says %d: %.2f of it", name, held/keys, said/keys, ratio)
		}
	}
}
