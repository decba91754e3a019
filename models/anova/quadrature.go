package anova

import (
	"math"
	"sort"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/models/internal/dist"
)

// With zeta and mu integrated out, the posterior is one of two variables:
// sigma2 and rho = tau2/sigma2. Given rho, with t_i = 1 + N_i rho,
//
//	P = sum N_i/t_i,  M = sum (N_i/t_i) ybar_i / P,  Q = sum (N_i/t_i) (ybar_i - M)^2
//	mu | sigma2 ~ N(M, sigma2/P) under a flat prior
//	sigma2 ~ IG(A, B),  A = a + alpha + (N-1)/2,  B = beta + b/rho + (W + Q)/2
//	p(log rho) ~ rho^-a prod t_i^-1/2 P^-1/2 B^-A
//
// and a prior mu ~ N(0, v) multiplies the density of (rho, sigma2) by that of
// N(M; 0, v + sigma2/P). The trapezoidal rule in log rho and log sigma2, on
// points a third of a standard deviation apart, leaves no error that is worth a
// name: these densities are analytic, with singularities pi away from the axis.
// Twice the distance would do for moments, but draws are moved within a cell.

// depth is how far below its peak a log density is left out.
const depth = 18

// widest bounds log rho and log sigma2 on each side of where they peak. The law
// of few groups falls so slowly that its moments need the room.
const widest = 150

// most bounds the cells: 50 MB. The widest laws take 800,000.
const most = 1 << 20

// node is a value of rho with what follows from it.
type node struct {
	rho       float64
	mean      float64 // M, less the origin
	precision float64 // P
	rate      float64 // B
	log       float64 // of the density but for what depends on sigma2

	first, end int // its cells

	// Over the cells: the mass, and given rho the mean of sigma2, mean and
	// variance of mu's conditional mean, and mean of its variance.
	mass, sigma2, mu, moves, spread float64
}

// cell is a point of the grid: a value of sigma2, which is the at-th of its
// lattice, and the mass up to it.
type cell struct {
	at                      int
	sigma2, log, mass, upTo float64
}

// grid is the posterior of rho and sigma2 on the points that matter.
type grid struct {
	nodes         []node
	cells         []cell
	stepX         float64   // of log rho
	stepZ         float64   // of log sigma2
	middle        float64   // log sigma2 at the peak, where its lattice has 0
	shape, origin float64   // A, and what means are less
	share         []float64 // of sigma2, by point of the lattice
}

// fill lays the grid over the posterior of the statistics. It reports whether it
// could: numbers that overflow leave no law.
func (g *grid) fill(m *statistics) bool {
	rows := 0.0
	for _, n := range m.n {
		rows += n
	}
	g.nodes, g.cells = g.nodes[:0], g.cells[:0]
	g.origin = m.ybar[0]
	g.shape = m.prior.Tau2Shape + m.prior.Sigma2Shape + (rows-1)/2
	height := func(x float64) float64 {
		n := g.at(m, x)
		_, log, _ := g.sigma2Peak(m, &n)
		return n.log + log
	}
	x, sd := peak(height, -40, 40, 2)
	g.stepX = sd / 3
	n := g.at(m, x)
	z, _, sd := g.sigma2Peak(m, &n)
	g.stepZ, g.middle = sd/3, z
	top := math.Inf(-1)
	if g.stepX > 0 && g.stepZ > 0 {
		top = g.add(m, n, top)
	}
	if !lin.Finite(top) {
		return false
	}
	power := powers(m.tail())
	for _, step := range []float64{-g.stepX, g.stepX} {
		for far := step; math.Abs(far) < widest; far += step {
			least := top - depth - power*max(far, 0)
			log := g.add(m, g.at(m, x+far), least)
			if math.IsNaN(log) {
				return false
			}
			if !(log >= least) || len(g.cells) >= most {
				break
			}
			top = max(top, log)
		}
	}
	g.settle(m, top)
	return len(g.cells) < most
}

// powers is how many moments a law has whose density falls as exp(-tail x): they
// are what its grid must be wide enough for.
func powers(tail float64) float64 {
	switch {
	case tail > 2:
		return 2
	case tail > 1:
		return 1
	}
	return 0
}

// at returns the node of x = log rho.
func (g *grid) at(m *statistics, x float64) node {
	n := node{rho: math.Exp(x)}
	// In variables: a field that is added to waits for memory.
	rho, origin, ybar := n.rho, g.origin, m.ybar[:len(m.n)]
	precision, sum, all := 0.0, 0.0, dist.NewLogProduct()
	product := all.Product()
	for j, rows := range m.n {
		t := 1 + float64(rows*rho)
		p := rows / t
		precision += p
		sum += float64(p * (ybar[j] - origin))
		if next := product * t; dist.Holds(next) {
			product = next
		} else {
			all.Keep(product)
			all.Mul(t)
			product = all.Product()
		}
	}
	all.Keep(product)
	mean := sum / precision
	squares := 0.0
	for j, rows := range m.n {
		d := ybar[j] - origin - mean
		squares += float64(rows / (1 + float64(rows*rho)) * d * d)
	}
	n.precision, n.mean = precision, mean
	n.rate = m.prior.Sigma2Rate + m.prior.Tau2Rate/n.rho + (m.ss+squares)/2
	n.log = float64(-m.prior.Tau2Shape*x) - 0.5*(all.Log()+math.Log(n.precision))
	return n
}

// logAt returns the log density of z = log sigma2 given rho, but for a constant.
func (g *grid) logAt(m *statistics, n *node, z, sigma2 float64) float64 {
	log := float64(-g.shape*z) - n.rate/sigma2
	if v := m.prior.MuVariance; v > 0 {
		variance, mean := v+sigma2/n.precision, n.mean+g.origin
		log -= float64(0.5 * (math.Log(variance) + mean*mean/variance))
	}
	return log
}

// sigma2Peak returns where log sigma2 peaks given rho, the log density there and
// the standard deviation of the normal law of the same curvature.
func (g *grid) sigma2Peak(m *statistics, n *node) (z, log, sd float64) {
	z, sd = math.Log(n.rate/g.shape), 1/math.Sqrt(g.shape)
	if m.prior.MuVariance > 0 {
		// The prior of mu adds half a row, without which there may be no peak.
		z, sd = math.Log(n.rate/(g.shape+0.5)), 1/math.Sqrt(g.shape+0.5)
		// Where the prior of mu and the rows contradict each other sigma2 may be
		// as large as explains that.
		mean := n.mean + g.origin
		far := min(math.Log(mean*mean*n.precision), z+600)
		z, sd = peak(func(z float64) float64 { return g.logAt(m, n, z, math.Exp(z)) }, z-2, max(z+2, far), min(1, 2*sd))
	}
	return z, g.logAt(m, n, z, math.Exp(z)), min(sd, 1)
}

// add adds a node with its cells, down to a log density, and returns its highest, NaN where numbers overflow: its cells are at no
// place of the lattice then.
func (g *grid) add(m *statistics, n node, least float64) float64 {
	z, top, _ := g.sigma2Peak(m, &n)
	top += n.log
	least = max(least, top-depth)
	power := powers(g.shape)
	n.first = len(g.cells)
	at := int(math.Round((z - g.middle) / g.stepZ))
	middle := math.Exp(g.z(at))
	g.put(m, &n, at, middle)
	for _, way := range [...]int{-1, 1} {
		sigma2, ratio := middle, math.Exp(g.stepZ*float64(way))
		for i := 1; float64(i)*g.stepZ < widest; i++ {
			sigma2 *= ratio
			log := g.put(m, &n, at+way*i, sigma2)
			if !(log >= least-power*g.stepZ*float64(max(way*i, 0))) || len(g.cells) >= most {
				break
			}
		}
	}
	n.end = len(g.cells)
	g.nodes = append(g.nodes, n)
	return top
}

// z returns log sigma2 at a point of its lattice.
func (g *grid) z(at int) float64 { return g.middle + float64(g.stepZ*float64(at)) }

func (g *grid) put(m *statistics, n *node, at int, sigma2 float64) float64 {
	c := cell{at: at, sigma2: sigma2, log: n.log + g.logAt(m, n, g.z(at), sigma2)}
	g.cells = append(g.cells, c)
	return c.log
}

// settle turns log densities into masses and finds the moments of each node.
func (g *grid) settle(m *statistics, top float64) {
	total := 0.0
	for i := range g.cells {
		c := &g.cells[i]
		c.mass = math.Exp(c.log - top)
		total += c.mass
	}
	upTo := 0.0
	for i := range g.nodes {
		n := &g.nodes[i]
		second := 0.0
		for j := n.first; j < n.end; j++ {
			c := &g.cells[j]
			c.mass /= total
			upTo += c.mass
			c.upTo = upTo
			mean, spread := g.muGiven(m, n, c.sigma2)
			n.mass += c.mass
			n.sigma2 += float64(c.mass * c.sigma2)
			n.spread += float64(c.mass * spread)
			n.mu += float64(c.mass * (mean - n.mean))
			second += float64(c.mass * (mean - n.mean) * (mean - n.mean))
		}
		if n.mass == 0 {
			continue
		}
		n.sigma2 /= n.mass
		n.spread /= n.mass
		n.mu /= n.mass
		n.moves = max(second/n.mass-float64(n.mu*n.mu), 0)
		n.mu += n.mean
	}
}

// muGiven returns mean, less the origin, and variance of mu given rho and sigma2.
func (g *grid) muGiven(m *statistics, n *node, sigma2 float64) (mean, variance float64) {
	variance = sigma2 / n.precision
	if v := m.prior.MuVariance; v > 0 {
		share := v / (v + variance)
		return float64(share*(n.mean+g.origin)) - g.origin, share * variance
	}
	return n.mean, variance
}

// sigma2Quantiles returns the quantiles of sigma2 at dist.Levels. Between the
// middles of its lattice the law is taken for normal in log sigma2.
func (g *grid) sigma2Quantiles() (q [7]float64) {
	least, most := g.cells[0].at, g.cells[0].at
	for _, c := range g.cells {
		least, most = min(least, c.at), max(most, c.at)
	}
	// One point beyond each end, which has nothing.
	g.share = grown(g.share, most-least+3)
	for _, c := range g.cells {
		g.share[c.at-least+1] += c.mass
	}
	// The mass below the middle of points i and i+1, by Euler and Maclaurin.
	sum := 0.0
	below := func(i int) float64 { return sum + (g.share[i+1]-g.share[i])/24 }
	i, from, to := 0, 0.0, below(0)
	for k, p := range dist.Levels {
		for to < p && i+2 < len(g.share) {
			i++
			sum += g.share[i]
			from, to = to, below(i)
		}
		low, high := normal.Quantile(from), normal.Quantile(to)
		part := (dist.NormalQuantiles[k] - low) / (high - low)
		if !(part >= 0 && part <= 1) {
			part = 0.5 // all of the mass is in one cell
		}
		q[k] = min(math.Exp(g.middle+float64(g.stepZ*(float64(least+i-1)-0.5+part))), math.MaxFloat64)
	}
	return q
}

// pick returns the cell below which lies the part u of the mass, and its node.
func (g *grid) pick(u float64) (*node, *cell) {
	at := min(sort.Search(len(g.cells), func(i int) bool { return g.cells[i].upTo > u }), len(g.cells)-1)
	in := sort.Search(len(g.nodes), func(i int) bool { return g.nodes[i].end > at })
	return &g.nodes[in], &g.cells[at]
}

// peak returns where a function is largest, and the standard deviation, 1 at the
// most, of a normal law whose log density is curved as the function is there. It
// looks from from to to in steps, beyond an end at which the function still grows,
// and then ever closer.
func peak(f func(float64) float64, from, to, step float64) (at, sd float64) {
	at, top := from, f(from)
	for x := from + step; x < to+step; x += step {
		if v := f(x); v > top {
			at, top = x, v
		}
	}
	for h := step; ; h /= 2 {
		for _, stride := range [...]float64{-h, h} {
			for v := f(at + stride); v > top; v = f(at + stride) {
				at, top, stride = at+stride, v, 2*stride
			}
		}
		left, right := top-f(at-h), top-f(at+h)
		if fall := left + right; left >= 0 && right >= 0 && fall <= 1 || !(h > 1e-12) {
			return at, min(h/math.Sqrt(max(fall, 0)), 1)
		}
	}
}

// grown makes room for the sums over groups, all 0.
func grown(x []float64, k int) []float64 {
	x = lin.Grow(x, k)
	clear(x)
	return x
}
