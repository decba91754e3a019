package lin

import "math"

const (
	// PanelOrder is the order beyond which UpdateQR takes columns by panels.
	PanelOrder = 8
	// PanelRows is how many rows it then folds in at once: whole strips, and no
	// power of two.
	PanelRows = 5 * stripCols

	panelCols  = 8  // reflections applied at once
	panelAhead = 48 // columns that they are applied to at once
)

// updatePanels is UpdateQR by panels of columns: a panel is reduced by its own
// reflections, one by one, and what is right of it by their product, in strips.
//
// It replaces one reflection after the other over all columns. In turns on one
// core of an EPYC (Zen 4), in us:
//
//	n     rows    one by one  AVX-512
//	21    100     20.8        8.3 (2.5 x)
//	51    10      30.0        13.5 (2.2 x)
//	51    1,000   1,090       282 (3.9 x)
//	501   10      1,590       525 (3.0 x)
//	501   1,000   210,000     17,300 (12 x)
//
// BenchmarkUpdateQR measures it.
func updatePanels(r []float64, n int, b []float64, rows int) {
	var h reflections
	for i := 0; i < rows; i += PanelRows {
		m := min(PanelRows, rows-i)
		for j := 0; j < n; j += panelCols {
			w := min(panelCols, n-j)
			h.reduce(r, n, j, w, b[j*rows+i:], m, rows)
			if j+w < n {
				h.combine(w, b[j*rows+i:], m, rows)
				h.apply(r, n, j, w, b[j*rows+i:], m, rows)
			}
		}
	}
}

// nothing is a reflection that is none.
var nothing [1]float64

// reflections are up to panelCols of them, I - v t v' each, whose v has 1 in its
// own row of the factor and x below. Their product is I + V minus V', V = (I; X).
type reflections struct {
	minus, gram [panelCols * panelCols]float64 // upper triangular; X'X
	t, due, dot [panelCols]float64
	side        [PanelRows * panelCols]float64 // X by rows
	sum, by     [panelAhead * panelCols]float64
}

// reduce finds the w reflections that make 0 of the columns of b under the rows
// j to j+w of r, which it applies to those columns. b is left with X.
func (h *reflections) reduce(r []float64, n, j, w int, b []float64, m, stride int) {
	// The reflection before, of the column last, is due in the columns from k on.
	last, due, d := b[:m], h.due[:w], h.dot[:w]
	clear(due)
	for k := range w {
		x := b[k*stride:][:m]
		row := r[PackedRow(n, j+k):][:w-k]
		if k > 0 {
			dotPass(1, m, stride, x, due[k:], last, last, d)
		}
		dotPass(1, m, stride, x, nothing[:], x, x, d)
		alpha, below := row[0], d[0]
		square := float64(alpha*alpha) + below
		t := 0.0
		if below > 0 && square >= reflectMin {
			// beta takes the sign that avoids cancellation in the head, alpha-beta.
			beta := -math.Copysign(math.Sqrt(square), alpha)
			head := alpha - beta
			row[0], t = beta, -head/beta
			Scale(1/head, x)
		}
		h.t[k] = t
		if k+1 == w {
			break
		}
		subDot(w-k-1, m, stride, b[(k+1)*stride:], due[k+1:], last, x, d)
		for l := k + 1; l < w; l++ {
			due[l] = float64(t * (row[l-k] + d[l-k-1]))
			row[l-k] -= due[l]
		}
		last = x
	}
}

// combine finds minus for the w reflections that reduce left.
func (h *reflections) combine(w int, b []float64, m, stride int) {
	transpose(w, m, b, stride, h.side[:], w)
	gram, minus := h.gram[:w*w], h.minus[:w*w]
	clear(gram)
	clear(minus)
	strip(w, w, m, factor{b, stride, 1}, h.side[:], w, gram, w)
	for j, t := range h.t[:w] {
		for i := range j {
			minus[i*w+j] = float64(-t * Dot(minus[i*w+i:i*w+j], gram[j*w+i:]))
		}
		minus[j*w+j] = -t
	}
}

// apply applies the w reflections to what is right of their columns, which
// begin with column j of r.
func (h *reflections) apply(r []float64, n, j, w int, b []float64, m, stride int) {
	for k := w; k < n-j; k += panelAhead {
		c := min(panelAhead, n-j-k)
		sum, by, ahead := h.sum[:c*w], h.by[:c*w], b[k*stride:]
		for i := range w {
			for l, v := range r[PackedRow(n, j+i)+k-i:][:c] {
				sum[l*w+i] = v
			}
		}
		strip(c, w, m, factor{ahead, stride, 1}, h.side[:], w, sum, w)
		clear(by)
		strip(c, w, w, factor{sum, w, 1}, h.minus[:], w, by, w)
		for i := range w {
			row := r[PackedRow(n, j+i)+k-i:][:c]
			for l := range row {
				row[l] += by[l*w+i]
			}
		}
		for i := 0; i < m; i += stripCols {
			strip(c, min(stripCols, m-i), w, factor{by, w, 1}, b[i:], stride, ahead[i:], stride)
		}
	}
}
