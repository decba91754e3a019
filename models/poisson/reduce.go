package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
	"github.com/credence-stream/credence/models/internal/dist"
)

// reduceAll is reduceScalar of all levels without moments, which is asked for at
// every node of the variance: the same bits.
func (s *stats) reduceAll(r *reduced, m float64) bool {
	c, n := s.c, record(1, s.c)
	logs, least := dist.NewLogProduct(), math.Inf(1)
	rest, product := s.records[:s.g*n], logs.Product() // a local number: in memory each four would wait for the one before
	for ; len(rest) >= 4*n; rest = rest[4*n:] {
		p, q, u, v := rest[c]+m, rest[n+c]+m, rest[2*n+c]+m, rest[3*n+c]+m
		p1 := product * p
		p2 := p1 * q
		p3 := p2 * u
		p4 := p3 * v
		if dist.Holds(p1) && dist.Holds(p2) && dist.Holds(p3) && dist.Holds(p4) { // then all are above 0
			product = p4
			continue
		}
		least = min(least, p, q, u, v)
		logs.Keep(product)
		logs.Mul(p)
		logs.Mul(q)
		logs.Mul(u)
		logs.Mul(v)
		product = logs.Product()
	}
	logs.Keep(product)
	for ; len(rest) > 0; rest = rest[n:] {
		a := rest[c] + m
		least = min(least, a)
		logs.Mul(a)
	}
	if c < wide {
		r.quad = vec.SchurSums(c, s.records[:s.g*n], m, r.lam, r.h, r.quad)
	} else {
		s.addProducts(r, m)
	}
	r.count = s.g
	r.logs = logs.Log()
	return least > 0 && r.logs < math.Inf(1)
}

// wide is the size of a core from which products of matrices pay: a factor of hundreds of levels beside the first one makes it.
const wide = 32

// addProducts is vec.SchurSums of a wide core, in fused operations: the Gram matrix of the records of levels, whose entries are those of the core,
// a precision of which nothing is taken, and h. A shard of 100 rows of 200 crossed with 200 levels takes 0.4 of the
// time, with what fit.variances does of such a core, and one of 2,500 rows 0.3.
func (s *stats) addProducts(r *reduced, m float64) {
	const together = 128
	c, n := s.c, record(1, s.c)
	r.products = lin.Grow(r.products, n*n)
	r.weighted = lin.Grow(r.weighted, together*n)
	clear(r.products)
	for from := 0; from < s.g; from += together {
		levels := min(together, s.g-from)
		records := s.records[from*n:][:levels*n]
		copy(r.weighted, records)
		for g := range levels {
			rec := lin.Row(r.weighted, n, g)
			lin.Scale(1/(rec[c]+m), rec)
		}
		lin.AddGram(levels, n, r.weighted, records, r.products)
	}
	for i := range c {
		for j, v := range lin.Row(r.products, n, i)[:i+1] {
			r.lam[i*c+j] += v
		}
	}
	last := lin.Row(r.products, n, c+1)
	for i, v := range last[:c] {
		r.h[i] += v
	}
	r.quad += last[c+1]
}

// reduceScalar is reduce for one effect per level: the loop that many groups
// spend their time in.
func (s *stats) reduceScalar(r *reduced, m float64, local []int32, moments bool) bool {
	c, n := s.c, record(1, s.c)
	logs, least := dist.NewLogProduct(), math.Inf(1)
	for g := range s.g {
		if local != nil && local[g] >= 0 {
			continue
		}
		r.count++
		rec := lin.Row(s.records, n, g)
		b, h := rec[:c], rec[c+1]
		a := rec[c] + m
		least = min(least, a)
		logs.Mul(a)
		inv := 1 / a
		x := float64(inv * h)
		r.quad += float64(x * h)
		for i, v := range b {
			r.h[i] += float64(x * v)
			e := float64(inv * v)
			row := r.lam[i*c : i*c+i+1]
			for j := range row {
				row[j] += float64(e * b[j])
			}
			if moments {
				r.ae[i] += float64(x * e)
				row = r.ee[i*c : i*c+i+1]
				for j := range row {
					row[j] += float64(e * float64(inv*b[j]))
				}
			}
		}
		if moments {
			r.a2[0] += float64(x * x)
			r.inv[0] += inv
		}
	}
	r.logs = logs.Log()
	return least > 0 && r.logs < math.Inf(1)
}
