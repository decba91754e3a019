package anova

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/internal/modeltest"
)

// TestFirstShard compares the 95 % intervals of a first shard with those of a
// sampler that keeps everything, where rows are few: their mean length over 20
// seeds within 3 %, of which .7 % is the error of both.
func TestFirstShard(t *testing.T) {
	const seeds, draws = 20, 20_000
	for _, c := range []struct{ k, rows int }{{5, 10}, {50, 100}} {
		var ratio [zetaRow + 1]float64 // of mu, tau2, sigma2 and the levels
		prior := Defaults().Prior
		for seed := range uint64(seeds) {
			rng := rand.New(rand.NewPCG(seed, 77))
			sh := rowsOf(nil)
			level := make([]float64, c.k)
			for j := range level {
				level[j] = 0.7 * rng.NormFloat64()
			}
			for i := range c.rows {
				sh.Group[0] = append(sh.Group[0], int32(i%c.k))
				sh.Y = append(sh.Y, level[i%c.k]+0.7*rng.NormFloat64())
			}
			sh.Rows = c.rows
			d := newStepper(t, prior, seed, draws, c.k)
			d.Must(t, sh, 1)
			g := &gibbs{prior: prior, rng: rand.New(rand.NewPCG(seed, 78))}
			g.add(sh)
			g.run(2 * draws)
			for i, r := range modeltest.Summarize(t, d.m, functionals(d.m)) {
				if math.IsNaN(r.Q025) || r.Open {
					x := slices.Sorted(slices.Values(d.Draws.Row(i)))
					r.Q025, r.Q975 = mcmc.Quantile(x, .025), mcmc.Quantile(x, .975)
				}
				exact, share := slices.Concat([][]float64{g.mu, g.tau, g.sig}, g.zeta)[i], 1./seeds
				if i >= zetaRow {
					share /= float64(c.k)
				}
				slices.Sort(exact)
				ratio[min(i, zetaRow)] += share * (r.Q975 - r.Q025) / (mcmc.Quantile(exact, .975) - mcmc.Quantile(exact, .025))
			}
		}
		t.Logf("%d groups, %d rows: lengths of intervals of mu %.3f, tau2 %.3f, sigma2 %.3f, zeta %.3f times the exact ones", c.k, c.rows, ratio[0], ratio[1], ratio[2], ratio[3])
		for _, r := range ratio {
			if math.Abs(r-1) > .03 {
				t.Errorf("%d groups, %d rows: lengths %.3f times the exact ones", c.k, c.rows, ratio)
			}
		}
	}
}
