package anova

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
)

// gibbs samples the exact posterior from the sufficient statistics of all
// rows, mu with the levels integrated out: the sampler that the streaming
// model is compared with. Everything, sigma2 included, is drawn in turn.
type gibbs struct {
	prior        Prior
	n, sum       []float64
	squares      float64 // of all rows
	sigma2, tau2 float64
	started      bool
	rng          *rand.Rand
	mu, tau, sig []float64
	zeta         [][]float64
}

func (g *gibbs) add(sh *cdf.Shard) {
	for i, y := range sh.Y {
		for j := int(sh.Group[0][i]); len(g.n) <= j; {
			g.n, g.sum = append(g.n, 0), append(g.sum, 0)
		}
		j := sh.Group[0][i]
		g.n[j]++
		g.sum[j] += y
		g.squares += y * y
	}
}

// discount makes all rows so far count less.
func (g *gibbs) discount(lambda float64) {
	for j := range g.n {
		g.n[j] *= lambda
		g.sum[j] *= lambda
	}
	g.squares *= lambda
}

// run makes s sweeps, after 1,000 that are dropped the first time.
func (g *gibbs) run(s int) {
	k := len(g.n)
	g.mu, g.tau, g.sig, g.zeta = lin.Grow(g.mu, s), lin.Grow(g.tau, s), lin.Grow(g.sig, s), make([][]float64, k)
	for j := range g.zeta {
		g.zeta[j] = make([]float64, s)
	}
	from := 0
	if !g.started {
		g.sigma2, g.tau2, g.started, from = 1, 1, true, -1000
	}
	zeta := make([]float64, k)
	for i := from; i < s; i++ {
		precision, mean, rows := 0.0, 0.0, 0.0
		for j, n := range g.n {
			w := 1 / (g.tau2 + g.sigma2/n)
			precision += w
			mean += w * g.sum[j] / n
			rows += n
		}
		if v := g.prior.MuVariance; v > 0 {
			precision += 1 / v
		}
		mu := mean/precision + g.rng.NormFloat64()/math.Sqrt(precision)
		within, between := g.squares, 0.0
		for j, n := range g.n {
			p := n/g.sigma2 + 1/g.tau2
			z := (g.sum[j]/g.sigma2+mu/g.tau2)/p + g.rng.NormFloat64()/math.Sqrt(p)
			zeta[j] = z
			within += n*z*z - 2*z*g.sum[j]
			between += (z - mu) * (z - mu)
		}
		g.tau2 = rnd.InvGamma(g.rng, g.prior.Tau2Shape+float64(k)/2, g.prior.Tau2Rate+between/2)
		g.sigma2 = rnd.InvGamma(g.rng, g.prior.Sigma2Shape+rows/2, g.prior.Sigma2Rate+within/2)
		if i >= 0 {
			g.mu[i], g.tau[i], g.sig[i] = mu, g.tau2, g.sigma2
			for j, z := range zeta {
				g.zeta[j][i] = z
			}
		}
	}
}
