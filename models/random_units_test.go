package models

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
)

// inUnits returns the batch with the response, and columns of X that have a scale, times powers of 2.
func inUnits(b *cdf.Batch, y, x float64) *cdf.Batch {
	other := *b
	other.Columns = slices.Clone(b.Columns)
	for j := range other.Columns {
		c, unit := &other.Columns[j], x
		switch c.Name {
		case "y":
			unit = y
		case "x0", "x1", "huge":
		default:
			continue
		}
		c.Number = slices.Clone(c.Number)
		for i := range c.Number {
			c.Number[i] *= unit
		}
	}
	return &other
}

// scalable reports whether units have no meaning to the key: all columns are scaled by what they are in the first rows.
func scalable(spec *cdf.Spec) bool {
	c := &spec.Columns
	return c.Scaling == "first" && c.Formula == nil && c.Response.Center == nil &&
		!slices.ContainsFunc(c.Features, func(f cdf.Feature) bool { return f.Center != nil })
}

// constant reports whether all responses are one, which then have no scale.
func constant(b *cdf.Batch) bool {
	y := b.Columns[len(b.Columns)-1].Number
	return !slices.ContainsFunc(y, func(v float64) bool { return !math.IsNaN(v) && v != y[0] })
}

// followUnits takes keys through the same shards in two units, and returns where the model's own units, flags and lists differ.
func (r chance) followUnits(spec *cdf.Spec) (err error) {
	defer fault.Catch(&err)
	spec.Publish = cdf.Publish{Every: 1, Scale: "model", Groups: "all", Predictions: "none"}
	y, x, at := math.Ldexp(1, r.IntN(300)-150), math.Ldexp(1, r.IntN(200)-100), int64(0)
	if spec.RawResponse {
		y = 1
	}
	f, other := cdf.NewFilter(spec, "key"), cdf.NewFilter(spec, "key")
	for shard := range 1 + r.IntN(8) {
		b := r.shard(spec.Kind, &at)
		for shard == 0 && b.Rows < 20 || constant(b) {
			b = r.shard(spec.Kind, &at)
		}
		one, err := f.Update(b)
		two, failed := other.Update(inUnits(b, y, x))
		if (err == nil) != (failed == nil) {
			return fmt.Errorf("shard %d, y times %g, x times %g: %s", shard, y, x, fmt.Sprint(err, ", and ", failed))
		}
		if err != nil {
			continue
		}
		tells := func(s *cdf.Summary) string { return fmt.Sprint(s.Flags, s.PriorDominated) }
		if tells(one) != tells(two) {
			return fmt.Errorf("shard %d, y times %g, x times %g: %s, and %s", shard, y, x, tells(one), tells(two))
		}
		for i := range one.Rows {
			a, b := &one.Rows[i], &two.Rows[i]
			if fmt.Sprint(*a) != fmt.Sprint(*b) && !(math.Abs(a.Median-b.Median) <= 1e-9*(b.Q975-b.Q025) && math.Abs(a.Q975-b.Q975) <= 1e-9*(b.Q975-b.Q025)) {
				return fmt.Errorf("shard %d, y times %g, x times %g: %+v, and %+v", shard, y, x, *a, *b)
			}
		}
	}
	return nil
}

// TestUnitsDoNotMatter: no constant of the program is in anybody's units.
func TestUnitsDoNotMatter(t *testing.T) {
	n, followed := 400, 0
	if testing.Short() {
		n = 100
	}
	for seed := range n {
		r := newChance(uint64(seed), 36)
		spec, about, err := r.spec()
		if err != nil {
			t.Fatal(err)
		}
		if !scalable(spec) {
			continue
		}
		followed++
		if err := r.followUnits(spec); err != nil {
			t.Errorf("seed %d: %s\n\t%v", seed, about, err)
		}
	}
	if followed < n/5 {
		t.Errorf("%d of %d configurations were followed", followed, n)
	}
}
