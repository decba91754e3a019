package poisson

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/lin"
)

const (
	// innerTol ends the Newton steps, and innerMax.
	innerTol = 1e-7
	innerMax = 50
	// circlesFrom is the step from which on one that goes back is halved. Where a group has no
	// event under a wide prior the full steps go round between two points for ever: a higher
	// rate is less variance, and that a lower rate, by more.
	circlesFrom = 8
)

// newton takes steps at fixed precisions until they are small. It reports whether the last
// one was not that of a way down an exponential, and whether all numbers stayed finite.
func (f *fit) newton() (arrived, finite bool) {
	f.evaluate(f.now, f.b, f.u, f.wbar)
	for step := range innerMax {
		f.gradient(f.now)
		if !f.factor(f.next, f.now.w) {
			return false, false
		}
		copy(f.stepB, f.gradB)
		copy(f.stepU, f.gradU)
		f.solve(f.next, f.stepB, f.stepU)
		size := max(largest(f.stepB), largest(f.stepU))
		if !lin.Finite(size) {
			return false, false
		}
		longest := 1.0
		if step >= circlesFrom && f.reversed() {
			longest = 0.5
		}
		if !f.damp(longest) || size < innerTol {
			return true, true
		}
	}
	return f.reach() < stepFar, true
}

// reversed reports whether the step goes back on the one before.
func (f *fit) reversed() bool {
	sum := 0.0
	for i, d := range f.stepB {
		sum += float64(d * (f.b[i] - f.candB[i]))
	}
	for i, d := range f.stepU {
		sum += float64(d * (f.u[i] - f.candU[i]))
	}
	return sum < 0
}

// reach is the largest change of a row's linear predictor in the full step.
func (f *fit) reach() float64 {
	d, r, q, top := f.design, f.rows, f.stats.q, 0.0
	for i := range r.n {
		eta := d.dotCore(lin.Row(r.x, r.k, i), i, f.stepB)
		if q > 0 {
			t := int(d.t[i])
			eta += lin.Dot(lin.Row(d.z, q, i), lin.Row(f.stepU, q, t))
		}
		top = max(top, math.Abs(eta))
	}
	return top
}

// damp takes at most so much of the step, of which next holds the full length's Sig, shortened
// until the objective does not fall; false says that no length will do. The
// curvature of a row that is vague or has an effect of its own is not that of
// the objective but bounded, so there a bounded step is enough.
func (f *fit) damp(longest float64) bool {
	bounded := f.s2e > 0 || slices.Max(f.now.v) > vague
	a := min(longest, stepMax/f.reach())
	for {
		for i, w := range f.now.w {
			f.candW[i] = (1-a)*f.wbar[i] + a*w
		}
		if a == 1 || f.factor(f.next, f.candW) {
			copy(f.candB, f.b)
			copy(f.candU, f.u)
			lin.Axpy(a, f.stepB, f.candB)
			lin.Axpy(a, f.stepU, f.candU)
			f.evaluate(f.next, f.candB, f.candU, f.candW)
			if bounded || slices.Max(f.next.v) > vague || f.next.value >= f.now.value-1e-10*math.Abs(f.now.value) {
				break
			}
		}
		if a /= 2; a < 1e-9 {
			return false
		}
	}
	f.b, f.candB = f.candB, f.b
	f.u, f.candU = f.candU, f.u
	f.wbar, f.candW = f.candW, f.wbar
	f.now, f.next = f.next, f.now
	return true
}

// largest returns the greatest magnitude, NaN where there is one.
func largest(x []float64) float64 {
	top := 0.0
	for _, v := range x {
		top = max(top, math.Abs(v))
	}
	return top
}
