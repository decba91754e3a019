package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/dist"
)

// reduceAll is reduceScalar of all levels without moments, which is asked for at
// every node of the variance: four levels at a time, so that the sums, in the same
// order, are read and written a quarter as often.
func (s *stats) reduceAll(r *reduced, m float64) bool {
	c, n := s.c, record(1, s.c)
	logs, least := dist.NewLogProduct(), math.Inf(1)
	rest := s.records[:s.g*n]
	for ; len(rest) >= 4*n; rest = rest[4*n:] {
		p, q, u, v := rest[:n], rest[n:2*n], rest[2*n:3*n], rest[3*n:4*n]
		ap, aq, au, av := p[c]+m, q[c]+m, u[c]+m, v[c]+m
		least = min(least, ap, aq, au, av)
		product := logs.Product() // not in memory between the four
		p1 := product * ap
		p2 := p1 * aq
		p3 := p2 * au
		p4 := p3 * av
		if dist.Holds(p1) && dist.Holds(p2) && dist.Holds(p3) && dist.Holds(p4) {
			logs.Keep(p4)
		} else {
			logs.Mul(ap)
			logs.Mul(aq)
			logs.Mul(au)
			logs.Mul(av)
		}
		ip, iq, iu, iv := 1/ap, 1/aq, 1/au, 1/av
		xp, xq, xu, xv := float64(ip*p[c+1]), float64(iq*q[c+1]), float64(iu*u[c+1]), float64(iv*v[c+1])
		quad := r.quad + float64(xp*p[c+1])
		quad += float64(xq * q[c+1])
		quad += float64(xu * u[c+1])
		r.quad = quad + float64(xv*v[c+1])
		for i := range c {
			h := r.h[i] + float64(xp*p[i])
			h += float64(xq * q[i])
			h += float64(xu * u[i])
			r.h[i] = h + float64(xv*v[i])
			ep, eq, eu, ev := float64(ip*p[i]), float64(iq*q[i]), float64(iu*u[i]), float64(iv*v[i])
			row := r.lam[i*c : i*c+i+1]
			for j, sum := range row {
				sum += float64(ep * p[j])
				sum += float64(eq * q[j])
				sum += float64(eu * u[j])
				row[j] = sum + float64(ev*v[j])
			}
		}
	}
	for ; len(rest) > 0; rest = rest[n:] {
		a, h := rest[c]+m, rest[c+1]
		least = min(least, a)
		logs.Mul(a)
		inv := 1 / a
		x := float64(inv * h)
		r.quad += float64(x * h)
		for i, v := range rest[:c] {
			r.h[i] += float64(x * v)
			e := float64(inv * v)
			row := r.lam[i*c : i*c+i+1]
			for j := range row {
				row[j] += float64(e * rest[j])
			}
		}
	}
	r.count = s.g
	r.logs = logs.Log()
	return least > 0 && r.logs < math.Inf(1)
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
