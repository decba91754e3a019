package linear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/internal/dist"
)

// Simulation-based calibration: parameters from the prior, data from them;
// the posterior probability below the truth is uniform. 2,000 replicates,
// with few rows (exact marginals) and more (closed form); KS limit 2.2 for 10
// tests: a false alarm in 800 seeds.
func TestIsCalibrated(t *testing.T) {
	const reps, p = 2000, 4
	prior := Prior{BetaVariance: 1, InterceptVariance: 1, Sigma2Shape: 1, Sigma2Rate: 1}
	for _, rows := range []int{40, 80} {
		pits := make([][]float64, p+1)
		inside, scored := 0.0, 0.0
		for rep := range reps {
			r := rand.New(rand.NewPCG(44, uint64(rep)))
			m, err := New(Settings{Prior: prior}, cdf.Dims{Columns: modeltest.Columns(p)})
			if err != nil {
				t.Fatal(err)
			}
			sigma2, beta := 1/r.ExpFloat64(), make([]float64, p)
			for j := range beta {
				beta[j] = r.NormFloat64()
			}
			sh := &cdf.Shard{Rows: rows + 5, Cols: p}
			for range sh.Rows {
				y := math.Sqrt(sigma2) * r.NormFloat64()
				for j := range p {
					x := r.NormFloat64()
					sh.X = append(sh.X, x)
					y += x * beta[j]
				}
				sh.Y = append(sh.Y, y)
			}
			d := modeltest.Stepper{Model: m}
			d.Must(t, modeltest.Cut(sh, 0, rows), 1)
			score, err := m.Score(modeltest.Cut(sh, rows, rows+5), nil)
			if err != nil {
				t.Fatal(err)
			}
			inside += 5 * score.Coverage95
			scored += 5
			for j, v := range append(beta, sigma2) {
				pits[j] = append(pits[j], posteriorBelow(m, j, v))
			}
		}
		for j, u := range pits {
			slices.Sort(u)
			d := 0.0
			for i, v := range u {
				d = max(d, v-float64(i)/reps, float64(i+1)/reps-v)
			}
			t.Logf("%d rows, parameter %d: sqrt(n) D = %.2f", rows, j, d*math.Sqrt(reps))
			if !(d*math.Sqrt(reps) < 2.2) {
				t.Errorf("%d rows, parameter %d: sqrt(n) D = %.2f", rows, j, d*math.Sqrt(reps))
			}
		}
		if z := (inside/scored - .95) / math.Sqrt(.95*.05/scored); !(math.Abs(z) < 4.5) {
			t.Errorf("%d rows: predictive coverage %v", rows, inside/scored)
		}
	}
}

// posteriorBelow is the published posterior's probability below v.
func posteriorBelow(m *Model, j int, v float64) float64 {
	w := m.work()
	defer m.scratch.Put(w)
	if !m.early() {
		if j == m.P {
			return mathext.GammaIncRegComp(m.post.shape, m.post.shape*m.s2/v)
		}
		return dist.StudentCDF((v-m.post.beta[j])/math.Sqrt(closedScale(m, j, j)), 2*m.post.shape)
	}
	m.mixNodes(w)
	if j < m.P {
		m.mixRows(&w.mix, 1, lin.Row(m.post.m, m.P, j))
		w.mix.take(0, 0, false)
		return w.mix.CDF(v)
	}
	w.nodes.accumulate(m)
	lo, hi := 0.0, 1.0
	for hi-lo > 1e-6 {
		if p := 0.5 * (lo + hi); math.Exp(w.nodes.quantile(m, p)) < v {
			lo = p
		} else {
			hi = p
		}
	}
	return lo
}
