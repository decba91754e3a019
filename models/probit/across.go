package probit

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/cdf/vec"
)

// someDraws is how many draws meet some rows at once: what follows from them stays in a cache of 48 KiB.
const someDraws = 64

// across is what signed rows, up to scoreRows, are to all draws. A draw's are side by side, so that
// sums over the draws, each in their order, are made in one pass for all rows.
type across struct {
	rows          []float64 // p x rows
	lines         []float64 // someDraws x rows: xs'beta
	first, second []float64 // likewise: of xs'beta
	ones          []float64 // someDraws
	sums          [3][scoreRows]float64
}

func (a *across) size(p int) {
	a.rows = make([]float64, p*scoreRows)
	a.lines, a.first, a.second = make([]float64, someDraws*scoreRows), make([]float64, someDraws*scoreRows), make([]float64, someDraws*scoreRows)
	a.ones = make([]float64, someDraws)
	for i := range a.ones {
		a.ones[i] = 1
	}
}

// begin takes the rows and clears the sums.
func (a *across) begin(rows, p int, x []float64) {
	vec.Transpose(rows, p, x, p, a.rows, rows)
	clear(a.sums[:])
}

// meet finds xs'beta of the next draws, and returns how many these are and the lines.
func (a *across) meet(rows, p int, draws []float64) (int, []float64) {
	n := min(someDraws, len(draws)/p)
	lines := a.lines[:n*rows]
	lin.Mul(n, rows, p, draws, a.rows, lines)
	return n, lines
}

// add adds, for each row, what draws are to it.
func (a *across) add(sum, rows, n int, x []float64) {
	lin.AddTMul(n, 1, rows, a.ones, x, a.sums[sum][:])
}

// masses writes, for each of the signed rows, the predictive probability of its response, its
// logarithm, see mass, and the variance over the draws of what it is the mean of.
func (m *Model) masses(w *work, x []float64, q, log, variance []float64) {
	p, a := m.p, &w.across
	rows := len(x) / p
	a.begin(rows, p, x)
	for draws := m.draws; len(draws) > 0; {
		n, lines := a.meet(rows, p, draws)
		phi := a.first[:len(lines)]
		normal.CDFs(phi, lines)
		a.add(0, rows, n, phi)
		vec.AddSquares(n, phi, rows, a.sums[1][:rows])
		draws = draws[n*p:]
	}
	for r, sum := range a.sums[0][:rows] {
		mean := sum / float64(m.s)
		variance[r] = max(a.sums[1][r]/float64(m.s)-float64(mean*mean), 0)
		if sum > .01*float64(m.s) {
			q[r] = mean
			log[r] = math.Log(q[r])
			continue
		}
		lin.MulT(1, m.s, p, lin.Row(x, p, r), m.draws, w.series) // each Phi has to be right by itself
		q[r], log[r] = mass(w.series, 1)
	}
}

// sites writes the weight and the gradient of each of the signed rows that leave.
func (m *Model) sites(w *work, x []float64, weight, c []float64) {
	p, a := m.p, &w.across
	rows := len(x) / p
	a.begin(rows, p, x)
	for draws := m.draws; len(draws) > 0; {
		n, lines := a.meet(rows, p, draws)
		u, v := a.first[:len(lines)], a.second[:len(lines)]
		normal.Hazards(u, v, lines)
		a.add(0, rows, n, lines)
		a.add(1, rows, n, u)
		a.add(2, rows, n, v)
		draws = draws[n*p:]
	}
	n := float64(m.s)
	for r := range rows {
		weight[r], c[r] = m.rule.site(a.sums[0][r]/n, a.sums[1][r]/n, a.sums[2][r]/n)
	}
}
