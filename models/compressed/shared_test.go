package compressed

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// sharesOf returns the prior's shares of a model of p columns.
func sharesOf(m cdf.Model, p int) []float64 {
	dst := make([]float64, p+1)
	for j := range dst {
		dst[j] = math.NaN()
	}
	m.(cdf.PriorShared).PriorShare(modeltest.Coefficients(p), dst)
	return dst
}

// Of two columns that are nearly equal the variances are the prior's, by the inverse of S + I/kappa; those of the others and of sigma2
// are not.
func TestNearlyEqualColumns(t *testing.T) {
	const p = 5
	for name, settings := range untold {
		m := newTest(t, "", settings, modeltest.Columns(p))
		r := rand.New(rand.NewPCG(111, 1))
		sh := modeltest.RegressionShard(r, 120, p, false)
		for i := range sh.Y {
			x := sh.X[i*p : (i+1)*p]
			x[1] = x[0] + .05*x[1]
			sh.Y[i] = x[0] - .5*x[1] + x[2] - x[3] + r.NormFloat64()
		}
		feed(t, m, sh, 40)
		got := sharesOf(m, p)
		s, err := m.(solver).solved()
		if err != nil {
			t.Fatal(err)
		}
		precision, column := mat.NewDense(p, p, nil), make([]float64, p)
		for j := range p {
			s.inverse.column(j, column)
			column[j] += 1 / s.kappa
			precision.SetCol(j, column)
		}
		var a mat.Dense
		if err := a.Inverse(precision); err != nil {
			t.Fatal(err)
		}
		for j, v := range got[:p] {
			want := 0.
			for k := range p {
				want += a.At(k, j) * a.At(k, j) / (s.kappa * a.At(j, j))
			}
			if j < 2 && !(want > .4 && math.Abs(v-want) < 1e-9) || j > 1 && !math.IsNaN(v) {
				t.Errorf("%s: the prior has %v of the variance of column %d, want %v of the first two alone", name, v, j, want)
			}
		}
		if !math.IsNaN(got[p]) {
			t.Errorf("%s: of sigma2 %v, want NaN", name, got[p])
		}
		m.(solver).release(s)
	}
}

// Columns that say little, that correlate as neighbours do, or that are as many as rows have the spread that the prior's variance is estimated from.
func TestColumnsThatShareNothing(t *testing.T) {
	const p = 40
	for name, settings := range untold {
		for _, c := range []struct {
			rho, effect float64
			rows        int
		}{{0, .3, 60}, {0, .3, 400}, {0, 0, 400}, {.9, .3, 400}, {.9, .05, 400}, {.9, 0, 400}, {.9, 2, 79}} {
			for stream := range 3 {
				r := rand.New(rand.NewPCG(uint64(stream), 112))
				gamma := make([]float64, p)
				for j := range gamma {
					gamma[j] = c.effect * r.NormFloat64()
				}
				m := newTest(t, "", settings, modeltest.Columns(p))
				feed(t, m, chained(r, c.rows, c.rho, 1, gamma), 20)
				for j, v := range sharesOf(m, p) {
					if v > .64 {
						t.Errorf("%s, correlation %v, effects of %v, %d rows: column %d is listed, by %v", name, c.rho, c.effect, c.rows, j, v)
					}
				}
			}
		}
	}
}
