package anova

import (
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/internal/describe"
	"github.com/credence-stream/credence/models/internal/dist"
)

// Summarize gives mean and sd of mu, tau2 and zeta and leaves their quantiles to
// the draws, and all of sigma2. But for these quantiles nothing has a Monte Carlo
// error. Without a group all laws are the prior's.
func (m *Model) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	spreads := m.spreads()
	for i, f := range functionals {
		r := &rows[i]
		p, err := m.parameter(f)
		switch {
		case err != nil:
			return err
		case len(m.n) == 0:
			m.priorLaw(r, f, p)
		case p == sigma2Row:
			m.sigma2(r, f)
		default:
			m.open(r, f, p, spreads)
			if !math.IsNaN(r.Mean) {
				r.MCSEMean = 0
			}
		}
	}
	return nil
}

// sigma2 describes a functional of sigma2 alone.
func (m *Model) sigma2(r *cdf.Row, f cdf.Functional) {
	describe.Begin(r, f.Name)
	mean, sd := m.sigmaMoments()
	shift, factor := f.Const, f.Weight[0]
	r.Mean, r.SD = shift+factor*mean, math.Abs(factor)*sd
	q := m.quantiles
	if factor < 0 {
		slices.Reverse(q[:])
	}
	for i := range q {
		q[i] = shift + factor*q[i]
	}
	describe.Quantiles(r, &q)
}

// SummarizeState describes levels whose draws are gone by the mean and sd that
// the state holds, with the quantiles of a normal law. Given tau2 and sigma2 a
// level is normal, and its law is one of many such: the more groups there
// are, the less these differ. Other functionals are left as they came.
func (m *statistics) SummarizeState(functionals []cdf.Functional, rows []cdf.Row) error {
	spreads := m.spreads()
	for i, f := range functionals {
		p, err := m.parameter(f)
		if err != nil {
			return err
		}
		if p < zetaRow {
			continue
		}
		r := &rows[i]
		m.open(r, f, p, spreads)
		r.Open = false
		sd := r.SD
		describe.Normal(r, r.Mean, math.Abs(f.Weight[0])*math.Sqrt(m.vari[p-zetaRow]))
		r.SD = sd
	}
	return nil
}

// moments returns mean and sd of mu, tau2 or a zeta, NaN where undefined. The caller asks once for all of a shard whether the variances
// of levels exist, which depends on all groups.
func (m *statistics) moments(p int, spreads bool) (mean, sd float64) {
	switch p {
	case muRow:
		return m.muMoments()
	case tau2Row:
		return m.tauMoments()
	}
	if !spreads {
		return m.zeta[p-zetaRow], math.NaN()
	}
	return m.zeta[p-zetaRow], math.Sqrt(m.vari[p-zetaRow])
}

// open fills the moments of mu, tau2 or a zeta and leaves the rest to the
// draws.
func (m *statistics) open(r *cdf.Row, f cdf.Functional, p int, spreads bool) {
	mean, sd := m.moments(p, spreads)
	r.Variable, r.Open = f.Name, true
	r.Mean, r.SD = f.Const+f.Weight[0]*mean, math.Abs(f.Weight[0])*sd
}

// parameter returns which of muRow, tau2Row, sigma2Row, zetaRow+i the
// functional is of. One that mixes parameters is refused with ErrSchema.
func (m *statistics) parameter(f cdf.Functional) (int, error) {
	if len(f.Param) != 1 {
		return 0, fmt.Errorf("%w: %s mixes %d parameters", cdf.ErrSchema, f.Name, len(f.Param))
	}
	p := f.Param[0]
	if !m.located() {
		p++ // mu has no row
	}
	if f.Param[0] < 0 || p >= zetaRow+len(m.n) {
		return 0, fmt.Errorf("%w: %s asks for parameter %d", cdf.ErrSchema, f.Name, f.Param[0])
	}
	return p, nil
}

// priorLaw describes the laws of before the first row.
func (m *statistics) priorLaw(r *cdf.Row, f cdf.Functional, p int) {
	describe.Begin(r, f.Name)
	switch p {
	case muRow:
		describe.Normal(r, f.Const, math.Abs(f.Weight[0])*math.Sqrt(m.prior.MuVariance))
	case tau2Row:
		describe.InvGamma(r, &m.law, m.prior.Tau2Shape, m.prior.Tau2Rate, f.Const, f.Weight[0])
	default:
		describe.InvGamma(r, &m.law, m.prior.Sigma2Shape, m.prior.Sigma2Rate, f.Const, f.Weight[0])
	}
}

// PriorSD writes the prior sd of each functional, NaN where undefined: of mu
// and zeta under a flat prior, of the variances with shapes up to 2.
func (m *statistics) PriorSD(functionals []cdf.Functional, dst []float64) {
	for i, f := range functionals {
		sd := math.NaN()
		p, err := m.parameter(f)
		switch {
		case err != nil:
		case p == tau2Row:
			_, sd = dist.InvGammaMoments(m.prior.Tau2Shape, m.prior.Tau2Rate)
		case p == sigma2Row:
			_, sd = dist.InvGammaMoments(m.prior.Sigma2Shape, m.prior.Sigma2Rate)
		case m.flat():
		case p == muRow:
			sd = math.Sqrt(m.prior.MuVariance)
		default:
			mean, _ := dist.InvGammaMoments(m.prior.Tau2Shape, m.prior.Tau2Rate)
			sd = math.Sqrt(m.prior.MuVariance + mean)
		}
		dst[i] = math.Abs(f.Weight[0]) * sd
	}
}

// PriorSensitivity writes that of tau2 and sigma2; of mu that of tau2, of which its sd is made: a prior that has levels alike
// leaves mu's interval too short by as much; and of levels that are too far off for the others the sds by which these,
// whose law is the prior, draw them from the mean of their rows.
func (m *Model) PriorSensitivity(functionals []cdf.Functional, dst []float64) {
	var room dist.FarValues
	far := room.Far(len(m.n), max(m.tau.mean, aboutTau2*m.s2), func(i int) (level, variance float64) { return m.ybar[i], m.s2 / m.n[i] })
	for i, f := range functionals {
		dst[i] = math.NaN()
		p, err := m.parameter(f)
		switch {
		case err != nil || len(m.n) == 0:
		case p == muRow:
			dst[i] = m.sensitivity[0]
		case p < zetaRow:
			dst[i] = m.sensitivity[p-tau2Row]
		case len(far) > 0 && slices.Contains(far, p-zetaRow):
			dst[i] = math.Abs(m.ybar[p-zetaRow]-m.zeta[p-zetaRow]) / math.Sqrt(m.vari[p-zetaRow])
		}
	}
}

// aboutTau2 is what the variance of levels is about at least, in units of sigma2, where weights of levels follow from it.
const aboutTau2 = 1e-3
