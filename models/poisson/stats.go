package poisson

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/lin"
)

// stats are the quadratic statistics Lam and h of all absorbed rows,
//
//	log p(D | nu) ~ h'nu - nu'Lam nu/2,   nu = (beta, u),
//
// in arrow form: the effects of two levels of one factor never meet in a row.
// The core is beta and the effects of all factors but the first; the levels
// of the first are the arrow, one record per level. Without an arrow all
// effects are in the core.
type stats struct {
	arrow bool
	q     int       // terms of the first factor, 0 without an arrow
	g     int       // levels in the arrow
	c     int       // order of the core
	lam   []float64 // c x c, lower triangle, row-major: the core's Lam
	h     []float64 // c
	// records has per level of the arrow: q x c of Lam towards the core,
	// q x q within the level, q of h.
	records []float64
	at      [][]int32 // per factor in the core, per level: where its terms begin; empty for the arrow
	term    []int32   // per entry of the core: its term, -1 for beta
}

// record is the length of a record.
func record(q, c int) int { return q * (c + q + 1) }

func newStats(p *shape, arrow bool) stats {
	s := stats{
		arrow: arrow && len(p.factors) > 0, c: p.k,
		lam: make([]float64, p.k*p.k), h: make([]float64, p.k),
		at: make([][]int32, len(p.factors)), term: make([]int32, p.k),
	}
	for j := range s.term {
		s.term[j] = -1
	}
	if s.arrow {
		s.q = p.factors[0].q
	}
	return s
}

// levels returns the levels of factor f that joined.
func (s *stats) levels(f int) int {
	if f == 0 && s.arrow {
		return s.g
	}
	if f >= len(s.at) {
		return 0
	}
	return len(s.at[f])
}

// effects returns the number of effects of all groups.
func (s *stats) effects() int {
	beta := 0
	for _, t := range s.term {
		if t < 0 {
			beta++
		}
	}
	return s.c - beta + s.g*s.q
}

// record returns the parts of level g's record; they alias.
func (s *stats) record(g int) (b, a, h []float64) {
	n := record(s.q, s.c)
	r := s.records[g*n : (g+1)*n : (g+1)*n]
	qc := s.q * s.c
	return r[:qc], r[qc : qc+s.q*s.q], r[qc+s.q*s.q:]
}

// grow makes room for n levels of factor f, of which nothing is known yet.
func (s *stats) grow(p *shape, f, n int) {
	if f == 0 && s.arrow {
		if n > s.g {
			s.records = extend(s.records, (n-s.g)*record(s.q, s.c))
			s.g = n
		}
		return
	}
	old := s.c
	for len(s.at[f]) < n {
		s.at[f] = append(s.at[f], int32(s.c))
		for j := range p.factors[f].q {
			s.term = append(s.term, int32(p.factors[f].term+j))
			s.c++
		}
	}
	if s.c > old {
		s.widen(old)
	}
}

// widen lays the statistics out for a core that was smaller before.
func (s *stats) widen(old int) {
	lam := make([]float64, s.c*s.c)
	for i := range old {
		copy(lam[i*s.c:], s.lam[i*old:i*old+i+1])
	}
	s.lam, s.h = lam, extend(s.h, s.c-old)
	if !s.arrow {
		return
	}
	from, to := record(s.q, old), record(s.q, s.c)
	records := make([]float64, s.g*to)
	for g := range s.g {
		src, dst := lin.Row(s.records, from, g), lin.Row(records, to, g)
		for j := range s.q {
			copy(dst[j*s.c:], lin.Row(src, old, j))
		}
		copy(dst[s.q*s.c:], src[s.q*old:])
	}
	s.records = records
}

// scale multiplies all statistics.
func (s *stats) scale(a float64) {
	lin.Scale(a, s.lam)
	lin.Scale(a, s.h)
	lin.Scale(a, s.records)
}

// extend appends n zeros.
func extend(x []float64, n int) []float64 {
	old := len(x)
	x = slices.Grow(x, n)[:old+n]
	clear(x[old:])
	return x
}

// reduced is what is left for the core when levels of the arrow are
// integrated out at given precisions of the terms: sums over these levels,
// with F = L^-1 B and f = L^-1 h, LL' = A = Lam_gg + D, E = A^-1 B, a = A^-1 h.
type reduced struct {
	lam   []float64 // c x c, lower triangle: sum F'F
	h     []float64 // c: sum F'f
	quad  float64   // sum f'f
	logs  float64   // sum log|A|
	count int       // levels
	// Moments, where asked for. Per term j: sum a_j^2, sum diag(A^-1)_j,
	// sum a_j E_j and, lower triangle, sum E_j'E_j.
	a2, inv, ae, ee []float64

	products, weighted []float64 // scratch of a wide core
}

func (r *reduced) reset(q, c int, moments bool) {
	r.lam, r.h = lin.Grow(r.lam, c*c), lin.Grow(r.h, c)
	clear(r.lam)
	clear(r.h)
	r.quad, r.logs, r.count = 0, 0, 0
	if moments {
		r.a2, r.inv, r.ae, r.ee = lin.Grow(r.a2, q), lin.Grow(r.inv, q), lin.Grow(r.ae, q*c), lin.Grow(r.ee, q*c*c)
		clear(r.a2)
		clear(r.inv)
		clear(r.ae)
		clear(r.ee)
	}
}

// reduce integrates out the levels whose local is negative, all where local is
// nil, at the precisions m of the arrow's terms. It reports whether every A
// is positive definite.
func (s *stats) reduce(r *reduced, m []float64, local []int32, moments bool, w *arrowBlock) bool {
	r.reset(s.q, s.c, moments)
	if s.q == 1 {
		if local == nil && !moments {
			return s.reduceAll(r, m[0])
		}
		return s.reduceScalar(r, m[0], local, moments)
	}
	w.size(s.q, s.c)
	for g := range s.g {
		if local != nil && local[g] >= 0 {
			continue
		}
		r.count++
		b, a, h := s.record(g)
		if !w.load(m, b, a, h) {
			return false
		}
		for j := range s.q {
			addOuter(r.lam, s.c, 1, lin.Row(w.f, s.c, j))
			lin.Axpy(w.h[j], lin.Row(w.f, s.c, j), r.h)
			r.quad += float64(w.h[j] * w.h[j])
			r.logs += 2 * math.Log(w.l[j*s.q+j])
		}
		if !moments {
			continue
		}
		w.back()
		for j := range s.q {
			e := lin.Row(w.f, s.c, j)
			r.a2[j] += float64(w.h[j] * w.h[j])
			r.inv[j] += w.inverse(j)
			lin.Axpy(w.h[j], e, lin.Row(r.ae, s.c, j))
			addOuter(r.ee[j*s.c*s.c:(j+1)*s.c*s.c], s.c, 1, e)
		}
	}
	return true
}

// addOuter adds w x x' to the lower triangle of the n x n matrix a.
func addOuter(a []float64, n int, w float64, x []float64) {
	for i, v := range x {
		if v != 0 {
			lin.Axpy(float64(w*v), x[:i+1], a[i*n:i*n+i+1])
		}
	}
}

// arrowBlock is one level of the arrow, factored.
type arrowBlock struct {
	q, c int
	l    []float64 // q x q: L, LL' = A
	f    []float64 // q x c: F = L^-1 B, E = A^-1 B after back
	h    []float64 // q: f = L^-1 h, a = A^-1 h after back
	z    []float64 // q: scratch
}

func (w *arrowBlock) size(q, c int) {
	w.q, w.c = q, c
	w.l, w.f, w.h, w.z = lin.Grow(w.l, q*q), lin.Grow(w.f, q*c), lin.Grow(w.h, q), lin.Grow(w.z, q)
}

// load factors A = a + diag(m) and reports whether it is positive definite.
func (w *arrowBlock) load(m, b, a, h []float64) bool {
	copy(w.l, a)
	for j := range w.q {
		w.l[j*w.q+j] += m[j]
	}
	if !lin.Cholesky(w.q, w.l) {
		return false
	}
	copy(w.f, b)
	copy(w.h, h)
	solveRows(w.q, w.c, w.l, w.f)
	lin.SolveLower(w.q, w.l, w.h)
	return true
}

// back turns F into E and f into a.
func (w *arrowBlock) back() {
	lin.SolveLowerT(w.q, w.l, w.h)
	for i := w.q - 1; i >= 0; i-- {
		ri := lin.Row(w.f, w.c, i)
		lin.Scale(1/w.l[i*w.q+i], ri)
		for j := range i {
			lin.Axpy(-w.l[i*w.q+j], ri, lin.Row(w.f, w.c, j))
		}
	}
}

// inverse returns entry j of the diagonal of A^-1.
func (w *arrowBlock) inverse(j int) float64 {
	clear(w.z)
	w.z[j] = 1
	lin.SolveLower(w.q, w.l, w.z)
	return lin.Dot(w.z, w.z)
}

// solveRows overwrites the q x c matrix b with L^-1 b.
func solveRows(q, c int, l, b []float64) {
	for i := range q {
		bi := lin.Row(b, c, i)
		for j := range i {
			lin.Axpy(-l[i*q+j], lin.Row(b, c, j), bi)
		}
		lin.Scale(1/l[i*q+i], bi)
	}
}
