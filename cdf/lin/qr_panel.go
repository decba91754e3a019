package lin

import "math"

const (
	// PanelRows is how many rows UpdateQR folds in at once: whole strips, and no
	// power of two.
	PanelRows = 10 * stripCols

	fewCols    = 8   // reflections of so few columns are applied one by one to
	fewRows    = 96  // fewer rows than these
	panelsPay  = 128 // the order from which matrices as tall as wide are reduced by panels
	panelCols  = 8   // reflections applied at once
	panelAhead = 48  // columns that they are applied to at once
)

// updatePanels is UpdateQR by panels of columns: a panel is reduced by its own
// reflections, one by one, and what is right of it by their product, in strips.
//
// It replaces one reflection after the other over all columns. In turns on one
// core of an EPYC (Zen 4), in us:
//
//	n     rows    one by one  AVX-512
//	6     1,000   14.7        7.9 (1.9 x)
//	21    100     25.4        8.0 (3.2 x)
//	51    10      15.9        13.6 (1.2 x)
//	51    100     104         27.8 (3.8 x)
//	51    1,000   1,010       232 (4.4 x)
//	501   10      897         465 (1.9 x)
//	501   1,000   108,000     15,300 (7.0 x)
//
// BenchmarkUpdateQR measures it.
func updatePanels(r []float64, n int, b []float64, rows int) {
	var side [PanelRows * panelCols]float64
	h := reflections{side: side[:]}
	for i := 0; i < rows; i += PanelRows {
		m := min(PanelRows, rows-i)
		for j := 0; j < n; j += panelCols {
			h.panel(r, n, j, min(panelCols, n-j), b[j*rows+i:], m, rows)
		}
	}
}

// panel takes the stack of r and b, of which the columns before j are 0 in b,
// on by w columns. b begins with column j; m rows of it are not 0.
func (h *reflections) panel(r []float64, n, j, w int, b []float64, m, stride int) {
	h.reduce(r, n, j, w, b, m, stride)
	if j+w < n {
		combine(w, m, b, stride, h.t[:], h.side, h.minus[:])
		h.apply(r, n, j, w, b, m, stride)
	}
}

// nothing is a reflection that is none.
var nothing [1]float64

// reflections are up to panelCols of them, I - v t v' each, whose v has head in
// its own row of the factor and x below. Their product is I + V minus V', V holds the v.
type reflections struct {
	minus    [panelCols * panelCols]float64 // upper triangular
	t, head  [panelCols]float64
	due, dot [panelCols]float64
	side     []float64 // X by rows
	sum, by  [panelAhead * panelCols]float64
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
		head, t := 0.0, 0.0
		if below > 0 && square >= reflectMin {
			// beta takes the sign that avoids cancellation in the head, alpha-beta.
			beta := -math.Copysign(math.Sqrt(square), alpha)
			head = alpha - beta
			row[0], t = beta, -1/(beta*head)
		}
		h.head[k], h.t[k] = head, t
		if k+1 == w {
			break
		}
		subDot(w-k-1, m, stride, b[(k+1)*stride:], due[k+1:], last, x, d)
		for l := k + 1; l < w; l++ {
			due[l] = float64(t * (float64(head*row[l-k]) + d[l-k-1]))
			row[l-k] -= float64(head * due[l])
		}
		last = x
	}
}

// combine finds minus of w reflections with the factors t, whose v are the rows of x, m
// entries each and stride apart. It leaves them side by side, too.
func combine(w, m int, x []float64, stride int, t, side, minus []float64) {
	var gram [stripCols * stripCols]float64
	transpose(w, m, x, stride, side, w)
	clear(minus[:w*w])
	for l := 0; l < m; l += stripDeep {
		strip(w, w, min(stripDeep, m-l), factor{x[l:], stride, 1}, side[l*w:], w, gram[:], w)
	}
	for j, t := range t[:w] {
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
			head := h.head[i]
			for l, v := range r[PackedRow(n, j+i)+k-i:][:c] {
				sum[l*w+i] = float64(head * v)
			}
		}
		for l := 0; l < m; l += stripDeep {
			strip(c, w, min(stripDeep, m-l), factor{ahead[l:], stride, 1}, h.side[l*w:], w, sum, w)
		}
		clear(by)
		strip(c, w, w, factor{sum, w, 1}, h.minus[:], w, by, w)
		for i := range w {
			head, row := h.head[i], r[PackedRow(n, j+i)+k-i:][:c]
			for l := range row {
				row[l] += float64(head * by[l*w+i])
			}
		}
		for i := 0; i < m; i += stripCols {
			strip(c, min(stripCols, m-i), w, factor{by, w, 1}, b[i:], stride, ahead[i:], stride)
		}
	}
}
