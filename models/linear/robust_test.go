package linear

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// Whatever arrives, what leaves is a number or ErrNumeric.
func TestSurvives(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 1))
	edit := func(rows, p int, f func(x []float64, y *float64)) *cdf.Shard {
		sh := modeltest.RegressionShard(r, rows, p, true)
		for i := range rows {
			f(lin.Row(sh.X, p, i), &sh.Y[i])
		}
		return sh
	}
	for _, c := range []struct {
		name string
		sh   *cdf.Shard
		fail bool // ErrNumeric is the right answer
	}{
		{"no rows", edit(0, 4, nil), false},
		{"one row", edit(1, 4, func([]float64, *float64) {}), false},
		{"no response", edit(5, 4, func(_ []float64, y *float64) { *y = math.NaN() }), false},
		{"constant column", edit(80, 4, func(x []float64, _ *float64) { x[1] = 3 }), false},
		{"all zero", edit(80, 4, func(x []float64, y *float64) { clear(x); *y = 0 }), false},
		{"collinear", edit(80, 4, func(x []float64, _ *float64) { x[2], x[3] = 2*x[1], x[1]-1 }), false},
		{"constant response", edit(80, 4, func(_ []float64, y *float64) { *y = 5 }), false},
		{"exact fit", edit(500, 4, func(x []float64, y *float64) { *y = x[1] + x[2] }), false},
		{"y 1e12", edit(80, 4, func(_ []float64, y *float64) { *y = 1e12 * (1 + *y) }), false},
		{"x 1e12", edit(80, 4, func(x []float64, _ *float64) { x[1] *= 1e12 }), false},
		{"x 1e-12", edit(80, 4, func(x []float64, _ *float64) { x[1] *= 1e-12 }), false},
		{"subnormal", edit(80, 4, func(x []float64, y *float64) { x[1] *= 1e-310; *y *= 1e-310 }), false},
		{"y 1e200", edit(80, 4, func(_ []float64, y *float64) { *y *= 1e200 }), true},
		{"x 1e200", edit(80, 4, func(x []float64, _ *float64) { x[1] *= 1e200 }), true},
		{"100,000 rows", edit(100_000, 4, func([]float64, *float64) {}), false},
	} {
		for _, k := range []string{"corrected", "paper"} {
			for _, forget := range []float64{1, 1e-9} {
				t.Run(fmt.Sprint(c.name, "/", k, "/", forget), func(t *testing.T) {
					m := modeltest.Model(t, Kind(), k, nil, cdf.Dims{Columns: modeltest.Columns(4), Intercept: true})
					d := modeltest.Stepper{Model: m, Draws: &cdf.Draws{S: 8, Chains: 1, Data: make([]float64, 8*5)}}
					for range 3 {
						if err := d.Step(c.sh, forget); err != nil {
							if !c.fail || !errors.Is(err, cdf.ErrNumeric) {
								t.Fatal(err)
							}
							return
						}
						modeltest.WellFormed(t, m, c.sh, d.Draws)
						if e, ok := m.(*Model); ok && !e.forgot && !lin.Finite(e.LogEvidence()) {
							t.Fatalf("evidence %v", e.LogEvidence())
						}
					}
					if c.fail {
						t.Error("accepted")
					}
				})
			}
		}
	}
}

func TestCheck(t *testing.T) {
	m := newTest(t, 2)
	good := func() *cdf.Shard {
		return &cdf.Shard{Rows: 2, Cols: 2, X: []float64{1, 2, 1, 3}, Y: []float64{1, math.NaN()}}
	}
	if err := m.Check(good()); err != nil {
		t.Errorf("a good shard: %v", err)
	}
	for name, spoil := range map[string]func(*cdf.Shard){
		"width": func(s *cdf.Shard) { s.Cols = 3 }, "entries": func(s *cdf.Shard) { s.X = s.X[1:] }, "responses": func(s *cdf.Shard) { s.Y = s.Y[1:] },
		"infinite": func(s *cdf.Shard) { s.X[1] = math.Inf(1) }, "NaN": func(s *cdf.Shard) { s.X[3] = math.NaN() }, "infinite response": func(s *cdf.Shard) { s.Y[0] = math.Inf(-1) },
	} {
		s := good()
		spoil(s)
		if err := m.Check(s); !errors.Is(err, cdf.ErrShard) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRefusesAMixedFunctional(t *testing.T) {
	m := newTest(t, 2)
	for _, params := range [][]int{{0, 2}, {2, 0}, {3}, {-1}} {
		f := []cdf.Functional{{Name: "v", Param: params, Weight: []float64{1, 1}[:len(params)]}}
		if err := m.Summarize(f, make([]cdf.Row, 1)); !errors.Is(err, cdf.ErrSchema) {
			t.Errorf("%v: %v", params, err)
		}
	}
}
