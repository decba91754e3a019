package probit

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/normal"
)

// modeSteps bounds the steps to the mode. Newton's method needs fewer than ten; the
// chains may start from where it stands after more.
const modeSteps = 30

// mode finds the mode of the posterior of the window and the statistics by
// Newton's method, which on this concave function needs nothing but shorter
// steps where one leads down. It leaves the inverse of the factor of the negative
// Hessian there in w.inverse.
func (m *Model) mode(beta []float64, w *work) error {
	p := m.p
	clear(beta)
	step, next := w.direction, w.beta[:p]
	at := m.curvature(beta, w)
	for range modeSteps {
		if !lin.FactorInverse(p, w.precision, w.inverse) {
			return errNumeric("precision not positive definite at the mode")
		}
		// The inverse factor times the gradient twice: Sigma g.
		lin.MulT(1, p, p, w.gradient, w.inverse, next)
		clear(step)
		lin.AddTMul(p, 1, p, next, w.inverse, step)
		rise := lin.Dot(step, w.gradient)
		if rise < 1e-6 {
			return nil
		}
		length := 1.0
		for {
			for j := range p {
				next[j] = beta[j] + length*step[j]
			}
			value := m.curvature(next, w)
			if value >= at+length*rise/4 || length < 1e-6 {
				at = value
				copy(beta, next)
				break
			}
			length /= 2
		}
	}
	return nil
}

// curvature returns the log posterior at beta and leaves its gradient in
// w.gradient and the lower triangle of its negative Hessian in w.precision.
func (m *Model) curvature(beta []float64, w *work) float64 {
	p := m.p
	copy(w.precision, m.xx)
	log := 0.0
	m.addPrecision(1, w.precision)
	// Of the quadratic part: xz'b - b'Qb/2.
	for i := range p {
		row := 0.0
		for j := range p {
			row += w.precision[max(i, j)*p+min(i, j)] * beta[j]
		}
		w.gradient[i] = m.xz[i] - row
		log += beta[i] * (m.xz[i] - row/2)
	}
	for x := m.window.x; len(x) > 0; {
		h := min(scoreRows, len(x)/p)
		for r := range h {
			xs := lin.Row(x, p, r)
			eta := lin.Dot(xs, beta)
			u, weight := normal.Hazard(eta)
			log += normal.LogCDF(eta)
			lin.Axpy(u, xs, w.gradient)
			for j, v := range xs {
				w.weighted[r*p+j] = weight * v
			}
		}
		lin.AddGram(h, p, w.weighted, x[:h*p], w.precision)
		x = x[h*p:]
	}
	if math.IsNaN(log) {
		return math.Inf(-1)
	}
	return log
}
