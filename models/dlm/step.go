package dlm

import (
	"math"

	"github.com/credence-stream/credence/models/internal/dist"
)

// Step is one step of a series: the number of its observations, their mean
// and their sum of squares about it. Without observations, as the zero value
// is, it is missing.
type Step struct{ n, mean, ss float64 }

// Add takes one more observation.
func (s *Step) Add(y float64) {
	s.n++
	d := y - s.mean
	s.mean += d / s.n
	s.ss += float64(d * (y - s.mean))
}

// Count returns the number of observations.
func (s *Step) Count() float64 { return s.n }

// Filter takes theta ~ N(m, v) through the step. It returns the log density of
// the step's observations, up to a constant, and the mean and the variance of
// theta after them.
func (s *Step) Filter(m, v, phi, tau2, sigma2 float64) (log, mean, variance float64) {
	return windowLikelihood([]Step{*s}, m, v, phi, tau2, sigma2)
}

// kalman is Filter without the density.
func (s *Step) kalman(m, v, phi, tau2, sigma2 float64) (float64, float64) {
	m, v = phi*m, float64(phi*phi*v)+tau2
	if s.n == 0 {
		return m, v
	}
	r := sigma2 / s.n
	f := v + r
	return m + v/f*(s.mean-m), v * r / f
}

// windowLikelihood returns the log density of the steps' observations, up to
// a constant, and theta's law after them.
func windowLikelihood(steps []Step, m, v, phi, tau2, sigma2 float64) (log, mean, variance float64) {
	logs, squares, extra := dist.NewLogProduct(), 0.0, 0.0
	for i := range steps {
		s := &steps[i]
		m, v = phi*m, float64(phi*phi*v)+tau2
		if s.n == 0 {
			continue
		}
		r := sigma2 / s.n
		f, e := v+r, s.mean-m
		logs.Mul(f)
		squares += e*e/f + s.ss/sigma2
		extra += s.n - 1
		m, v = m+v/f*e, v*r/f
	}
	return -0.5 * (logs.Log() + squares + extra*math.Log(sigma2)), m, v
}
