package models

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/rnd"
)

// What the models say of their parameters before the first row. Laws with a
// closed form are exact; quantiles of the others are those of priorDraws draws.

var (
	_ cdf.PriorTeller = (*Anova)(nil)
	_ cdf.PriorTeller = (*AnovaPaper)(nil)
	_ cdf.PriorTeller = (*Probit)(nil)
	_ cdf.PriorTeller = (*Poisson)(nil)
	_ cdf.PriorTeller = (*dlmWindow)(nil)
	_ cdf.PriorTeller = (*CompressedLearned)(nil)
	_ cdf.PriorTeller = (*CompressedSketch)(nil)
)

// priorDraws is the number of draws: their quantiles at .025 are off by 5 % of
// an sd or so.
const priorDraws = 4000

// normalRow describes a normal law.
func normalRow(r *cdf.Row, mean, sd float64) {
	r.Mean, r.SD = mean, sd
	var q [7]float64
	for k, z := range normals {
		q[k] = mean + z*sd
	}
	setQuantiles(r, &q)
}

// drawnRow describes draws, which it sorts, by their quantiles.
func drawnRow(r *cdf.Row, draws []float64) {
	slices.Sort(draws)
	var q [7]float64
	for k, p := range levels {
		q[k] = cdf.Quantile(draws, p)
	}
	setQuantiles(r, &q)
}

// DescribePrior describes mu and the groups only where mu has a proper prior.
func (m *anovaState) DescribePrior(functionals []cdf.Functional, rows []cdf.Row, rng *rand.Rand) error {
	sds := make([]float64, len(functionals))
	m.PriorSD(functionals, sds)
	p, law := &m.prior, standard{}
	var effects []float64 // zeta, mu and tau2 being drawn
	for i, f := range functionals {
		at, err := m.parameter(f)
		if err != nil {
			return err
		}
		r, w := &rows[i], f.Weight[0]
		*r = exactRow(f.Name)
		switch {
		case at == tau2Row:
			invGammaRow(r, &law, p.Tau2Shape, p.Tau2Rate, f.Const, w)
		case at == sigma2Row:
			invGammaRow(r, &law, p.Sigma2Shape, p.Sigma2Rate, f.Const, w)
		case m.flat():
			unknown(r)
		case at == muRow:
			normalRow(r, f.Const, sds[i])
		default:
			if effects == nil {
				effects = centred(rng, func() float64 {
					return math.Sqrt(p.MuVariance + rnd.InvGamma(rng, p.Tau2Shape, p.Tau2Rate))
				})
			}
			spread(r, effects, f.Const, w)
			if p.Tau2Shape > 0.5 {
				r.Mean = f.Const
			}
			r.SD = sds[i]
		}
	}
	return nil
}

// centred returns draws of normal laws with the mean 0, mixed over their sds:
// with every draw its mirror image.
func centred(rng *rand.Rand, sd func() float64) []float64 {
	draws := make([]float64, priorDraws)
	for s := 0; s < priorDraws; s += 2 {
		draws[s] = sd() * rng.NormFloat64()
		draws[s+1] = -draws[s]
	}
	return draws
}

// spread describes shift + w times the draws.
func spread(r *cdf.Row, draws []float64, shift, w float64) {
	x := make([]float64, len(draws))
	for s, v := range draws {
		x[s] = shift + w*v
	}
	drawnRow(r, x)
}

// unknown leaves nothing of a row but its name: the prior is improper.
func unknown(r *cdf.Row) {
	for _, v := range r.Numbers() {
		*v = math.NaN()
	}
}

// DescribePrior describes coefficients by their normal laws.
func (h *ProbitColumns) DescribePrior(functionals []cdf.Functional, rows []cdf.Row, _ *rand.Rand) error {
	sds := make([]float64, len(functionals))
	h.PriorSD(functionals, sds)
	for i, f := range functionals {
		if err := h.Only(f); err != nil {
			return err
		}
		rows[i] = exactRow(f.Name)
		normalRow(&rows[i], f.Const, sds[i])
	}
	return nil
}

// DescribePrior describes coefficients by normal laws, variances of groups by
// their own, effects by normal laws mixed over these.
func (m *poissonBase) DescribePrior(functionals []cdf.Functional, rows []cdf.Row, rng *rand.Rand) error {
	sds := make([]float64, len(functionals))
	m.PriorSD(functionals, sds)
	p, law := &m.settings.Prior, standard{}
	var effects []float64
	w := m.work()
	defer m.works.Put(w)
	count := m.stats.effects()
	for i, f := range functionals {
		term, err := m.locate(f, &w.place)
		if err != nil {
			return err
		}
		r := &rows[i]
		*r = exactRow(f.Name)
		switch {
		case term >= 0 && m.half():
			// P(s2 <= x) = 2/pi atan(sqrt(x)/A)
			var q [7]float64
			for k, level := range levels {
				t := p.GroupScale * math.Tan(math.Pi/2*level)
				q[k] = f.Const + f.Weight[0]*t*t
			}
			setQuantiles(r, &q)
		case term >= 0:
			invGammaRow(r, &law, p.GroupShape, p.GroupRate, f.Const, f.Weight[0])
		case len(f.Param) == 0 || f.Param[0] < m.k:
			normalRow(r, f.Const, sds[i])
		case f.Param[0] < m.k+count:
			if effects == nil {
				effects = centred(rng, func() float64 { return m.priorScale(rng) })
			}
			spread(r, effects, f.Const, f.Weight[0])
			if !m.half() && p.GroupShape > 0.5 {
				r.Mean = f.Const
			}
			r.SD = sds[i]
		}
	}
	return nil
}

// priorScale draws the sd of an effect.
func (m *poissonBase) priorScale(rng *rand.Rand) float64 {
	p := &m.settings.Prior
	if m.half() {
		return p.GroupScale * math.Tan(math.Pi/2*rng.Float64())
	}
	return math.Sqrt(rnd.InvGamma(rng, p.GroupShape, p.GroupRate))
}

// DescribePrior describes phi, where it is not uniform, by draws; theta is that
// before the first row.
func (m *dlmWindow) DescribePrior(functionals []cdf.Functional, rows []cdf.Row, rng *rand.Rand) error {
	p, law := &m.prior, standard{}
	for i, f := range functionals {
		r, w := &rows[i], f.Weight[0]
		*r = exactRow(f.Name)
		switch f.Param[0] {
		case dlmTau2:
			invGammaRow(r, &law, p.Tau2Shape, p.Tau2Rate, f.Const, w)
		case dlmSigma2:
			invGammaRow(r, &law, p.Sigma2Shape, p.Sigma2Rate, f.Const, w)
		case dlmTheta:
			normalRow(r, f.Const, math.Abs(w)*math.Sqrt(p.Theta0Variance))
		default:
			p.describePhi(r, rng)
		}
	}
	return nil
}

// describePhi describes phi, a normal law between -1 and 1 or the uniform one.
func (p *DLMPrior) describePhi(r *cdf.Row, rng *rand.Rand) {
	if p.PhiVariance == 0 {
		r.Mean, r.SD = 0, 1/math.Sqrt(3)
		var q [7]float64
		for k, level := range levels {
			q[k] = 2*level - 1
		}
		setQuantiles(r, &q)
		return
	}
	sd := math.Sqrt(p.PhiVariance)
	draws := make([]float64, priorDraws)
	for s := range draws {
		draws[s] = rnd.TruncNormal(rng, p.PhiMean, sd, -1, 1)
	}
	drawnRow(r, draws)
	mean, square := centre(draws)
	r.Mean, r.SD = mean, math.Sqrt(square/priorDraws)
}

// DescribePrior describes gamma_j = Phi_j'beta, given beta and K normal with
// mean Phi0_j'beta and variance sum kappa_i beta_i^2. It has no variance.
func (m *CompressedLearned) DescribePrior(functionals []cdf.Functional, rows []cdf.Row, rng *rand.Rand) error {
	p, law := &m.settings.Prior, standard{}
	const n = 1000
	w := m.work()
	defer m.works.Put(w)
	k := m.m
	beta, own := make([]float64, n*k), make([]float64, n)
	for s := range own {
		sd := math.Sqrt(p.BetaVariance * rnd.InvGamma(rng, p.Sigma2Shape, p.Sigma2Rate))
		for a := range k {
			b := sd * rng.NormFloat64()
			beta[s*k+a] = b
			own[s] += b * b * rnd.InvGamma(rng, .5, .5)
		}
		own[s] = math.Sqrt(own[s])
	}
	x := make([]float64, n)
	for i := range functionals {
		f, r := &functionals[i], &rows[i]
		factor, isSigma, err := m.Split(f)
		if err != nil {
			return err
		}
		*r = exactRow(f.Name)
		if isSigma {
			invGammaRow(r, &law, p.Sigma2Shape, p.Sigma2Rate, f.Const, factor)
			continue
		}
		for s := range x {
			x[s] = f.Const
			for l, j := range f.Param {
				g := own[s] * rng.NormFloat64()
				for a, b := range beta[s*k : (s+1)*k] {
					g += w.phi0[j*k+a] * b
				}
				x[s] += f.Weight[l] * g
			}
		}
		drawnRow(r, x)
	}
	return nil
}

// DescribePrior leaves gamma unknown: its prior variance is estimated.
func (m *CompressedSketch) DescribePrior(functionals []cdf.Functional, rows []cdf.Row, _ *rand.Rand) error {
	p, law := &m.settings.Prior, standard{}
	for i := range functionals {
		f, r := &functionals[i], &rows[i]
		factor, isSigma, err := m.Split(f)
		if err != nil {
			return err
		}
		if *r = exactRow(f.Name); isSigma {
			invGammaRow(r, &law, p.Sigma2Shape, p.Sigma2Rate, f.Const, factor)
		} else {
			unknown(r)
		}
	}
	return nil
}
