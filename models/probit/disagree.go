package probit

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
)

// disagreeFlag is the flag of a key whose newest rows contradict those before them.
const disagreeFlag = "rows_disagree"

const (
	// fewestNewest is how many of the newest rows are compared with those before, at least.
	fewestNewest = 20
	// doubtful is minus the logarithm of the chance with which rows that agree seem not to.
	doubtful = 9.21 // 1 in 10,000
)

// disagreement compares the newest rows of the window with all before them, the frozen ones
// included. Of the coefficients beta that fit all rows the gradient of the newest,
//
//	g = sum u(xs'beta) xs
//
// is about 0 but for chance and for what beta owes to them. With J their curvature, K^-1 that of
// all rows and of the prior, and h the gradient of all rows, g - JKh has mean 0 and variance
// J - JKJ where one beta made all rows, whatever prior has drawn it aside (Rao's score test of a
// change; compare Andrews, Econometrica 61, 1993). It is judged for each coefficient, and for the newest rows
// of the window, of a half of it, a quarter and so on, by Bernstein's bound: where ones are rare
// few rows decide, and no normal law holds.
type disagreement struct {
	inverse, turned []float64 // p x p: K's factor; the factor times J
	newest, window  rowSums   // of the newest rows; of all of the window
	moved           []float64 // p: Kh
	beta, half      []float64 // p: mean of the draws; the factor times h, then variances
	weighted        []float64 // rows of a product x p
	line            []float64 // one for each row of the window: xs'beta
	hazard, weight  []float64 // likewise: u and w
	equal           []float64 // of each draw, its weight in their mean
}

// rowSums are those of signed rows at beta.
type rowSums struct {
	curvature []float64 // p x p, the lower triangle
	gradient  []float64 // p
	greatest  []float64 // p: what one of the rows has in the gradient, at most
}

func (s *rowSums) size(p int) {
	s.curvature, s.gradient, s.greatest = lin.Grow(s.curvature, p*p), lin.Grow(s.gradient, p), lin.Grow(s.greatest, p)
	clear(s.curvature)
	clear(s.gradient)
	clear(s.greatest)
}

func (d *disagreement) size(p, rows, draws int) {
	d.inverse, d.turned = lin.Grow(d.inverse, p*p), lin.Grow(d.turned, p*p)
	d.newest.size(p)
	d.window.size(p)
	for _, line := range []*[]float64{&d.moved, &d.beta, &d.half} {
		*line = lin.Grow(*line, p)
	}
	d.weighted = lin.Grow(d.weighted, gramRows(p)*p)
	d.line, d.hazard, d.weight = lin.Grow(d.line, rows), lin.Grow(d.hazard, rows), lin.Grow(d.weight, rows)
	d.equal = lin.Grow(d.equal, draws)
}

// gramRows is how many rows are weighted at once: what a cache of 32 KiB holds half of, or a few.
func gramRows(p int) int { return max(scoreRows, 2048/p) }

// disagree reports whether the newest rows contradict those before.
func (m *Model) disagree() bool {
	doubt, looks := m.doubt()
	return doubt > doubtful+math.Log(float64(2*looks))
}

// doubt returns the greatest doubt of a coefficient and a number of newest rows, and of how many it
// is the greatest.
func (m *Model) doubt() (greatest float64, looks int) {
	if m.stage != stageRows || !m.rule.weighsRows || m.rows() < fewestNewest {
		return 0, 1
	}
	w, p := m.work(), m.p
	defer m.scratch.Put(w)
	d := &w.newest
	d.size(p, m.rows(), m.s)
	if !d.begin(m) {
		return 0, 1
	}
	rows, splits := m.rows(), 1
	for rows>>splits >= fewestNewest {
		splits++
	}
	done := 0
	for i := splits - 1; i > 0; i-- {
		newest := rows >> i
		d.add(&d.newest, m.window.x, rows-newest, rows-done)
		done, greatest = newest, max(greatest, d.doubt(&d.newest))
	}
	return max(greatest, d.doubt(&d.window)), p * splits
}

// begin makes K's factor, Kh and the sums of the window. It reports whether there is a K.
func (d *disagreement) begin(m *Model) bool {
	p := m.p
	for s := range d.equal {
		d.equal[s] = 1 / float64(m.s)
	}
	clear(d.beta)
	lin.AddTMul(m.s, 1, p, d.equal, m.draws, d.beta)
	lin.Mul(m.rows(), 1, p, m.window.x, d.beta, d.line)
	normal.Hazards(d.hazard, d.weight, d.line)
	d.add(&d.window, m.window.x, 0, m.rows())
	precision, h := d.turned, d.newest.gradient
	for i := range p {
		frozen := 0.0
		for j, b := range d.beta {
			frozen += m.xx[max(i, j)*p+min(i, j)] * b
		}
		h[i] = m.xz[i] - frozen + d.window.gradient[i]
		for j := range i + 1 {
			precision[i*p+j] = m.xx[i*p+j] + d.window.curvature[i*p+j]
		}
	}
	m.addPrecision(1, precision)
	if !lin.FactorInverse(p, precision, d.inverse) {
		return false
	}
	lin.MulT(1, p, p, h, d.inverse, d.half)
	clear(d.moved)
	lin.AddTMul(p, 1, p, d.half, d.inverse, d.moved)
	clear(h)
	return true
}

// add adds some rows of the window to their sums, of which the curvature is a lower triangle.
func (d *disagreement) add(to *rowSums, window []float64, from, end int) {
	p := len(d.beta)
	for from < end {
		h := min(gramRows(p), end-from)
		x := window[from*p : (from+h)*p]
		hazard, weight := d.hazard[from:from+h], d.weight[from:from+h]
		lin.AddTMul(h, 1, p, hazard, x, to.gradient)
		for r, u := range hazard { // which is not negative
			xs, weighted := lin.Row(x, p, r), lin.Row(d.weighted, p, r)
			for j, v := range xs {
				weighted[j] = weight[r] * v
				to.greatest[j] = max(to.greatest[j], u*math.Abs(v))
			}
		}
		lin.AddGram(h, p, d.weighted, x, to.curvature)
		from += h
	}
}

// doubt returns, of the coefficient for which it is greatest, minus the logarithm of the chance that
// the gradient of the newest rows is as far from its mean where they agree with the others.
func (d *disagreement) doubt(of *rowSums) (most float64) {
	p := len(d.beta)
	lin.Mirror(p, of.curvature)
	lin.Mul(p, p, p, d.inverse, of.curvature, d.turned)
	variance := d.half
	for j := range p {
		variance[j] = of.curvature[j*p+j]
	}
	for l := range p {
		for j, t := range lin.Row(d.turned, p, l) {
			variance[j] -= t * t
		}
	}
	for j := range p {
		own := of.curvature[j*p+j]
		if !(variance[j] > 1e-6*own) { // nothing before tells of the coefficient
			continue
		}
		off := math.Abs(of.gradient[j] - lin.Dot(lin.Row(of.curvature, p, j), d.moved))
		most = max(most, off*off/2/(variance[j]+of.greatest[j]*off/3))
	}
	return most
}
