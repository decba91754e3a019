package anova

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// Whatever arrives, what leaves is a number or ErrNumeric.
func TestSurvives(t *testing.T) {
	r := rand.New(rand.NewPCG(67, 1))
	edit := func(rows, k int, f func(y *float64)) *cdf.Shard {
		sh := groupedRows(r, rows, k)
		slices.Sort(sh.Group[0]) // indices come in order of appearance
		before, at := int32(-1), int32(-1)
		for i, g := range sh.Group[0] {
			if g != before {
				at++
			}
			before, sh.Group[0][i] = g, at
		}
		for i := range sh.Y {
			f(&sh.Y[i])
		}
		return sh
	}
	same := func(*float64) {}
	for _, c := range []struct {
		name string
		sh   *cdf.Shard
		fail bool // ErrNumeric is the right answer
	}{
		{"no rows", edit(0, 4, same), false},
		{"no response", edit(5, 4, func(y *float64) { *y = math.NaN() }), false},
		{"one row", edit(1, 1, same), false},
		{"two rows", rowsOf([]int32{0, 1}, 0, 100), false},
		{"a row a group", rowsOf([]int32{0, 1, 2, 3, 4, 5}, 1, 2, 3, 4, 5, 60), false},
		{"one group", edit(80, 1, same), false},
		{"two groups", edit(80, 2, same), false},
		{"three groups", edit(80, 3, same), false},
		{"constant response", edit(80, 4, func(y *float64) { *y = 5 }), false},
		{"all zero", edit(80, 4, func(y *float64) { *y = 0 }), false},
		{"constant groups", rowsOf([]int32{0, 0, 0, 1, 1, 1}, 1, 1, 1, 1e6, 1e6, 1e6), false},
		{"y 1e12", edit(80, 4, func(y *float64) { *y *= 1e12 }), false},
		{"offset 1e12", edit(80, 4, func(y *float64) { *y += 1e12 }), false},
		{"y 1e-12", edit(80, 4, func(y *float64) { *y *= 1e-12 }), false},
		{"subnormal", edit(80, 4, func(y *float64) { *y *= 1e-310 }), false},
		{"y 1e200", edit(80, 4, func(y *float64) { *y *= 1e200 }), true},
		{"100,000 rows", edit(100_000, 50, same), false},
		{"1,000 groups", edit(5000, 1000, same), false},
	} {
		for _, variant := range []string{"corrected", "paper"} {
			for _, p := range []Prior{weak, {MuVariance: 1, Tau2Shape: .01, Tau2Rate: 1e-9, Sigma2Shape: .01, Sigma2Rate: 1e-9}} {
				for _, forget := range []float64{1, .5, 1e-9} {
					t.Run(fmt.Sprint(c.name, "/", variant, "/", p.Tau2Shape, "/", forget), func(t *testing.T) {
						m := newVariant(t, variant, p)
						d := modeltest.Stepper{Model: m, Draws: drawsFor(20, 1000)}
						for range 4 {
							if err := d.Step(c.sh, forget); err != nil {
								if !c.fail || !errors.Is(err, cdf.ErrNumeric) {
									t.Fatal(err)
								}
								return
							}
							wellFormed(t, m, c.sh, d.Draws)
						}
						if c.fail {
							t.Error("accepted")
						}
					})
				}
			}
		}
	}
}

// wellFormed checks every number that leaves: finite, but for moments
// that are undefined.
func wellFormed(t *testing.T, m cdf.Model, sh *cdf.Shard, draws *cdf.Draws) {
	t.Helper()
	f := functionals(m)
	_, paper := m.(*Paper)
	for i, r := range modeltest.Summarize(t, m, f) {
		if math.IsInf(r.Mean, 0) || r.SD < 0 || math.IsInf(r.SD, 0) || i >= zetaRow && (math.IsNaN(r.Mean) || math.IsNaN(r.SD)) {
			t.Fatalf("variable %d: %+v", i, r)
		}
		if r.Open != (m.Params()[3].Len > 0 && (paper || i != sigma2Row)) {
			t.Fatalf("variable %d: %+v", i, r)
		}
		for _, v := range draws.Row(i) {
			if !lin.Finite(v) {
				t.Fatalf("draw %v of variable %d", v, i)
			}
		}
	}
	few := cutRows(sh, 0, min(sh.Rows, 20))
	out := make([]cdf.Prediction, few.Rows)
	if err := m.(cdf.Predictor).Predict(few, out); err != nil {
		t.Fatal(err)
	}
	for i, p := range out {
		if y := few.Y[i]; !math.IsNaN(y) && (!lin.Finite(p.Q025) || !(p.Q025 <= p.Q975) || !lin.Finite(p.LogDensity) || !(p.PIT >= 0 && p.PIT <= 1)) {
			t.Fatalf("row %d: %+v", i, p)
		}
	}
	if _, err := m.(cdf.Predictor).Score(few, nil); err != nil {
		t.Fatal(err)
	}
}

// The priors' units matter where there is no scaling: shrunk hard, but never
// wrong in the last digits. A large offset costs digits of y, not of the rest.
func TestOffset(t *testing.T) {
	near, far := newTest(t, strong), newTest(t, strong)
	a, b := modeltest.Stepper{Model: near, Draws: drawsFor(500, 4)}, modeltest.Stepper{Model: far, Draws: drawsFor(500, 4)}
	for shard := range uint64(10) {
		sh := groupedRows(rand.New(rand.NewPCG(68, shard)), 40, 4)
		a.Must(t, sh, 1)
		moved := rowsOf(sh.Group[0], slices.Clone(sh.Y)...)
		for i := range moved.Y {
			moved.Y[i] += 1e8
		}
		b.Must(t, moved, 1)
	}
	// The spacing of floats at 1e8 is 1.5e-8.
	for i := range near.zeta {
		if math.Abs(far.zeta[i]-1e8-near.zeta[i]) > 1e-6 || modeltest.Relative(far.vari[i], near.vari[i]) > 1e-6 {
			t.Errorf("zeta %d is %v (%v), with the offset %v (%v)", i, near.zeta[i], near.vari[i], far.zeta[i]-1e8, far.vari[i])
		}
	}
	if modeltest.Relative(far.s2, near.s2) > 1e-7 || modeltest.Relative(far.tau.mean, near.tau.mean) > 1e-6 {
		t.Errorf("s2 %v and %v, tau2 %v and %v", near.s2, far.s2, near.tau.mean, far.tau.mean)
	}
}

func TestCheck(t *testing.T) {
	m := newTest(t, weak)
	for name, sh := range map[string]*cdf.Shard{
		"no group":          {Rows: 1, Y: []float64{1}},
		"two groups":        {Rows: 1, Y: []float64{1}, Group: [][]int32{{0}, {0}}},
		"a label too few":   {Rows: 2, Y: []float64{1, 2}, Group: [][]int32{{0}}},
		"responses":         {Rows: 2, Y: []float64{1}, Group: [][]int32{{0, 0}}},
		"infinite response": rowsOf([]int32{0, 0}, 1, math.Inf(-1)),
	} {
		if err := m.Check(sh); !errors.Is(err, cdf.ErrShard) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := m.Check(rowsOf([]int32{0, -1}, 1, math.NaN())); err != nil {
		t.Errorf("a good shard: %v", err)
	}
	for _, f := range []cdf.Functional{
		{Param: []int{0, 1}, Weight: []float64{1, 1}}, {Param: []int{7}, Weight: []float64{1}}, {Param: []int{-1}, Weight: []float64{1}},
	} {
		if err := m.Summarize([]cdf.Functional{f}, make([]cdf.Row, 1)); !errors.Is(err, cdf.ErrSchema) {
			t.Errorf("%v: %v", f.Param, err)
		}
	}
}
