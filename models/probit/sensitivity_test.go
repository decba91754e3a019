package probit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

var (
	_ cdf.PriorSensitive = (*Model)(nil)
	_ cdf.PriorShared    = (*Model)(nil)
)

// byQuadrature is a model that has learnt rows of two columns, and its posterior by quadrature.
func byQuadrature(t *testing.T, seed uint64, rows int, beta []float64) (*Model, *grid) {
	t.Helper()
	m := newTest(t, "corrected", Defaults(), dims(2, 8000, true))
	sh := newShard(rand.New(rand.NewPCG(seed, 1)), rows, beta, 1, true)
	driver(m).Must(t, sh, 1)
	return m, findGrid(m, sh)
}

// Covariances with the log prior density in sds against quadrature: of slopes that the
// prior expects, of one it does not, and of columns that nearly decide the class. 8,000
// draws know them to .002, and where the greatest is large to some percent of it.
func TestPriorSensitivity(t *testing.T) {
	for _, c := range []struct {
		name string
		rows int
		beta []float64
	}{
		{"as expected", 300, []float64{.3, -.5}},
		{"an intercept of rare events", 300, []float64{-2.3, .5}},
		{"columns that nearly decide", 150, []float64{0, 6}},
	} {
		m, g := byQuadrature(t, 91, c.rows, c.beta)
		got := []float64{math.NaN(), math.NaN()}
		m.PriorSensitivity(betas(2), got)
		log := func(at [2]float64) float64 { return -.5*at[0]*at[0]/m.Variance(0) - .5*at[1]*at[1]/m.Variance(1) }
		mean, want := g.mix(log), make([]float64, 2)
		for j := range want {
			want[j] = math.Abs(g.mix(func(at [2]float64) float64 { return (at[j] - g.mean[j]) * (log(at) - mean) })) / g.sd[j]
		}
		t.Logf("%s: %.3f, by quadrature %.3f", c.name, got, want)
		for j, v := range got {
			if !(math.Abs(v-want[j]) < .005+.06*slices.Max(want)) {
				t.Errorf("%s: the sensitivities are %.3f, want %.3f", c.name, got, want)
			}
		}
	}
}

// What of the variances is the prior's, against quadrature: of an intercept and a slope that rows tell, and of those whose
// responses are all of one class.
func TestPriorShare(t *testing.T) {
	for _, c := range []struct {
		rows int
		beta []float64
	}{{300, []float64{.3, -.5}}, {12, []float64{.3, .5}}, {60, []float64{-9, .5}}} {
		m, g := byQuadrature(t, 92, c.rows, c.beta)
		got := []float64{math.NaN(), math.NaN()}
		m.PriorShare(betas(2), got)
		both := g.mix(func(at [2]float64) float64 { return (at[0] - g.mean[0]) * (at[1] - g.mean[1]) })
		for j := range got {
			v := g.sd[j] * g.sd[j]
			want := (v*v/m.Variance(j) + both*both/m.Variance(1-j)) / v
			if !(math.Abs(got[j]-want) < .002+.08*want) {
				t.Errorf("%d rows, slopes %g: the prior has %.4f of the variance of beta_%d, want %.4f", c.rows, c.beta, got[j], j, want)
			}
		}
	}
}
