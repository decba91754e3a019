package collinear

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf/lin"
)

// rows are n rows of an intercept and columns made of p - 1 normal ones.
func rows(r *rand.Rand, n, p int, change func(x []float64)) [][]float64 {
	all := make([][]float64, n)
	for i := range all {
		x := make([]float64, p)
		x[0] = 1
		for j := 1; j < p; j++ {
			x[j] = r.NormFloat64()
		}
		change(x)
		all[i] = x
	}
	return all
}

// both finds the columns by the factor and by the Gram matrix, which have to agree.
func both(t *testing.T, all [][]float64, intercept bool) []int {
	t.Helper()
	p := len(all[0])
	gram, r := make([]float64, p*p), make([]float64, lin.PackedLen(p))
	for _, x := range all {
		block := make([]float64, lin.BlockLen(1, p))
		lin.PutRow(block, 0, x[:p-1], x[p-1])
		lin.UpdateQR(r, p, block, 1)
		for i := range p {
			for j := range i + 1 {
				gram[i*p+j] += x[i] * x[j]
			}
		}
	}
	by := new(Finder).Append(nil, r, p, p, intercept, float64(len(all)))
	var w Finder
	other := w.AppendGram(nil, gram, p, p, intercept, float64(len(all)))
	if again := w.AppendGram(nil, gram, p, p, intercept, float64(len(all))); !slices.Equal(other, again) {
		t.Errorf("%v at first, then %v", other, again)
	}
	if !slices.Equal(by, other) {
		t.Errorf("by the factor %v, by the Gram matrix %v", by, other)
	}
	return by
}

func TestCollinear(t *testing.T) {
	level := func(yes bool) float64 {
		if yes {
			return 1
		}
		return 0
	}
	for name, c := range map[string]struct {
		n      int
		change func(r *rand.Rand, x []float64)
		want   string
	}{
		"unrelated":                          {200, func(*rand.Rand, []float64) {}, "[]"},
		"the same twice":                     {200, func(_ *rand.Rand, x []float64) { x[3] = x[1] }, "[1 3]"},
		"in other units, far from 0":         {200, func(_ *rand.Rand, x []float64) { x[3] = 1000 + 5*x[1] }, "[1 3]"},
		"a sum":                              {200, func(_ *rand.Rand, x []float64) { x[4] = x[1] - x[2] }, "[1 2 4]"},
		"two pairs":                          {200, func(_ *rand.Rand, x []float64) { x[3], x[4] = x[1], -x[2] }, "[1 2 3 4]"},
		"three of a kind":                    {200, func(_ *rand.Rand, x []float64) { x[2], x[3] = x[1], 2*x[1] }, "[1 2 3]"},
		"rounded to a thousandth":            {200, func(r *rand.Rand, x []float64) { x[3] = x[1] + .001*r.NormFloat64() }, "[1 3]"},
		"a twentieth of its own":             {200, func(r *rand.Rand, x []float64) { x[3] = x[1] + .05*r.NormFloat64() }, "[]"},
		"a little more than what determines": {200, func(r *rand.Rand, x []float64) { x[3] = x[1] + .013*r.NormFloat64() }, "[]"},
		"a little less":                      {200, func(r *rand.Rand, x []float64) { x[3] = x[1] + .0085*r.NormFloat64() }, "[1 3]"},
		"beside a related one": {200, func(_ *rand.Rand, x []float64) {
			x[2] += x[1]
			x[4] = x[2]
		}, "[2 4]"},
		"with a part of another":        {200, func(_ *rand.Rand, x []float64) { x[3] = x[1] + .025*x[2] }, "[1 2 3]"},
		"with hardly a part of another": {200, func(_ *rand.Rand, x []float64) { x[3] = x[1] + .015*x[2] }, "[1 3]"},
		"levels that make up the intercept": {200, func(r *rand.Rand, x []float64) {
			v := r.IntN(2)
			x[1], x[2] = level(v == 0), level(v == 1)
		}, "[1 2]"},
		"levels of few rows": {200, func(r *rand.Rand, x []float64) {
			x[1] = level(r.IntN(100) == 0)
			x[2] = x[1]
		}, "[]"},
		"constant":  {200, func(_ *rand.Rand, x []float64) { x[2], x[3] = 0, 7 }, "[]"},
		"few rows":  {19, func(_ *rand.Rand, x []float64) { x[3] = x[1] }, "[]"},
		"few, more": {20, func(_ *rand.Rand, x []float64) { x[3] = x[1] }, "[1 3]"},
	} {
		r := rand.New(rand.NewPCG(5, 5))
		got := both(t, rows(r, c.n, 5, func(x []float64) { c.change(r, x) }), true)
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: columns %v, want %s", name, got, c.want)
		}
	}
	// Without an intercept a column is compared as it is.
	r := rand.New(rand.NewPCG(5, 6))
	if got := both(t, rows(r, 200, 3, func(x []float64) { x[2] = 3 * x[0] }), false); fmt.Sprint(got) != "[0 2]" {
		t.Errorf("without an intercept %v", got)
	}
}

// Of 1,000 samples of unrelated columns, as few rows as are judged or more, none has
// columns that determine each other. Seen none of 1,000, the rate is below .003 with a
// probability of 95 %; of normal columns it is below 1e-20 by the law of the
// rest of a column.
func TestUnrelatedColumns(t *testing.T) {
	for i := range 1000 {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		p := 2 + i%12
		n := 2*p + 10 + i%3*40
		all := rows(r, n, p, func(x []float64) {
			if i%2 == 0 { // levels
				for j := 1; j < len(x); j++ {
					x[j] = float64(r.IntN(2))
				}
			}
		})
		if got := both(t, all, true); len(got) > 0 {
			t.Errorf("sample %d, %d rows of %d columns: %v", i, n, p, got)
		}
	}
}
