package lin

import "math"

// EigenWork returns the length of the work slice that Eigen needs.
func EigenWork(n int) int { return 4 * n }

// Eigen factors the symmetric n x n matrix A = V' diag(d) V. a holds A
// row-major, of which the lower triangle is read, and leaves as V: row k is
// the eigenvector of d[k]. The order is not promised. work has EigenWork(n)
// entries. It reports whether the iteration converged, which finite matrices
// of ordinary size do. Eigenvalues are accurate relative to the largest.
//
// Householder tridiagonalisation and QL with implicit shifts; Golub and Van
// Loan, Matrix Computations, sections 8.3.1 and 8.3.3. Unlike LAPACK's, it
// allocates nothing and its rotations run along rows.
func Eigen(n int, a, d, work []float64) bool {
	if !Finite(a[:n*n]...) {
		return false
	}
	off, q, c, s := work[:n], work[n:2*n], work[2*n:3*n], work[3*n:4*n]
	if n < eigenPasses {
		tridiagonal(n, a, d, off, q)
	} else {
		tridiagonalPasses(n, a, d, off, q, c, s)
	}
	return implicitQL(n, a, d, off, c, s) && Finite(d[:n]...)
}

// tridiagonal replaces the lower triangle of a by the rows of Q', A = Q T Q',
// d by the diagonal of T and off[i] by its entry (i, i+1).
func tridiagonal(n int, a, d, off, q []float64) {
	for i := n - 1; i > 0; i-- {
		// tau takes the place of the diagonal.
		a[i*n+i] = reflect(n, i, a, d, off, q)
	}
	d[0] = a[0]
	a[0] = 1
	for i := 1; i < n; i++ {
		v, tau := a[i*n:i*n+i], a[i*n+i]
		for r := range i {
			row := a[r*n : r*n+i+1]
			row[i] = 0
			if tau > 0 {
				Axpy(float64(-tau*Dot(v, row)), v, row)
			}
		}
		clear(v)
		a[i*n+i] = 1
	}
}

// reflect makes row i of a, all but its last two entries, 0 by the reflection
// I - tau v v', of which v takes the row's place. It returns tau, 0 where there is
// nothing to do, and applies it to the rows before. d[i] and off[i-1] are T's.
func reflect(n, i int, a, d, off, q []float64) (tau float64) {
	v := a[i*n : i*n+i]
	d[i] = a[i*n+i]
	if head := Dot(v[:i-1], v[:i-1]); head < reflectMin {
		off[i-1] = v[i-1]
		return 0
	} else {
		beta := -math.Copysign(math.Sqrt(head+float64(v[i-1]*v[i-1])), v[i-1])
		off[i-1] = beta
		v[i-1] -= beta
	}
	tau = 2 / Dot(v, v)
	clear(q[:i])
	for r := range i {
		row := a[r*n : r*n+r]
		q[r] += Dot(row, v) + float64(a[r*n+r]*v[r])
		Axpy(v[r], row, q)
	}
	k := tau / 2 * Dot(v, q)
	for r := range i {
		q[r] = float64(tau * (q[r] - float64(k*v[r])))
	}
	for r := range i {
		row := a[r*n : r*n+r+1]
		Axpy(-v[r], q[:r+1], row)
		Axpy(-q[r], v[:r+1], row)
	}
	return tau
}

// sweeps bounds the steps for one eigenvalue; 2 are usual.
const sweeps = 60

// implicitQL makes T diagonal, carrying its rotations along in the rows of z.
func implicitQL(n int, z, d, off, c, s []float64) bool {
	off[n-1] = 0
	for l := range n {
		for sweep := 0; ; sweep++ {
			m := l
			for ; m < n-1; m++ {
				if math.Abs(off[m]) <= 0x1p-53*(math.Abs(d[m])+math.Abs(d[m+1])) {
					break
				}
			}
			if m == l {
				break
			}
			if sweep == sweeps {
				return false
			}
			lo := chase(l, m, d, off, c, s)
			rotateRows(n, lo, m, z, c, s)
		}
	}
	return true
}

// chase takes T, decoupled below row m, through one step with Wilkinson's
// shift. It leaves the rotations of the rows (i, i+1) in c[i], s[i] and
// returns the least i.
func chase(l, m int, d, off, c, s []float64) int {
	g := (d[l+1] - d[l]) / (2 * off[l])
	r := math.Hypot(g, 1)
	g = d[m] - d[l] + off[l]/(g+math.Copysign(r, g))
	sin, cos, p := 1., 1., 0.
	for i := m - 1; i >= l; i-- {
		f, b := float64(sin*off[i]), float64(cos*off[i])
		r = hypot(f, g)
		off[i+1] = r
		if r == 0 { // an entry has become 0 on the way
			d[i+1] -= p
			off[m] = 0
			return i + 1
		}
		sin, cos = f/r, g/r
		g = d[i+1] - p
		r = float64((d[i]-g)*sin) + float64(2*cos*b)
		p = float64(sin * r)
		d[i+1] = g + p
		g = float64(cos*r) - b
		c[i], s[i] = cos, sin
	}
	d[l] -= p
	off[l], off[m] = g, 0
	return l
}

// hypot is math.Hypot, a third of whose time it takes where nothing overflows.
func hypot(x, y float64) float64 {
	if square := float64(x*x) + float64(y*y); square > 1e-280 && square < 1e300 {
		return math.Sqrt(square)
	}
	return math.Hypot(x, y)
}
