package vec

import "math"

// SchurSums adds what levels leave of a core of c entries when they are integrated out, level by level. The record of a level is b, c
// entries, a and h, and with w = 1/(a + m)
//
//	lam_ij += (w b_i) b_j for j <= i,  h_i += (w h) b_i,  quad += (w h) h
//
// where lam is c x c, row-major, and the sum of quad is returned. Every product is rounded.
//
// It replaces the loop below. For 2, 3 and 4 entries a vector of AVX2 is a row of sums: 0.50, 0.49 and 0.44
// of the time, in turns on an EPYC (Zen 4) beside other work (BenchmarkSchurSums).
func SchurSums(c int, records []float64, m float64, lam, h []float64, quad float64) float64 {
	lam, h = lam[:c*c], h[:c]
	n := c + 2
	rest := records[schurVectors(c, records, m, lam, h, &quad):]
	for ; len(rest) >= 4*n; rest = rest[4*n:] { // four at a time sums are read and written a quarter as often
		p, q, u, v := rest[:n], rest[n:2*n], rest[2*n:3*n], rest[3*n:4*n]
		ip, iq, iu, iv := 1/(p[c]+m), 1/(q[c]+m), 1/(u[c]+m), 1/(v[c]+m)
		xp, xq, xu, xv := float64(ip*p[c+1]), float64(iq*q[c+1]), float64(iu*u[c+1]), float64(iv*v[c+1])
		quad += float64(xp * p[c+1])
		quad += float64(xq * q[c+1])
		quad += float64(xu * u[c+1])
		quad += float64(xv * v[c+1])
		for i := range c {
			sum := h[i] + float64(xp*p[i])
			sum += float64(xq * q[i])
			sum += float64(xu * u[i])
			h[i] = sum + float64(xv*v[i])
			ep, eq, eu, ev := float64(ip*p[i]), float64(iq*q[i]), float64(iu*u[i]), float64(iv*v[i])
			row := lam[i*c : i*c+i+1]
			for j, sum := range row {
				sum += float64(ep * p[j])
				sum += float64(eq * q[j])
				sum += float64(eu * u[j])
				row[j] = sum + float64(ev*v[j])
			}
		}
	}
	for ; len(rest) > 0; rest = rest[n:] {
		w := 1 / (rest[c] + m)
		x := float64(w * rest[c+1])
		quad += float64(x * rest[c+1])
		for i, v := range rest[:c] {
			h[i] += float64(x * v)
			e := float64(w * v)
			row := lam[i*c : i*c+i+1]
			for j := range row {
				row[j] += float64(e * rest[j])
			}
		}
	}
	return quad
}

// Laws are normal laws of a core of c entries, each beside a precision m of levels' effects, side by side: in rows of n numbers, one
// of each law, m, and then for each entry i of the core its mean b_i and the entries l_i0 to l_ii of the lower factor of the core's
// precision. n is a multiple of four; laws that are there to fill it up have factors that are not 0.
type Laws struct {
	C, N int
	Rows []float64
}

// Resize makes room for n laws of a core of c entries, and fills those up that are needed to have a multiple of four.
func (x *Laws) Resize(c, n int) {
	x.C, x.N = c, (n+3)/4*4
	size := x.N * (1 + c + c*(c+1)/2)
	if cap(x.Rows) < size {
		x.Rows = make([]float64, size)
	}
	x.Rows = x.Rows[:size]
	for i := n; i < x.N; i++ {
		for row := i; row < size; row += x.N {
			x.Rows[row] = 1
		}
	}
}

// Set makes law k that of a precision m, means b and the lower factor l, c x c, row-major.
func (x *Laws) Set(k int, m float64, b, l []float64) {
	at := k
	put := func(v float64) {
		x.Rows[at] = v
		at += x.N
	}
	put(m)
	for i := range x.C {
		put(b[i])
		for _, v := range l[i*x.C:][:i+1] {
			put(v)
		}
	}
}

// Of writes mean and sd, of all N laws, of constant + core'(the core's entries) + z times the effect of a level, whose record is that
// of SchurSums. Every product is rounded.
//
// It replaces the loop below: for 1, 2 and 3 entries of the core twelve laws take 0.3 of its time, in turns on an EPYC (Zen 4) beside
// other work (BenchmarkSchurLaws).
func (x *Laws) Of(record, core []float64, z, constant float64, mean, sd []float64) {
	record, core, mean, sd = record[:x.C+2], core[:x.C], mean[:x.N], sd[:x.N]
	if x.vectors(record, core, z, constant, mean, sd) {
		return
	}
	xi := make([]float64, 0, 8)
	for k := range mean {
		at := k
		next := func() float64 {
			v := x.Rows[at]
			at += x.N
			return v
		}
		zi := z * (1 / (record[x.C] + next()))
		m, variance := constant+float64(zi*record[x.C+1]), float64(z*zi)
		dot, squares := 0.0, 0.0
		xi = xi[:0]
		for i, v := range core {
			v -= float64(zi * record[i])
			dot += float64(v * next())
			below := 0.0
			for _, e := range xi {
				below += float64(next() * e)
			}
			v = (v - below) / next()
			xi = append(xi, v)
			squares += float64(v * v)
		}
		mean[k], sd[k] = m+dot, math.Sqrt(variance+squares)
	}
}
