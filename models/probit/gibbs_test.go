package probit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/internal/modeltest"
)

// withStatistics returns a model with frozen rows and rows in its window, of which
// those of a separated class too, and the log of its posterior, written down anew.
func withStatistics(t *testing.T, rows int, separated bool) (*Model, func(beta []float64) float64) {
	r := rand.New(rand.NewPCG(65, uint64(rows)))
	m := newTest(t, "corrected", windowOf(rows), dims(2, 64, true))
	d := driver(m)
	sh := newShard(r, rows+20, []float64{.5, -1}, 1, true)
	for i := range sh.Y {
		if separated {
			sh.Y[i] = 1
		}
	}
	d.Must(t, modeltest.Cut(sh, 0, 20), 1)
	d.Must(t, modeltest.Cut(sh, 20, 20+rows), 1)
	return m, func(beta []float64) float64 {
		v := 0.0
		for i := range 2 {
			v += m.xz[i]*beta[i] - beta[i]*beta[i]/(2*m.Variance(i))
			for j := range i + 1 {
				q := m.xx[2*i+j] * beta[i] * beta[j]
				if j == i {
					q /= 2
				}
				v -= q
			}
		}
		for i := range m.rows() {
			v += normal.LogCDF(lin.Dot(lin.Row(m.window.x, 2, i), beta))
		}
		return v
	}
}

// TestMode: at the mode the posterior is flat, and what is left in w.inverse is the
// inverse of the factor of its curvature, by differences.
func TestMode(t *testing.T) {
	for _, c := range []struct {
		rows      int
		separated bool
	}{{5, false}, {300, false}, {12, true}, {300, true}} {
		m, log := withStatistics(t, c.rows, c.separated)
		w := m.work()
		mode := make([]float64, 2)
		if err := m.mode(mode, w); err != nil {
			t.Fatal(err)
		}
		const h = 1e-3
		at := func(di, dj float64, i, j int) float64 {
			b := []float64{mode[0], mode[1]}
			b[i] += di
			b[j] += dj
			return log(b)
		}
		for i := range 2 {
			slope := (at(h, 0, i, i) - at(-h, 0, i, i)) / (2 * h)
			for j := range 2 {
				// The inverse of the inverse factor's square is the curvature: their
				// product is one.
				product := 0.0
				for k := range 2 {
					sigma := 0.0
					for l := range 2 {
						sigma += w.inverse[2*l+k] * w.inverse[2*l+j]
					}
					curvature := -(at(h, h, i, k) - at(h, -h, i, k) - at(-h, h, i, k) + at(-h, -h, i, k)) / (4 * h * h)
					product += curvature * sigma
				}
				want := 0.0
				if i == j {
					want = 1
				}
				if !(math.Abs(product-want) < .01) {
					t.Errorf("%d rows, separated %v: curvature times covariance is %v at %d, %d", c.rows, c.separated, product, i, j)
				}
			}
			// In sds of beta: the last step may have been a thousandth of one.
			if sd := math.Hypot(w.inverse[i], w.inverse[2+i]); !(math.Abs(slope)*sd < .005) {
				t.Errorf("%d rows, separated %v: slope %v at beta_%d = %v, whose sd is about %v", c.rows, c.separated, slope, i, mode[i], sd)
			}
		}
		m.scratch.Put(w)
	}
}

// TestScaleMove: the factor follows the posterior along the ray of the latent
// variables, coefficients integrated out, in 40,000 draws: 4.5 standard errors of
// its first two moments.
func TestScaleMove(t *testing.T) {
	for _, rows := range []int{2, 3, 40} {
		m, _ := withStatistics(t, rows, false)
		r := rand.New(rand.NewPCG(66, 1))
		w := m.work()
		if err := m.covariance(w); err != nil {
			t.Fatal(err)
		}
		latent, s := make([]float64, m.rows()), make([]float64, 2)
		square := 0.0
		for i := range latent {
			latent[i] = math.Abs(r.NormFloat64())
			square += latent[i] * latent[i]
			lin.Axpy(latent[i], lin.Row(m.window.x, 2, i), s)
		}
		mean := func(g float64) []float64 { // of beta
			out := make([]float64, 2)
			for i := range 2 {
				for j := range 2 {
					out[i] += m.post.cov[2*i+j] * (m.xz[j] + g*s[j])
				}
			}
			return out
		}
		var mass, first, second float64
		for i := 1; i < 40_000; i++ {
			g := float64(i) * 1e-3
			v := []float64{m.xz[0] + g*s[0], m.xz[1] + g*s[1]}
			l := (float64(m.rows())-1)*math.Log(g) - g*g*square/2 + lin.Dot(v, mean(g))/2 - lin.Dot(m.xz, mean(0))/2
			p := math.Exp(l)
			mass, first, second = mass+p, first+p*g, second+p*g*g
		}
		first, second = first/mass, second/mass
		sd := math.Sqrt(second - first*first)

		const draws = 40_000
		w.rng = rand.New(rand.NewPCG(67, 1))
		lin.MulT(1, 2, 2, m.xz, m.post.cov, w.rest)
		sum, squares := 0.0, 0.0
		for range draws {
			for c := range m.chains {
				w.square[c] = square
				for j, v := range mean(1) {
					w.mean[j*m.chains+c], w.sum[j*m.chains+c] = v, m.xz[j]+s[j]
				}
			}
			m.rescale(w)
			g := (w.mean[0] - w.rest[0]) / (mean(1)[0] - w.rest[0])
			sum += g
			squares += (g - first) * (g - first)
		}
		if z := (sum/draws - first) / (sd / math.Sqrt(draws)); !(math.Abs(z) < 4.5) {
			t.Errorf("%d rows: factors of mean %v, want %v: z = %.1f", rows, sum/draws, first, z)
		}
		if ratio := squares / draws / (sd * sd); !(math.Abs(ratio-1) < .06) {
			t.Errorf("%d rows: factors of variance %v, want %v", rows, squares/draws, sd*sd)
		}
		m.scratch.Put(w)
	}
}

// A shard of more rows than all before it has a posterior far narrower than the draws that its chains go on from, which do not count. Of 20
// streams sds were up to 1.3 times those of quadrature when they did; those of 500 draws are within a tenth.
func TestMoreRowsThanBefore(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(58, seed))
		sh := newShard(r, 220, []float64{0, .5}, 1, true)
		m := newTest(t, "corrected", windowOf(500), dims(2, 500, true))
		d := driver(m)
		d.Must(t, modeltest.Cut(sh, 0, 20), 1)
		d.Must(t, modeltest.Cut(sh, 20, 220), 1)
		gridRun(t, m, newGrid(m, sh, powers(220, one), 2), .25, .12)
	}
}
