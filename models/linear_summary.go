package models

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// Summarize fills the rows in closed form, or by quadrature while the rows
// are few: nothing is left open. A functional is affine in beta or in sigma2;
// one that mixes both is refused with ErrSchema.
func (m *Linear) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	w := m.work()
	defer m.works.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	early := m.n > 0 && m.early()
	if early {
		m.mixNodes(w)
		w.nodes.accumulate(m)
	}
	for i, f := range functionals {
		r := &rows[i]
		*r = exactRow(f.Name)
		factor, isSigma, err := m.directions(f, w.c)
		switch {
		case err != nil:
			return err
		case isSigma && early:
			m.earlySigma(r, f.Const, factor, &w.nodes)
		case isSigma:
			m.closedSigma(r, f.Const, factor)
		case early:
			m.mixAt(&w.mix, w.c, f.Const, false)
			r.Mean, r.SD = w.mix.moments()
			var q [7]float64
			for k, p := range levels {
				q[k] = w.mix.quantile(p, normals[k])
			}
			setQuantiles(r, &q)
		default:
			m.closedBeta(r, f, w.c)
		}
	}
	return nil
}

// exactRow is a row without Monte Carlo error, its moments still NaN.
func exactRow(name string) cdf.Row {
	nan := math.NaN()
	return cdf.Row{Variable: name, Mean: nan, SD: nan, ESSBulk: nan, ESSTail: nan, RHat: nan}
}

// split returns the factor of sigma2 in the functional and whether it is one
// of sigma2.
func (s *linearShape) split(f cdf.Functional) (factor float64, isSigma bool, err error) {
	for k, j := range f.Param {
		if j < 0 || j > s.p {
			return 0, false, fmt.Errorf("%w: %s asks for parameter %d of %d", cdf.ErrSchema, f.Name, j, s.p+1)
		}
		if j == s.p {
			factor += f.Weight[k]
			isSigma = true
		} else if isSigma {
			err = fmt.Errorf("%w: %s mixes beta and sigma2", cdf.ErrSchema, f.Name)
		}
	}
	if isSigma && f.Param[0] < s.p {
		err = fmt.Errorf("%w: %s mixes beta and sigma2", cdf.ErrSchema, f.Name)
	}
	return factor, isSigma, err
}

// onlyBeta refuses a functional of sigma2.
func (s *linearShape) onlyBeta(f cdf.Functional) error {
	_, isSigma, err := s.split(f)
	if err == nil && isSigma {
		err = fmt.Errorf("%w: %s is not a coefficient", cdf.ErrSchema, f.Name)
	}
	return err
}

// directions writes the functional of beta into c as coefficients of the
// directions of V.
func (m *Linear) directions(f cdf.Functional, c []float64) (factor float64, isSigma bool, err error) {
	factor, isSigma, err = m.split(f)
	if err != nil || isSigma {
		return factor, isSigma, err
	}
	clear(c)
	for k, j := range f.Param {
		lin.Axpy(f.Weight[k], m.post.m[j*m.p:(j+1)*m.p], c)
	}
	return 0, false, nil
}

// closedBeta is t with 2a” degrees of freedom; before the first row, the
// prior normal.
func (m *Linear) closedBeta(r *cdf.Row, f cdf.Functional, c []float64) {
	q := &m.post
	mean, scale := f.Const, 0.0
	for k, j := range f.Param {
		mean += f.Weight[k] * q.beta[j]
	}
	for j, v := range c {
		scale += v * v * q.shrink[j]
	}
	scale = math.Sqrt(scale)
	r.Mean = mean
	var x [7]float64
	if m.n == 0 {
		r.SD = scale
		for k, z := range normals {
			x[k] = mean + z*scale
		}
	} else {
		if q.shape > 1 {
			r.SD = scale * math.Sqrt(q.shape/(q.shape-1))
		}
		x = q.law.at(q.shape).student(mean, scale)
	}
	setQuantiles(r, &x)
}

// closedSigma is IG(a”, a” s2), the prior before the first row.
func (m *Linear) closedSigma(r *cdf.Row, shift, factor float64) {
	q := &m.post
	invGammaRow(r, &q.law, q.shape, q.shape*m.plugin(), shift, factor)
}

// invGammaRow describes shift + factor*X, X ~ IG(shape, rate).
func invGammaRow(r *cdf.Row, law *standard, shape, rate, shift, factor float64) {
	if shape > 1 {
		mean := rate / (shape - 1)
		r.Mean = shift + factor*mean
		if shape > 2 {
			r.SD = math.Abs(factor) * mean / math.Sqrt(shape-2)
		}
	}
	x := law.at(shape).invGamma(rate, shift, factor)
	setQuantiles(r, &x)
}

// earlySigma takes the moments where the closed form has them too, so that
// they do not come and go.
func (m *Linear) earlySigma(r *cdf.Row, shift, factor float64, n *linearNodes) {
	mean, sd := n.sigma2()
	if m.post.shape > 1 {
		r.Mean = shift + factor*mean
	}
	if m.post.shape > 2 {
		r.SD = math.Abs(factor) * sd
	}
	var q [7]float64
	for k, p := range levels {
		if factor < 0 {
			p = 1 - p
		}
		q[k] = shift + factor*math.Exp(n.quantile(m, p))
	}
	setQuantiles(r, &q)
}

// LogEvidence returns log p(D_1, ..., D_t), exactly: it is not the surrogate's
// but an integral over sigma2. NaN once a shard was discounted.
func (m *Linear) LogEvidence() float64 {
	if m.forgot {
		return math.NaN()
	}
	if m.n == 0 {
		return 0
	}
	q := &m.post
	if q.ready && q.known {
		return q.evidence
	}
	w := m.work()
	defer m.works.Put(w)
	if m.prepare(w) != nil {
		return math.NaN()
	}
	q.evidence, q.known = m.logEvidence(&w.nodes), true
	return q.evidence
}
