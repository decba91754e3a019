package dlm

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/internal/dist"
)

// told is what flags and listings ask of a posterior beside its description. It is
// not part of the state.
type told struct {
	known       bool
	phi, phiSD  float64
	sensitivity [sigma2Row + 1]float64 // of phi, tau2 and sigma2
}

// posterior returns what is told of the present state, of which Summarize usually
// has found it.
func (m *Model) posterior() *told {
	if !m.told.known {
		w := m.family.take()
		if w.weighState(m) {
			m.tell(w)
		}
		m.family.scratch.Put(w)
	}
	return &m.told
}

// tell finds what is told of the posterior that was weighed last.
func (m *Model) tell(w *work) {
	w.marginals()
	p, t := &m.family.settings.Prior, told{known: true}
	t.phi, t.phiSD = w.phiMoments(&m.grid)
	var byTau, bySigma float64
	t.sensitivity[tau2Row], byTau = w.sensitivity(&m.grid, p.Tau2Shape, p.Tau2Rate, true, t.phi)
	t.sensitivity[sigma2Row], bySigma = w.sensitivity(&m.grid, p.Sigma2Shape, p.Sigma2Rate, false, t.phi)
	t.sensitivity[phiRow] = max(math.Abs(byTau), math.Abs(bySigma)) / t.phiSD
	m.told = t
}

// PriorSensitivity writes those of tau2 and sigma2, and that of phi: the sds by which
// its mean moves per power of the prior of tau2 or sigma2, whichever moves it more.
// Where a variance is not what its prior expects, the level is taken for faster or
// slower than it is.
func (m *Model) PriorSensitivity(functionals []cdf.Functional, dst []float64) {
	if m.n == 0 {
		return
	}
	for i, f := range functionals {
		if len(f.Param) == 1 && f.Param[0] <= sigma2Row {
			dst[i] = m.posterior().sensitivity[f.Param[0]]
		}
	}
}

// sensitivity returns, over the posterior that was weighed last, the sd of log p(log s)
// and its covariance with phi, for s = sigma2 or tau2 and its prior density p, IG(a, b).
// At a node, where s ~ IG(A, B), log p has the mean -a log B - bA/B but for a constant, and
// the variance that dist.InvGammaSensitivity is the root of.
func (w *work) sensitivity(g *grid, a, b float64, tau bool, phi float64) (sd, cross float64) {
	var mean, square, within float64
	tail := a * a * (dist.Trigamma(w.shape) - 1/w.shape)
	for k, weight := range w.weight {
		rate, log := w.rate[k], w.logRate[k]
		if tau {
			rate *= g.q[k%nodes]
			log += g.l[k%nodes]
		}
		x := -float64(a*log) - b*w.shape/rate
		apart := b/rate - a/w.shape
		within += weight * (float64(w.shape*apart*apart) + tail)
		mean += weight * x
		square += weight * x * x
		cross += weight * (g.phi[k/nodes] - phi) * x
	}
	return math.Sqrt(within + max(square-mean*mean, 0)), cross
}
