package anova

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// The second derivative of the log mass of the lattice by the power of a prior is the
// posterior variance of that prior's log density.
func TestPriorSensitivity(t *testing.T) {
	const k, h = 5, .01
	for _, rows := range []int{1, 2, 20} {
		r := rand.New(rand.NewPCG(82, uint64(rows)))
		y, sh := make([][]float64, k), rowsOf(nil)
		for j := range y {
			level := r.NormFloat64()
			for range rows {
				v := level + .7*r.NormFloat64()
				y[j] = append(y[j], v)
				sh.Group[0], sh.Y = append(sh.Group[0], int32(j)), append(sh.Y, v)
			}
		}
		sh.Rows = len(sh.Y)
		m := newTest(t, Defaults().Prior)
		f, got := functionals(m), make([]float64, 2)
		if m.PriorSensitivity(f, got); !math.IsNaN(got[0]) || !math.IsNaN(got[1]) {
			t.Errorf("before the first row %g, want NaN", got)
		}
		d := modeltest.Stepper{Model: m, Draws: drawsFor(50, k)}
		d.Must(t, sh, 1)
		f = functionals(m)
		got = make([]float64, len(f))
		m.PriorSensitivity(f, got)
		log := func(tau2, sigma2 float64) float64 {
			p := Defaults().Prior
			p.Tau2Shape *= 1 + tau2
			p.Tau2Rate *= 1 + tau2
			p.Sigma2Shape *= 1 + sigma2
			p.Sigma2Rate *= 1 + sigma2
			return denseOf(p, y, -20, 20, 250).log
		}
		middle := log(0, 0)
		want := [...]float64{tau2Row: math.Sqrt(log(h, 0)+log(-h, 0)-2*middle) / h, sigma2Row: math.Sqrt(log(0, h)+log(0, -h)-2*middle) / h}
		for i, v := range got {
			switch i {
			case muRow:
				if v != got[tau2Row] {
					t.Errorf("%d rows: sensitivity %g of mu, want that of tau2, %g", sh.Rows, v, got[tau2Row])
				}
			case tau2Row, sigma2Row:
				if modeltest.Relative(v, want[i]) > 1e-3 {
					t.Errorf("%d rows: sensitivity %g of parameter %d, want %g", sh.Rows, v, i, want[i])
				}
			default:
				if !math.IsNaN(v) {
					t.Errorf("parameter %d has sensitivity %g", i, v)
				}
			}
		}
		state, _ := m.AppendBinary(nil)
		again := newTest(t, Defaults().Prior)
		if err := again.UnmarshalBinary(state); err != nil {
			t.Fatal(err)
		}
		if again.PriorSensitivity(f, got); !math.IsNaN(got[tau2Row]) || !math.IsNaN(got[sigma2Row]) {
			t.Errorf("restored: %g, want NaN", got[:zetaRow])
		}
	}
}

var _ cdf.PriorSensitive = (*Model)(nil)
