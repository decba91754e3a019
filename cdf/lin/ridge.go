package lin

import "math"

// ridgePanels is the order from which Ridge goes by panels.
const ridgePanels = 32

// RidgeWork returns the length of the work slice that Ridge needs for order n.
func RidgeWork(n int) int { return max(panels(n+1)*ridgePanel(n), (n+4)*(n+1)) }

// ridgePanel is the length of a panel of n rows, to a multiple of four.
func ridgePanel(n int) int { return (n + 3) / 4 * 4 * panelCols }

// Ridge adds the identity to r'r: the first n rows of the packed factor r of
// order n+1 become those of the factor of the stack [r; I 0], I of order n. The
// last row is neither read nor written. work has RidgeWork(n) entries.
//
// Reflection j touches row j of r and the first j+1 of the identity, which
// fill up: 2/3 n^3 operations, a third of UpdateQR with as many rows, and as
// many as a Gram matrix and its Cholesky factor, which would lose digits. Beyond few
// columns they are applied by panels, as in UpdateQR.
func Ridge(n int, r, work []float64) {
	if n < ridgePanels {
		ridgeEach(n, r, work)
		return
	}
	apart := ridgePanel(n)
	f := work[:panels(n+1)*apart] // the identity and a column of zeros, of each panel the rows that are touched
	for k := range panels(n + 1) {
		clear(f[k*apart:][:min((k+1)*panelCols*panelCols, apart)])
	}
	for j := range n {
		f[j/panelCols*apart+j*panelCols+j%panelCols] = 1
	}
	var h reflections
	for j := 0; j < n; j += panelCols {
		w := min(panelCols, n-j)
		h.panel(r, n+1, j, w, f[j/panelCols*apart:], j+w, apart)
	}
}

// ridgeEach is Ridge by one reflection after the other.
func ridgeEach(n int, r, work []float64) {
	stride := n + 1
	f, rest := work[:n*stride], work[n*stride:]
	v, x, u, w := rest[:stride], rest[stride:2*stride], rest[2*stride:3*stride], rest[3*stride:4*stride]
	clear(f)
	for j := range n {
		below := 1.0 // of the identity's row j
		for i := range j {
			e := f[i*stride+j] - float64(x[i]*u[0])
			v[i] = e
			below += float64(e * e)
		}
		v[j] = 1
		row := r[PackedRow(stride, j):PackedRow(stride, j+1)]
		alpha := row[0]
		beta := -math.Copysign(math.Sqrt(float64(alpha*alpha)+below), alpha)
		head := alpha - beta
		row[0], row = beta, row[1:]
		w := w[:len(row)]
		for k, e := range row {
			w[k] = float64(head * e)
		}
		subSum(j, n-j, stride, f[j+1:], x, u[1:], v, w)
		Scale(-1/(beta*head), w)
		Axpy(-head, w, row)
		x, v = v, x
		copy(u, w)
	}
}
