package poisson

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/rnd"
)

// draw fills the draws with independent ones of the joint law: the variance
// by its marginal, nu by the normal of a neighbouring node; with several terms
// the variances and nu are independent.
//
// Random numbers are taken draw after draw: of each its variances, its core and its
// levels. Effects of levels are made of them for many draws at once, so that a level is
// factored once for each normal that these are of, and not once for each draw.
func (m *base) draw(s *cdf.Step, w *work) error {
	b := &w.drawing
	defer func() { clear(b.rows) }() // or the scratch would keep the draws alive
	for from := 0; from < s.Draws.S; from += drawnMost {
		b.begin(&m.stats, from, min(drawnMost, s.Draws.S-from))
		m.drawCores(s, b)
		if !m.drawLevels(s.Draws, b, &w.block) {
			return fmt.Errorf("%w: poisson: level not positive definite", cdf.ErrNumeric)
		}
	}
	return nil
}

// drawing is draws that are made together, and the scratch for it. Cores take at most 2 MiB,
// or c*c numbers where that is more, as the statistics have; normals at most 2 MiB, or half
// of the records of the levels where that is more; all else 28 KiB, and 4 for each term.
type drawing struct {
	from, n int         // the draws from, ..., from+n-1
	b       []float64   // c: the core of one draw
	core    []float64   // c x n: the cores of all, if there is an arrow
	z       []float64   // standard normals of up to line draws, level after level
	normal  []int       // n: which of the posterior's normals a draw is of
	order   []int       // n: the draws, those of one normal in a run
	runs    []run       // these runs
	u       []float64   // q x n: a level's effects in that order
	rows    [][]float64 // q: rows of u, or of the draws themselves if there is one run
	sums    []float64   // 4 x n: the partial sums of lin.Dot
	ones    []float64   // n
}

const (
	// drawnMost is how many draws are made together: so many that factoring a level costs
	// little beside them, and so few that the cores stay in the cache.
	drawnMost = 512
	// line is how many numbers share a line of the cache: normals of so many draws are taken
	// before they go to the rows of the effects, which lie apart in memory.
	line = 8
	// normalsMost is how many normals of several draws are taken before: 2 MiB.
	normalsMost = 1 << 18
)

func (b *drawing) begin(s *stats, from, n int) {
	b.from, b.n = from, n
	b.b, b.normal = lin.Grow(b.b, s.c), lin.Resize(b.normal, n)
	if s.g == 0 {
		return
	}
	b.core, b.u, b.sums, b.ones = lin.Grow(b.core, s.c*n), lin.Grow(b.u, s.q*n), lin.Grow(b.sums, 4*n), lin.Grow(b.ones, n)
	b.order, b.rows = lin.Resize(b.order, n), lin.Resize(b.rows, s.q)
	for i := range b.ones {
		b.ones[i] = 1
	}
}

// drawCores takes the random numbers of the draws, and leaves standard normals in place of
// the effects of the arrow's levels.
func (m *base) drawCores(s *cdf.Step, b *drawing) {
	numbers := m.stats.g * m.stats.q
	together := drawnTogether(numbers)
	b.z = lin.Grow(b.z, together*numbers)
	for k := 0; k < b.n; k += together {
		some := min(together, b.n-k)
		for i := range some {
			m.drawCore(s, k+i, b)
			rnd.StreamNormals(s.RNG, s.Source, lin.Row(b.z, numbers, i))
		}
		m.putNormals(s.Draws, b.from+k, some, b.z)
	}
}

// drawnTogether returns of how many draws the normals are taken before they go to their
// rows: a whole line of the cache or, for the bound's sake, a part that lines are made of.
func drawnTogether(numbers int) int {
	n := line
	for n > 1 && n*numbers > normalsMost {
		n /= 2
	}
	return n
}

// drawCore makes all of draw from + k but the effects of the arrow's levels.
func (m *base) drawCore(s *cdf.Step, k int, b *drawing) {
	st, at := &m.stats, b.from+k
	effects := st.effects()
	l := 0.0
	for t := range m.post.vars {
		l = m.post.vars[t].quantile(s.RNG.Float64())
		s.Draws.Row(m.k + effects + t)[at] = math.Exp(l)
	}
	b.normal[k] = m.post.normalAt(l, s.RNG)
	g, core := &m.post.gauss[b.normal[k]], b.b
	rnd.StreamNormals(s.RNG, s.Source, core)
	lin.SolveLowerT(st.c, g.l, core)
	lin.Axpy(1, g.b, core)
	if st.g > 0 {
		for i, v := range core {
			b.core[i*b.n+k] = v
		}
	}
	for j := range m.k {
		s.Draws.Row(j)[at] = core[j]
	}
	row := m.k
	for f, factor := range m.factors {
		n := st.levels(f)
		if f > 0 || !st.arrow {
			for level, first := range st.at[f] {
				for j := range factor.q {
					s.Draws.Row(row + j*n + level)[at] = core[int(first)+j]
				}
			}
		}
		row += n * factor.q
	}
}

// normalAt returns which of the normals a draw is of: of one variance a neighbour of its
// logarithm l, of several one by the weights.
func (q *posterior) normalAt(l float64, rng *rand.Rand) int {
	switch last := len(q.gauss) - 1; {
	case last == 0:
		return 0
	case len(q.vars) == 1:
		return q.neighbour(l, rng.Float64())
	default:
		u := rng.Float64()
		for i, wt := range q.wt[:last] {
			if u -= wt; u < 0 {
				return i
			}
		}
		return last
	}
}

// neighbour returns which of the two normals about l, the nearer one more often.
func (q *posterior) neighbour(l, u float64) int {
	last := len(q.gauss) - 1
	hi := 1
	for hi < last && -math.Log(q.gauss[hi].m[0]) < l {
		hi++
	}
	from, to := -math.Log(q.gauss[hi-1].m[0]), -math.Log(q.gauss[hi].m[0])
	if u*(to-from) < l-from {
		return hi
	}
	return hi - 1
}
