package cdf_test

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

// TestTimesThatSayNothing: where rows age with time a record without one, or from a clock that
// was never set, neither makes all that came before vanish nor keeps the later ones from aging, and the
// posterior says so; after a restart, too.
func TestTimesThatSayNothing(t *testing.T) {
	const hour = 3_600_000
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	for _, c := range []struct {
		name    string
		times   []int64
		want    []float64 // discounts of .5 per hour
		ignored []bool
	}{
		{"a first record without a time", []int64{-1, now, now + hour}, []float64{1, 1, .5}, []bool{true, false, false}},
		{"none has a time", []int64{0, -1, 1, math.MinInt64}, []float64{1, 1, 1, 1}, []bool{true, true, true, true}},
		{"one without a time between", []int64{now, -1, now + hour}, []float64{1, 1, .5}, []bool{false, true, false}},
		{"microseconds once", []int64{now, 1000 * now, now + hour}, []float64{1, 1, .5}, []bool{false, true, false}},
		{"seconds once", []int64{now, now / 1000, now + hour}, []float64{1, 1, .5}, []bool{false, true, false}},
		{"the first is of 2099", []int64{now + 73*8766*hour, now, now + hour, now + 2*hour}, []float64{1, 1, 1, .5}, []bool{false, true, true, false}},
		{"seconds, mended later", []int64{now / 1000, now/1000 + 4, now, now + hour, now + 2*hour}, []float64{1, math.Pow(.5, 4./hour), 1, 1, .5}, []bool{false, false, true, true, false}},
		{"good ones and bad in turns", []int64{now, 5, now + hour, 6, now + 2*hour}, []float64{1, 1, .5, 1, .5}, []bool{false, true, false, true, false}},
		{"a long pause", []int64{now, now + 400*24*hour}, []float64{1, math.Pow(.5, 9600)}, []bool{false, false}},
		{"years ahead, and back", []int64{now, now + 30000*hour, now + hour, now + 30001*hour}, []float64{1, 1e-300, 1, .5}, []bool{false, false, true, false}},
		{"late by a little", []int64{now, now - 9*hour, now + hour}, []float64{1, 1, .5}, []bool{false, false, false}},
		{"late by what forgets all", []int64{now, now - 10*hour, now + hour}, []float64{1, 1, .5}, []bool{false, true, false}},
	} {
		spec, _, forget := recording(cdf.Roles{})
		spec.Forget, spec.ForgetPer = .5, cdf.Clock{Unit: "duration", Millis: hour}
		f := cdf.NewFilter(spec, "k")
		for i, at := range c.times {
			b := batch(num("y", 1))
			b.Time = at
			sum, err := f.Update(b)
			if err != nil {
				t.Fatal(c.name, err)
			}
			if got := slices.Contains(sum.Flags, "time_ignored"); got != c.ignored[i] {
				t.Errorf("%s: record %d: time_ignored is %v", c.name, i+1, got)
			}
			snap := state(t, f)
			if f = cdf.NewFilter(spec, "k"); f.UnmarshalBinary(snap) != nil || !bytes.Equal(state(t, f), snap) {
				t.Errorf("%s: record %d: the state does not come back", c.name, i+1)
			}
			if again, err := f.Summary(); err != nil || slices.Contains(again.Flags, "time_ignored") != c.ignored[i] {
				t.Errorf("%s: record %d: after a restart the flags are %v, %v", c.name, i+1, again, err)
			}
		}
		for i, want := range c.want {
			if got := (*forget)[i]; math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: record %d discounts by %g, want %g", c.name, i+1, got, want)
			}
		}
	}
	for _, unit := range []string{"shard", "row"} {
		spec, _, _ := recording(cdf.Roles{})
		spec.Forget, spec.ForgetPer = .5, cdf.Clock{Unit: unit}
		b := batch(num("y", 1))
		b.Time = -1
		if sum := take(t, cdf.NewFilter(spec, "k"), b); slices.Contains(sum.Flags, "time_ignored") {
			t.Errorf("rows age per %s, and the time is missed", unit)
		}
	}
}

// TestPausesBeforeTheFirstRows: of shards without a usable row their discounts are left, and of several pauses, each of
// which forgets all, the product is no 0: such a state could not be loaded.
func TestPausesBeforeTheFirstRows(t *testing.T) {
	const hour = 3_600_000
	spec := cdftest.Line()
	spec.Columns.Scaling, spec.Forget, spec.ForgetPer = "first", .5, cdf.Clock{Unit: "duration", Millis: hour}
	f := cdf.NewFilter(spec, "k")
	for i, y := range []float64{math.NaN(), math.NaN(), math.NaN(), 1, 2} {
		b := batch(num("x", float64(i)), num("y", y))
		b.Time = int64(1+i) * 60 * 24 * hour
		take(t, f, b)
		snap := state(t, f)
		if f = cdf.NewFilter(spec, "k"); f.UnmarshalBinary(snap) != nil || !bytes.Equal(state(t, f), snap) {
			t.Errorf("shard %d: the state does not come back: %v", i+1, f.UnmarshalBinary(snap))
		}
	}
}
