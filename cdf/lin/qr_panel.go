package lin

import "math"

// It replaced passes over columns, with the rows of the block side by side. In turns on
// one core of an EPYC (Zen 5), in us:
//
//	n     rows    columns  AVX-512
//	21    100     5.3      3.1 (1.7 x)
//	51    10      9.6      4.7 (2.0 x)
//	51    100     17.9     11.5 (1.6 x)
//	51    1,000   140      99.5 (1.4 x)
//	501   1,000   7,110    5,980 (1.2 x)
//
// Panels that lie together, and a kernel that keeps the sums of eight reflections in registers (apply_amd64.go), replace strips of
// rows that were whole. A shard of linear with 1,000 rows takes 0.87 of the time at 50 columns, 0.89 at 500 with it, in turns on a
// Xeon with AVX-512.
//
// With AVX2, which used strips, 10, 100 and 1,000 rows take 0.56, 0.67 and 0.70 of the time with n = 51 by kernels of its own, 0.37, 0.56 and 0.59 with
// n = 501, in turns on an EPYC (Zen 4) beside other work: 37 GF/s with 1,000 rows in place of 22.
//
// BenchmarkUpdateQR measures it.

// reflections are up to panelCols of them, I - v t v' each, whose v has head in
// its own row of the factor and x below. Their product, which what is right of theirs is
// multiplied by, is I + V minus V', V holds the v.
type reflections struct {
	head, by, dot [panelCols]float64
	minus         [panelCols * panelCols]float64 // upper triangular
	sums          [3 * 4 * panelCols]float64     // of AVX2, with three vectors of columns
}

// panel takes the stack of r and b, of which the columns before j are 0 in b,
// on by so many columns. b begins with the panel of column j, m rows of it are not 0, and the
// panels are apart.
func (h *reflections) panel(r []float64, n, j, columns int, b []float64, m, apart int) {
	h.reduce(r, n, j, min(panelCols, n-j), columns, b, m)
	for k := panelCols; k < n-j; {
		ahead := b[k/panelCols*apart:]
		done := h.applyVectors(r, n, j, k, b, ahead, m, apart)
		if done == 0 {
			done = min(panelCols, n-j-k)
			h.apply(r, n, j, k, done, b, ahead, m)
		}
		k += done
	}
}

// reduce finds the reflections that make 0 of so many columns of b under the rows of r from j
// on, and applies them to w columns. In their place it leaves X.
//
// Assembly does so in one call, with by and dot in registers. With AVX-512 a shard of linear of 10 rows takes 0.85 of the time at 50
// columns with it, 0.91 of 100 rows, 0.94 of 1,000, in turns on a Xeon. It leaves X, as apply then takes it, four rows of a column
// after those of the column before, as it has made them first: so no product waits for a shuffle, and of columns done with nothing is
// written. That takes 0.59 of the time with 100 rows and 0.87 with four, in turns on an EPYC (Zen 4). With AVX2 UpdateQR takes 0.65, 0.83
// and 0.87 of the time there for 10, 100 and 1,000 rows with n = 51, 0.75 for 100 with n = 11. Zeros of X may have another sign,
// which no entry of r depends on: it begins without -0, and sums and differences make none of what is not -0.
func (h *reflections) reduce(r []float64, n, j, w, columns int, b []float64, m int) {
	if !h.reduceVectors(r, n, j, w, columns, b, m) {
		h.reduceEach(r, n, j, w, columns, b, m)
	}
}

func (h *reflections) reduceEach(r []float64, n, j, w, columns int, b []float64, m int) {
	clear(h.by[:])
	for k := range columns {
		// The reflection before is due.
		reflectRows((m+3)/4, panelCols, b, max(k-1, 0), k, &h.by, &h.dot)
		row := r[PackedRow(n, j+k):][:w-k]
		alpha, below := row[0], h.dot[k]
		square := float64(alpha*alpha) + below
		head, t := 0.0, 0.0
		if below > 0 && square >= reflectMin {
			// beta takes the sign that avoids cancellation in the head, alpha-beta.
			beta := -math.Copysign(math.Sqrt(square), alpha)
			head = alpha - beta
			row[0], t = beta, -1/(beta*head)
		}
		h.head[k], h.by[k] = head, 0
		dot, by := h.dot[k+1:w], h.by[k+1:w]
		for l, v := range row[1:] {
			s := float64(t * (float64(head*v) + dot[l]))
			by[l] = s
			row[l+1] = v - float64(head*s)
		}
		if j+w < n {
			h.join(k, t)
		}
	}
}

// join takes reflection k, with the factor t, into the product of those before it: dot has the
// products of their x with its own.
func (h *reflections) join(k int, t float64) {
	minus := &h.minus
	for i := range k {
		row := minus[i*panelCols:][:panelCols]
		row[k] = float64(-t * Dot(row[i:k], h.dot[i:]))
	}
	clear(minus[k*panelCols:][:k])
	minus[k*panelCols+k] = -t
}

// apply applies panelCols reflections to the c columns of a panel, which is the columns of r from j+k
// on. The rows of the reflections are x.
func (h *reflections) apply(r []float64, n, j, k, c int, x, a []float64, m int) {
	const w = panelCols
	var room [2 * w * w]float64
	sum, back := room[:w*c], room[w*w:][:w*c]
	for i := range w {
		head, s := h.head[i], Row(sum, c, i)
		for l, v := range r[PackedRow(n, j+i)+k-i:][:c] {
			s[l] = float64(head * v)
		}
	}
	for l := 0; l < m; l += stripDeep {
		strip(w, c, min(stripDeep, m-l), factorOf(x[l*w:], 1, w), a[l*w:], w, sum, c)
	}
	strip(w, c, w, factorOf(h.minus[:], 1, w).first(true), sum, c, back, c)
	for l := 0; l < m; l += stripRows {
		strip(min(stripRows, m-l), c, w, factorOf(x[l*w:], w, 1), back, c, a[l*w:], w)
	}
	for i := range w {
		head, s := h.head[i], Row(back, c, i)
		row := r[PackedRow(n, j+i)+k-i:][:c]
		for l, v := range s {
			row[l] += float64(head * v)
		}
	}
}
