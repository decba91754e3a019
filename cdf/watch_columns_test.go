package cdf

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Spreads of columns side by side have the bits of one alone, near values and such as are bounded.
func TestSpreadsSideBySide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 50))
	const n, columns = 40, 9
	x := make([]float64, n*columns)
	for i := range x {
		if x[i] = r.NormFloat64(); r.IntN(9) == 0 {
			x[i] *= 100
		}
	}
	var seen []int32
	for i := range n {
		if r.IntN(4) > 0 {
			seen = append(seen, int32(i))
		}
	}
	want := make([]spread, columns)
	for k := range want {
		want[k] = spread{float32(r.NormFloat64()), float32(r.ExpFloat64())}
	}
	got := slices.Clone(want)
	for k := range want {
		addTogether(want[k:k+1], x[k:], columns, seen, 70)
	}
	w := watch{spreads: got}
	for _, run := range []columnRun{{}, {0, 0, 4}, {4, 4, 2}, {6, 6, 3}} {
		run.add(&w, &rows{x: x, cols: columns}, seen, 70)
	}
	if !slices.Equal(got, want) {
		t.Errorf("side by side %v, alone %v", got, want)
	}
	var mean, squares float64
	for _, row := range seen {
		d := max(min(x[int(row)*columns], reached), -reached)
		mean, squares = mean+d, squares+d*d
	}
	one := []spread{{}}
	addTogether(one, x, columns, seen, 0)
	count := float64(len(seen))
	if m := mean / count; one[0] != (spread{float32(m), float32(squares/count - m*m)}) {
		t.Errorf("a new spread is %v, want mean %g and variance %g", one[0], m, squares/count-m*m)
	}
}
