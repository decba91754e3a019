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
	inverse, newest, turned []float64 // p x p: K's factor; J; the factor times J
	gradient, moved         []float64 // p: h, then of the newest rows; Kh
	beta, half              []float64 // p: mean of the draws; the factor times h
	greatest                []float64 // p: what one of the rows has in the gradient, at most
	weighted                []float64 // scoreRows x p
	hazards                 []float64 // rows x 2: u and w of each row of the window, at beta
}

func (d *disagreement) size(p, rows int) {
	for _, square := range []*[]float64{&d.inverse, &d.newest, &d.turned} {
		*square = lin.Grow(*square, p*p)
	}
	for _, line := range []*[]float64{&d.gradient, &d.moved, &d.beta, &d.half, &d.greatest} {
		*line = lin.Grow(*line, p)
	}
	d.weighted = lin.Grow(d.weighted, scoreRows*p)
	d.hazards = lin.Grow(d.hazards, 2*rows)
}

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
	d.size(p, m.rows())
	if !d.begin(m) {
		return 0, 1
	}
	rows, splits := m.rows(), 1
	for rows>>splits >= fewestNewest {
		splits++
	}
	done := 0
	for i := splits - 1; i >= 0; i-- {
		newest := rows >> i
		d.add(m.window.x[(rows-newest)*p:(rows-done)*p], d.hazards[2*(rows-newest):], d.newest)
		done, greatest = newest, max(greatest, d.doubt(p))
	}
	return greatest, p * splits
}

// begin makes K's factor and Kh, and clears what newest rows are added to. It reports whether
// there is a K.
func (d *disagreement) begin(m *Model) bool {
	p := m.p
	clear(d.beta)
	for s := range m.s {
		lin.Axpy(1/float64(m.s), lin.Row(m.draws, p, s), d.beta)
	}
	precision := d.turned
	copy(precision, m.xx)
	for i := range p {
		frozen := 0.0
		for j, b := range d.beta {
			frozen += m.xx[max(i, j)*p+min(i, j)] * b
		}
		d.gradient[i] = m.xz[i] - frozen
		precision[i*p+i] += 1 / m.Variance(i)
	}
	for r := range m.rows() {
		d.hazards[2*r], d.hazards[2*r+1] = normal.Hazard(lin.Dot(lin.Row(m.window.x, p, r), d.beta))
	}
	d.add(m.window.x, d.hazards, precision)
	if !lin.FactorInverse(p, precision, d.inverse) {
		return false
	}
	lin.MulT(1, p, p, d.gradient, d.inverse, d.half)
	clear(d.moved)
	lin.AddTMul(p, 1, p, d.half, d.inverse, d.moved)
	clear(d.newest)
	clear(d.gradient)
	clear(d.greatest)
	return true
}

// add takes in signed rows by their hazards: their gradient at beta, and the lower triangle of their
// curvature.
func (d *disagreement) add(x, hazards, curvature []float64) {
	p := len(d.beta)
	for len(x) > 0 {
		h := min(scoreRows, len(x)/p)
		for r := range h {
			xs := lin.Row(x, p, r)
			u, weight := hazards[2*r], hazards[2*r+1]
			for j, v := range xs {
				part := u * v
				d.gradient[j] += part
				d.greatest[j] = max(d.greatest[j], math.Abs(part))
				d.weighted[r*p+j] = weight * v
			}
		}
		lin.AddGram(h, p, d.weighted, x[:h*p], curvature)
		x, hazards = x[h*p:], hazards[2*h:]
	}
}

// doubt returns, of the coefficient for which it is greatest, minus the logarithm of the chance that
// the gradient of the newest rows is as far from its mean where they agree with the others.
func (d *disagreement) doubt(p int) (most float64) {
	lin.Mirror(p, d.newest)
	lin.Mul(p, p, p, d.inverse, d.newest, d.turned)
	for j := range p {
		own := d.newest[j*p+j]
		variance := own
		for l := range p {
			t := d.turned[l*p+j]
			variance -= t * t
		}
		if !(variance > 1e-6*own) { // nothing before tells of the coefficient
			continue
		}
		off := math.Abs(d.gradient[j] - lin.Dot(lin.Row(d.newest, p, j), d.moved))
		most = max(most, off*off/2/(variance+d.greatest[j]*off/3))
	}
	return most
}
