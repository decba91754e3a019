package models

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// Whatever arrives, what leaves is a number or ErrNumeric.
func TestLinearSurvives(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 1))
	edit := func(rows, p int, f func(x []float64, y *float64)) *cdf.Shard {
		sh := randomShard(r, rows, p, true)
		for i := range rows {
			f(sh.X[i*p:(i+1)*p], &sh.Y[i])
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
					_, build, err := configureLinear(k, nil)
					if err != nil {
						t.Fatal(err)
					}
					m, err := build(cdf.Dims{Columns: columns(4), Intercept: true})
					if err != nil {
						t.Fatal(err)
					}
					d := stepper{model: m, draws: &cdf.Draws{S: 8, Chains: 1, Data: make([]float64, 8*5)}}
					for range 3 {
						if err := d.step(c.sh, forget); err != nil {
							if !c.fail || !errors.Is(err, cdf.ErrNumeric) {
								t.Fatal(err)
							}
							return
						}
						wellFormed(t, m, c.sh, d.draws)
					}
					if c.fail {
						t.Error("accepted")
					}
				})
			}
		}
	}
}

// wellFormed checks every number that leaves: finite and in order, but for
// moments that are undefined.
func wellFormed(t *testing.T, m cdf.Model, sh *cdf.Shard, draws *cdf.Draws) {
	t.Helper()
	for _, v := range draws.Data {
		if v-v != 0 {
			t.Fatalf("draw %v", v)
		}
	}
	for i, r := range summarize(t, m, coefficients(4)) {
		q := []float64{r.Q025, r.Q05, r.Q25, r.Median, r.Q75, r.Q95, r.Q975}
		for _, v := range q {
			if v-v != 0 {
				t.Fatalf("variable %d: %+v", i, r)
			}
		}
		if !slices.IsSorted(q) || r.SD < 0 || math.IsInf(r.SD, 0) || math.IsInf(r.Mean, 0) || r.Open ||
			(i < 4 && r.Mean != r.Mean) || r.MCSEMean != 0 || r.RHat == r.RHat {
			t.Fatalf("variable %d: %+v", i, r)
		}
	}
	few := cut(sh, 0, min(sh.Rows, 20))
	out := make([]cdf.Prediction, few.Rows)
	p := m.(cdf.Predictor)
	if err := p.Predict(few, out); err != nil {
		t.Fatal(err)
	}
	for i, o := range out {
		if o.Q025-o.Q025 != 0 || !(o.Q025 <= o.Q975) || o.EpredQ025-o.EpredQ025 != 0 || !(o.EpredQ025 <= o.EpredQ975) || o.Mean-o.Mean != 0 {
			t.Fatalf("row %d: %+v", i, o)
		}
		if y := few.Y[i]; y == y && !(o.LogDensity-o.LogDensity == 0 && o.PIT >= 0 && o.PIT <= 1) {
			t.Fatalf("row %d: %+v", i, o)
		}
	}
	if _, err := p.Score(few, nil); err != nil {
		t.Fatal(err)
	}
	if e, ok := m.(*Linear); ok && !e.forgot {
		if v := e.LogEvidence(); v-v != 0 {
			t.Fatalf("evidence %v", v)
		}
	}
}

func TestLinearCheck(t *testing.T) {
	m := newTestLinear(t, 2)
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

func TestLinearRefusesAMixedFunctional(t *testing.T) {
	m := newTestLinear(t, 2)
	for _, params := range [][]int{{0, 2}, {2, 0}, {3}, {-1}} {
		f := []cdf.Functional{{Name: "v", Param: params, Weight: []float64{1, 1}[:len(params)]}}
		if err := m.Summarize(f, make([]cdf.Row, 1)); !errors.Is(err, cdf.ErrSchema) {
			t.Errorf("%v: %v", params, err)
		}
	}
}
