package dlm

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// Whatever arrives, what leaves is a number or ErrNumeric.
func TestSurvives(t *testing.T) {
	ar, _ := series{phi: constantly(.8), tau: 1, sigma: .7}.make(11, 100_000)
	times := func(f func(y float64) float64) []float64 {
		out := make([]float64, 120)
		for i := range out {
			out[i] = f(ar[i])
		}
		return out
	}
	nan := math.NaN()
	for _, c := range []struct {
		name string
		y    []float64
		fail bool // ErrNumeric is a right answer
	}{
		{"no rows", nil, false},
		{"one row", ar[:1], false},
		{"no response", times(func(float64) float64 { return nan }), false},
		{"constant", times(func(float64) float64 { return 3 }), false},
		{"zero", times(func(float64) float64 { return 0 }), false},
		{"1e12", times(func(y float64) float64 { return 1e12 * y }), false},
		{"offset 1e12", times(func(y float64) float64 { return 1e12 + y }), false},
		{"1e-12", times(func(y float64) float64 { return 1e-12 * y }), false},
		{"subnormal", times(func(y float64) float64 { return 1e-310 * y }), false},
		{"1e200", times(func(y float64) float64 { return 1e200 * y }), true},
		{"100,000 rows", ar, false},
	} {
		for _, k := range modes {
			for _, forget := range []float64{1, 1e-9} {
				t.Run(fmt.Sprint(c.name, "/", k, "/", forget), func(t *testing.T) {
					spec := spec(t, k[0], k[1], "")
					m, err := spec.New(cdf.Dims{})
					if err != nil {
						t.Fatal(err)
					}
					const draws = 4
					d := modeltest.Stepper{Model: m, Draws: &cdf.Draws{S: draws, Chains: 1, Data: make([]float64, 4*draws)}}
					for _, y := range [][]float64{c.y, c.y[:min(1, len(c.y))], ar[:3]} {
						if len(y) > 1000 && forget < 1 {
							y = y[:1000]
						}
						if err := d.Step(rowsShard(y), forget); err != nil {
							if !c.fail || !errors.Is(err, cdf.ErrNumeric) {
								t.Fatal(err)
							}
							return
						}
						for _, v := range d.Draws.Data {
							if !lin.Finite(v) {
								t.Fatalf("draw %v", v)
							}
						}
						wellFormed(t, m)
						predictedWell(t, m.(cdf.Predictor), rowsShard([]float64{ar[0], nan, ar[2]}))
						if e, ok := m.(*Model); ok && !e.forgot {
							if v := e.LogEvidence(); !lin.Finite(v) {
								t.Fatalf("evidence %v", v)
							}
						}
						roundTripModel(t, m, spec)
					}
				})
			}
		}
	}
}

func predictedWell(t *testing.T, m cdf.Predictor, sh *cdf.Shard) {
	t.Helper()
	out := make([]cdf.Prediction, sh.Rows)
	if err := m.Predict(sh, out); err != nil {
		t.Fatal(err)
	}
	for i, o := range out {
		if !(o.Q025 <= o.Q975 && o.EpredQ025 <= o.EpredQ975) || math.IsInf(o.Q025, 0) || math.IsInf(o.Q975, 0) || !lin.Finite(o.Mean) {
			t.Fatalf("row %d: %+v", i, o)
		}
		if y := sh.Y[i]; !math.IsNaN(y) && !(lin.Finite(o.LogDensity) && o.PIT >= 0 && o.PIT <= 1) {
			t.Fatalf("row %d: %+v", i, o)
		}
	}
	if _, err := m.Score(sh, nil); err != nil {
		t.Fatal(err)
	}
}

// roundTripModel checks that a model made of its bytes has the same bytes.
func roundTripModel(t *testing.T, m cdf.Model, spec *cdf.Spec) {
	t.Helper()
	b, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := spec.New(cdf.Dims{})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if again, _ := other.AppendBinary(nil); string(again) != string(b) {
		t.Fatal("the bytes of a restored model differ")
	}
}

// Equal times are one step, also across shards; a gap is as many missing
// steps as there are times in between; going back is refused.
func TestTime(t *testing.T) {
	y, _ := series{phi: constantly(.8), tau: 1, sigma: .7}.make(12, 40)
	nan := math.NaN()
	for _, k := range modes {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			fresh := func() *modeltest.Stepper {
				m, err := spec(t, k[0], k[1], "s").New(cdf.Dims{})
				if err != nil {
					t.Fatal(err)
				}
				return &modeltest.Stepper{Model: m, Draws: &cdf.Draws{S: 20, Chains: 1, Data: make([]float64, 80)}}
			}
			timed := func(y []float64, at ...int64) *cdf.Shard { return &cdf.Shard{Rows: len(y), Y: y, Time: at, Forget: 1} }
			bytes := func(d *modeltest.Stepper) string {
				b, err := d.Model.AppendBinary(nil)
				if err != nil {
					t.Fatal(err)
				}
				return string(b)
			}
			// A gap of two is two rows without a response.
			a, b := fresh(), fresh()
			a.Must(t, timed([]float64{y[0], y[1], y[2]}, -3, -2, 1), 1)
			b.Must(t, timed([]float64{y[0], y[1], nan, nan, y[2]}, -3, -2, -1, 0, 1), 1)
			near(t, a.Model, b.Model, 1e-9)
			// Time goes on between shards: within a step, and with a gap.
			a.Must(t, timed([]float64{y[3]}, 1), 1)
			b.Must(t, timed([]float64{y[3]}, 1), 1)
			a.Must(t, timed([]float64{y[4]}, 4), 1)
			b.Must(t, timed([]float64{nan, nan, y[4]}, 2, 3, 4), 1)
			near(t, a.Model, b.Model, 1e-9)
			before := bytes(a)
			for _, sh := range []*cdf.Shard{timed([]float64{1}, 3), timed([]float64{1, 2}, 6, 5)} {
				if err := a.Model.Check(sh); !errors.Is(err, cdf.ErrShard) {
					t.Errorf("times %v after 4: %v", sh.Time, err)
				}
			}
			if bytes(a) != before {
				t.Error("a refused shard left a trace")
			}
			// The longest gap there is does not take long.
			c := fresh()
			c.Must(t, timed([]float64{y[0], y[1]}, math.MinInt64, math.MaxInt64), 1)
			wellFormed(t, c.Model)
		})
	}
}

// near compares what two models predict, which are the same but for rounding
// (sampled ones: the same random numbers).
func near(t *testing.T, a, b cdf.Model, tol float64) {
	t.Helper()
	var out [2][3]cdf.Prediction
	for i, m := range []cdf.Model{a, b} {
		sh := &cdf.Shard{Rows: 3, Y: []float64{math.NaN(), .3, math.NaN()}, Time: []int64{5, 6, 8}, Forget: 1}
		if err := m.(cdf.Predictor).Predict(sh, out[i][:]); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range out[0] {
		q := out[1][i]
		if math.Abs(p.Mean-q.Mean) > tol || math.Abs(p.SD-q.SD) > tol*q.SD {
			t.Errorf("row %d: %+v and %+v", i, p, q)
		}
	}
}
