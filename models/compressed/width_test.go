package compressed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/compressed/projection"
)

// learnedFromPrior runs a learned form over shards of 100 rows whose gamma, of
// 100 columns, comes from its prior with beta ~ N(0, variance), sigma2 = 1.
func learnedFromPrior(t *testing.T, statistics string, variance float64, shards int, seed uint64) *Learned {
	t.Helper()
	const p, k, n = 100, 10, 100
	r := rand.New(rand.NewPCG(seed, 7))
	var beta, sd [k]float64
	for i := range k {
		beta[i], sd[i] = math.Sqrt(variance)*r.NormFloat64(), math.Sqrt(rnd.InvGamma(r, .5, .5))
	}
	truth := make([]float64, p)
	for i, mean := range projection.Orthonormal(1, k, p) {
		truth[i/k] += (mean + sd[i%k]*r.NormFloat64()) * beta[i%k]
	}
	m := newTest(t, "", fmt.Sprintf("{statistics: %s, prior: {beta_variance: %g}}", statistics, variance), modeltest.Columns(p))
	d := modeltest.Stepper{Model: m}
	for range shards {
		sh := &cdf.Shard{Rows: n, Cols: p, X: make([]float64, n*p), Y: make([]float64, n)}
		rnd.Normals(r, sh.X)
		rnd.Normals(r, sh.Y)
		for i := range sh.Y {
			for j, g := range truth {
				sh.Y[i] += sh.X[i*p+j] * g
			}
		}
		d.Must(t, sh, 1)
	}
	return m.(*Learned)
}

// Where the width of packed and lean statistics comes from, and how much too
// high sigma2 is: the figures that the calibration tables explain themselves
// with, which are those of 30 replicates. The variance of gamma is in units of
// sigma2^/N, about the exact posterior's: beta'S beta, which the discounts of
// older shards widen; tr(S V), of directions of Phi that the data do not
// determine; and Phi'V Phi.
func TestAcceptanceWidth(t *testing.T) {
	reps := accept.Reps(t, 0, 30, 30)
	seeds := fmt.Sprintf("seeds 0-%d", reps-1)
	for _, c := range []struct {
		statistics     string
		low, high      [3]float64 // own, product, shared
		sigma2, strong [2]float64
	}{
		{"packed", [3]float64{1.8, 1.6, .3}, [3]float64{2.6, 2.6, .5}, [2]float64{1.15, 1.45}, [2]float64{15, 80}},
		{"lean", [3]float64{1.7, 10, .8}, [3]float64{2.1, 17, 1.4}, [2]float64{1.15, 1.5}, [2]float64{35, 150}},
	} {
		var parts [3]float64
		var sigma2, defaults []float64
		for rep := range uint64(reps) {
			m := learnedFromPrior(t, c.statistics, .001, 20, rep)
			for i, v := range m.parts(t) {
				parts[i] += v * m.n / m.sigma2 / float64(reps)
			}
			sigma2 = append(sigma2, m.sigma2)
			defaults = append(defaults, learnedFromPrior(t, c.statistics, 1, 20, rep).sigma2)
		}
		for i, what := range []string{"beta'S beta", "tr(S V)", "Phi'V Phi"} {
			accept.Range(t, "CW1", c.statistics+", variance of gamma by sigma2/N: "+what, parts[i], c.low[i], c.high[i], seeds)
		}
		slices.Sort(sigma2)
		slices.Sort(defaults)
		accept.Range(t, "CW2", c.statistics+": sigma2 by the truth, median", sigma2[reps/2], c.sigma2[0], c.sigma2[1], seeds)
		accept.Range(t, "CW3", c.statistics+", default prior: sigma2 by the truth, median", defaults[reps/2], c.strong[0], c.strong[1], seeds)
	}
}

// parts are the means over the columns of beta'S_j beta, tr(S_j V) and
// Phi_j'V Phi_j.
func (m *Learned) parts(t *testing.T) (out [3]float64) {
	t.Helper()
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		t.Fatal(err)
	}
	p := float64(m.P)
	for j := range m.P {
		phi0 := lin.Row(w.phi0, m.m, j)
		first := 0.
		if m.lean {
			line := m.line(m.kappa, w.u)
			precision, _ := line.at(m, j, phi0)
			first = 1 / precision
		} else {
			w.sweep.begin(m)
			if !w.sweep.column(m, w, j, phi0, m.kappa, w.u) {
				t.Fatal("precision not positive definite")
			}
			b := append([]float64(nil), m.beta...)
			lin.SolveLower(m.m, w.s, b)
			first = lin.Dot(b, b)
		}
		out[0] += first / p
		out[1] += (m.own[j] - first) / p
		out[2] += m.shared(append([]float64(nil), lin.Row(m.phi, m.m, j)...)) / p
	}
	return out
}
