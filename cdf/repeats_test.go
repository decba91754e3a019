package cdf_test

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

func flagged(sum *cdf.Summary) bool { return slices.Contains(sum.Flags, "repeated_shards") }

// ten returns shards of ten rows of a line.
func ten(seed uint64, n int) []*cdf.Batch {
	r := rand.New(rand.NewPCG(seed, 80))
	all := make([]*cdf.Batch, n)
	for i := range all {
		x, y := make([]float64, 10), make([]float64, 10)
		for k := range x {
			x[k], y[k] = r.NormFloat64(), r.NormFloat64()
		}
		all[i] = batch(num("x", x...), num("y", y...))
	}
	return all
}

// A shard is the same whatever was done to the state between: stored and loaded, taken back, refused others, while first rows are
// kept that are fed again with every shard, and after. Its clock is of no account.
func TestRepeatIsKnown(t *testing.T) {
	for _, first := range []int{1, 3, 7, 20} {
		f := cdf.NewFilter(cdftest.Line(), "k")
		all := ten(1, 30)
		for i, b := range all[:first] {
			if sum := take(t, f, b); flagged(sum) {
				t.Fatalf("shard %d: %q", i+1, sum.Flags)
			}
			if i%2 == 0 {
				take(t, f, all[i+5])
				if err := f.Revert(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := f.Update(batch(num("x", 1, 2), num("y", math.Inf(1), 2))); err == nil {
				t.Fatal("an infinite response is taken")
			}
			f = loaded(t, cdf.NewFilter(cdftest.Line(), "k"), state(t, f))
		}
		again := *all[first-1]
		again.Time = 1e12
		if sum := take(t, f, &again); flagged(sum) != (first <= 19) {
			t.Errorf("the same after %d shards: %q", first, sum.Flags)
		}
	}
}

// Every row counts for what its shard is, its place, response and, of the first and the last, columns. Rows that are
// left out do not, nor does the order of the columns.
func TestWhatARepeatIs(t *testing.T) {
	shard := func() ([]float64, []float64) {
		b := ten(2, 1)[0]
		return slices.Clone(b.Columns[0].Number), slices.Clone(b.Columns[1].Number)
	}
	for name, c := range map[string]struct {
		change func(x, y []float64) *cdf.Batch
		same   bool
	}{
		"nothing":          {func(x, y []float64) *cdf.Batch { return batch(num("x", x...), num("y", y...)) }, true},
		"order of columns": {func(x, y []float64) *cdf.Batch { return batch(num("y", y...), num("x", x...)) }, true},
		"another column":   {func(x, y []float64) *cdf.Batch { return batch(num("x", x...), num("z", y...), num("y", y...)) }, true},
		"a row without x": {func(x, y []float64) *cdf.Batch {
			return batch(num("x", append(x, math.NaN())...), num("y", append(y, 3)...))
		}, true},
		"another response":  {func(x, y []float64) *cdf.Batch { y[5]++; return batch(num("x", x...), num("y", y...)) }, false},
		"another first row": {func(x, y []float64) *cdf.Batch { x[0]++; return batch(num("x", x...), num("y", y...)) }, false},
		"another last row":  {func(x, y []float64) *cdf.Batch { x[9]++; return batch(num("x", x...), num("y", y...)) }, false},
		"another order": {func(x, y []float64) *cdf.Batch {
			slices.Reverse(x)
			slices.Reverse(y)
			return batch(num("x", x...), num("y", y...))
		}, false},
		"two rows exchanged": {func(x, y []float64) *cdf.Batch { y[3], y[4] = y[4], y[3]; return batch(num("x", x...), num("y", y...)) }, false},
		"a row less":         {func(x, y []float64) *cdf.Batch { return batch(num("x", x[:9]...), num("y", y[:9]...)) }, false},
	} {
		f := cdf.NewFilter(cdftest.Line(), "k")
		x, y := shard()
		take(t, f, batch(num("x", x...), num("y", y...)))
		if sum := take(t, f, c.change(shard())); flagged(sum) != c.same {
			t.Errorf("%s: %q", name, sum.Flags)
		}
	}
}

// A state of before begins to remember with its next shard.
func TestStateOfBeforeRemembers(t *testing.T) {
	old, err := os.ReadFile("testdata/snapshot_v3_line_errors.bin")
	if err != nil {
		t.Fatal(err)
	}
	f := loaded(t, cdf.NewFilter(cdftest.SharedLine(), "golden"), old)
	if sum := take(t, f, cdftest.LineShards(1, 28)[20:]...); flagged(sum) {
		t.Errorf("what it cannot remember: %q", sum.Flags)
	}
	if b := ten(3, 1)[0]; !flagged(take(t, f, b, b)) {
		t.Error("what it can remember is not told of")
	}
}
