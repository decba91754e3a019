package anova

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/research/baselines/internal/chain"
)

// groups are the sufficient statistics of the one-way analysis of
// variance
//
//	y_ij | zeta, sigma2 ~ N(zeta_i, sigma2),  zeta_i | mu, tau2 ~ N(mu, tau2)
//
// of all rows: 2k+1 numbers for k groups.
type groups struct {
	n, ybar []float64 // per group: rows, discounted, and their mean
	ss      float64   // sum of squares within the groups, discounted
}

// The places of a point (mu, tau2, sigma2, zeta_1..zeta_k), which are also
// the rows of Draws once there are groups.
const (
	muRow = iota
	tau2Row
	sigma2Row
	zetaRow
)

// checkGroups reports, wrapping ErrShard, a shard without its group column.
func checkGroups(sh *cdf.Shard) error {
	if len(sh.Group) != 1 || len(sh.Group[0]) != sh.Rows || len(sh.Y) != sh.Rows {
		return fmt.Errorf("%w: anova needs one group column with a value in every row", cdf.ErrShard)
	}
	return nil
}

// discount makes all rows so far count less, those of absent groups too.
func (g *groups) discount(lambda float64) {
	for i := range g.n {
		g.n[i] *= lambda
	}
	g.ss *= lambda
}

// add folds in the rows that have a response; new groups join.
func (g *groups) add(sh *cdf.Shard) {
	for i, y := range sh.Y {
		j := int(sh.Group[0][i])
		if math.IsNaN(y) || j < 0 {
			continue
		}
		for len(g.n) <= j {
			g.n, g.ybar = append(g.n, 0), append(g.ybar, 0)
		}
		d, n := y-g.ybar[j], g.n[j]+1
		g.ss += float64(d * d * (g.n[j] / n))
		g.ybar[j] += d / n
		g.n[j] = n
	}
}

// retired is the number of discounted rows below which a group leaves.
const retired = 1e-6

// retire drops the groups that forgetting has emptied and returns their
// indices. With the last group all rows are gone.
func (g *groups) retire() (gone []int32) {
	kept := 0
	for i, n := range g.n {
		if n < retired {
			gone = append(gone, int32(i))
			continue
		}
		g.n[kept], g.ybar[kept] = n, g.ybar[i]
		kept++
	}
	if g.n, g.ybar = g.n[:kept], g.ybar[:kept]; kept == 0 {
		g.ss = 0
	}
	return gone
}

// total returns N.
func (g *groups) total() float64 {
	rows := 0.0
	for _, n := range g.n {
		rows += n
	}
	return rows
}

// squares returns the sum of squares of all rows about zeta.
func (g *groups) squares(zeta []float64) float64 {
	sum := g.ss
	for i, n := range g.n {
		d := g.ybar[i] - zeta[i]
		sum += float64(n * d * d)
	}
	return sum
}

// logLikelihood returns log p(all rows | zeta, sigma2) at a point.
func (g *groups) logLikelihood(x []float64) float64 {
	s2 := x[sigma2Row]
	return -0.5 * (g.total()*math.Log(2*math.Pi*s2) + g.squares(x[zetaRow:])/s2)
}

// pooled returns mean and sum of squares about it of all rows.
func (g *groups) pooled() (mean, squares float64) {
	rows := g.total()
	for i, n := range g.n {
		mean += n / rows * g.ybar[i]
	}
	squares = g.ss
	for i, n := range g.n {
		d := g.ybar[i] - mean
		squares += float64(n * d * d)
	}
	return mean, squares
}

// first fills in the variances that a chain starts with: all that the groups'
// means differ by is due to tau2, and all that the rows do to sigma2.
func (g *groups) first(p *anova.Prior, x []float64) {
	mean, squares := g.pooled()
	between := 0.0
	for _, y := range g.ybar {
		between += (y - mean) * (y - mean)
	}
	x[tau2Row] = (p.Tau2Rate + between/2) / (p.Tau2Shape + float64(len(g.n))/2)
	x[sigma2Row] = (p.Sigma2Rate + squares/2) / (p.Sigma2Shape + g.total()/2)
}

// sweep takes a point one Gibbs sweep on: mu | tau2, sigma2 with zeta
// integrated out, so that the chain mixes, then zeta, tau2 and sigma2 given
// the rest. Only the variances of the point are read.
func (g *groups) sweep(r *rand.Rand, p *anova.Prior, x []float64) {
	tau2, s2, zeta := x[tau2Row], x[sigma2Row], x[zetaRow:]
	centre, spread := g.centre(p, tau2, s2)
	mu := centre + math.Sqrt(spread)*r.NormFloat64()
	between := 0.0
	for i, n := range g.n {
		v := 1 / (n/s2 + 1/tau2)
		d := float64(v*n/s2*(g.ybar[i]-mu)) + float64(math.Sqrt(v)*r.NormFloat64()) // zeta - mu
		zeta[i] = mu + d
		between += float64(d * d)
	}
	x[muRow] = mu
	x[tau2Row] = chain.Variance(r, p.Tau2Shape+float64(len(g.n))/2, p.Tau2Rate+between/2)
	x[sigma2Row] = chain.Variance(r, p.Sigma2Shape+g.total()/2, p.Sigma2Rate+g.squares(zeta)/2)
}

// centre returns mean and variance of mu given the variances, zeta integrated
// out: group i has the precision 1/(tau2 + sigma2/N_i). The sum is taken about
// the first group's mean, so that a large common offset costs no digits.
func (g *groups) centre(p *anova.Prior, tau2, s2 float64) (mean, variance float64) {
	precision, sum, origin := 0.0, 0.0, g.ybar[0]
	for i, n := range g.n {
		w := 1 / (tau2 + s2/n)
		precision += w
		sum += float64(w * (g.ybar[i] - origin))
	}
	if v := p.MuVariance; v > 0 {
		precision += 1 / v
		sum -= origin / v
	}
	return origin + sum/precision, 1 / precision
}

// level returns mean and variance of zeta_i given the variances, mu
// integrated out as N(mean, variance).
func (g *groups) level(i int, tau2, s2, mean, variance float64) (m, v float64) {
	q := 1 / (g.n[i]/s2 + 1/tau2)
	b := q / tau2
	return g.ybar[i] + b*(mean-g.ybar[i]), q + b*b*variance
}

// sound reports that the statistics are those of rows.
func (g *groups) sound() bool {
	for _, n := range g.n {
		if n < 0 {
			return false
		}
	}
	return g.ss >= 0
}
