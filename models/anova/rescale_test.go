package anova

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// Statistics in other units are those of the rows in these units, and after the
// next Sample so is all that follows from them.
func TestRescale(t *testing.T) {
	y := cdf.Affine{Shift: -9, Factor: .3}
	for name, mu := range map[string]float64{"flat": 0, "proper": 2} {
		for _, forget := range []float64{1, .9} {
			prior := Defaults().Prior
			prior.MuVariance = mu
			r := rand.New(rand.NewPCG(7, 8))
			m, want := newVariant(t, "corrected", prior).(*Model), newVariant(t, "corrected", prior).(*Model)
			d, w := modeltest.Stepper{Model: m}, modeltest.Stepper{Model: want}
			step := func(rows int, forget float64) {
				d.Draws, w.Draws = drawsFor(200, 5), drawsFor(200, 5)
				a := groupedRows(r, rows, 5)
				b := rowsOf(a.Group[0])
				b.Rows = rows
				for _, v := range a.Y {
					b.Y = append(b.Y, y.Shift+y.Factor*v)
				}
				d.Must(t, a, forget)
				w.Must(t, b, forget)
			}
			for range 12 {
				step(30, forget)
			}
			if err := m.Rescale(cdf.Dims{}, y, nil); err != nil {
				t.Fatal(err)
			}
			step(0, 1)
			numbers := func(m *Model) []float64 {
				out := append([]float64{m.ss, m.s2, m.shape, m.mu.mean, m.mu.sd, m.tau.mean, m.tau.sd, m.sigma.mean, m.sigma.sd}, m.quantiles[:]...)
				return append(append(append(append(out, m.n...), m.ybar...), m.zeta...), m.vari...)
			}
			got, wanted := numbers(m), numbers(want)
			for i, v := range wanted {
				if !(math.Abs(got[i]-v) <= 1e-10*(1+math.Abs(v))) {
					t.Errorf("%s, forget %g: number %d is %g, want %g", name, forget, i, got[i], v)
				}
			}
		}
	}
}
