package lin

// The passes of panel.go over fewer columns than a vector has lanes, as
// reductions of a few columns and the last steps of all others make them, four rows at a time.

// narrowSum subtracts xu' from the m x n block a, whose rows are stride apart, and
// adds v'a of the result to w.
func narrowSum(m, n, stride int, a, x, u, v, w []float64) {
	if n == 0 {
		return
	}
	u, w = u[:n], w[:n]
	i := 0
	for ; i+4 <= m; i += 4 {
		a0, a1, a2, a3 := a[i*stride:][:n], a[(i+1)*stride:][:n], a[(i+2)*stride:][:n], a[(i+3)*stride:][:n]
		x0, x1, x2, x3 := x[i], x[i+1], x[i+2], x[i+3]
		v0, v1, v2, v3 := v[i], v[i+1], v[i+2], v[i+3]
		for j, uj := range u {
			r0, r1 := a0[j]-float64(x0*uj), a1[j]-float64(x1*uj)
			r2, r3 := a2[j]-float64(x2*uj), a3[j]-float64(x3*uj)
			a0[j], a1[j], a2[j], a3[j] = r0, r1, r2, r3
			w[j] += (float64(v0*r0) + float64(v1*r1)) + (float64(v2*r2) + float64(v3*r3))
		}
	}
	for ; i < m; i++ {
		row, xi, vi := a[i*stride:][:n], x[i], v[i]
		for j, uj := range u {
			r := row[j] - float64(xi*uj)
			row[j] = r
			w[j] += float64(vi * r)
		}
	}
}

// narrowDot subtracts xu' from the m x n block a, whose rows are stride apart, and
// sets y to av of the result.
func narrowDot(m, n, stride int, a, x, u, v, y []float64) {
	u, v = u[:n], v[:n]
	i := 0
	for ; i+4 <= m; i += 4 {
		a0, a1, a2, a3 := a[i*stride:][:n], a[(i+1)*stride:][:n], a[(i+2)*stride:][:n], a[(i+3)*stride:][:n]
		x0, x1, x2, x3 := x[i], x[i+1], x[i+2], x[i+3]
		var s0, s1, s2, s3 float64
		for j, uj := range u {
			r0, r1 := a0[j]-float64(x0*uj), a1[j]-float64(x1*uj)
			r2, r3 := a2[j]-float64(x2*uj), a3[j]-float64(x3*uj)
			a0[j], a1[j], a2[j], a3[j] = r0, r1, r2, r3
			vj := v[j]
			s0 += float64(vj * r0)
			s1 += float64(vj * r1)
			s2 += float64(vj * r2)
			s3 += float64(vj * r3)
		}
		y[i], y[i+1], y[i+2], y[i+3] = s0, s1, s2, s3
	}
	for ; i < m; i++ {
		row, xi, s := a[i*stride:][:n], x[i], 0.0
		for j, uj := range u {
			r := row[j] - float64(xi*uj)
			row[j] = r
			s += float64(v[j] * r)
		}
		y[i] = s
	}
}
