package dlm

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/vec"
	"github.com/credence-stream/credence/models/internal/describe"
	"github.com/credence-stream/credence/models/internal/dist"
	"github.com/credence-stream/credence/models/internal/regression"
)

// Summarize fills the rows in closed form: nothing is left open. A functional
// is affine in one parameter; others are refused with ErrSchema.
func (m *Model) Summarize(functionals []cdf.Functional, rows []cdf.Row) error {
	w := m.family.take()
	defer m.family.scratch.Put(w)
	if !w.weighState(m) {
		return errWeights
	}
	m.tell(w)
	for i, f := range functionals {
		r := &rows[i]
		describe.Begin(r, f.Name)
		if len(f.Param) != 1 || f.Param[0] < 0 || f.Param[0] >= len(m.Params()) {
			return fmt.Errorf("%w: %s is not affine in one parameter", cdf.ErrSchema, f.Name)
		}
		switch f.Param[0] {
		case phiRow:
			m.describePhi(r, w)
		case thetaRow:
			w.locate(&m.grid)
			describeLaws(r, w, w.level, w.spread, m.spread())
		case muRow:
			// Before the first observation there is no variance: that of a
			// level is unbounded as phi approaches 1.
			describeLaws(r, w, w.mu, w.muVar, m.n > 0 && m.spread())
		default:
			m.describeVariance(r, w, f.Param[0] == tau2Row)
		}
		shiftRow(r, f.Const, f.Weight[0])
	}
	return nil
}

// Positive writes the probability that each functional, affine in one parameter, is
// above 0; others are refused with ErrSchema.
func (m *Model) Positive(functionals []cdf.Functional, p, mcse []float64) error {
	w := m.family.take()
	defer m.family.scratch.Put(w)
	if !w.weighState(m) {
		return errWeights
	}
	m.tell(w)
	for i, f := range functionals {
		if len(f.Param) != 1 || f.Param[0] < 0 || f.Param[0] >= len(m.Params()) {
			return fmt.Errorf("%w: %s is not affine in one parameter", cdf.ErrSchema, f.Name)
		}
		p[i] = regression.Beyond(f.Const, f.Weight[0], m.above(w, f.Param[0]))
		mcse[i] = 0
	}
	return nil
}

// above returns the function P(X > x) of a parameter.
func (m *Model) above(w *work, param int) func(x float64) float64 {
	switch param {
	case phiRow:
		return w.marginal(&m.grid).above
	case thetaRow, muRow:
		centre, variance := w.mu, w.muVar
		if param == thetaRow {
			w.locate(&m.grid)
			centre, variance = w.level, w.spread
		}
		w.t.Student(2 * w.shape)
		w.mix.Reset(&w.t)
		w.laws(centre, variance, 0, true)
		return func(x float64) float64 { return 1 - w.mix.CDF(x) }
	}
	if prior := &m.family.settings.Prior; m.n == 0 {
		shape, rate := prior.Sigma2Shape, prior.Sigma2Rate
		if param == tau2Row {
			shape, rate = prior.Tau2Shape, prior.Tau2Rate
		}
		return func(x float64) float64 { return dist.InvGammaAbove(x, shape, rate) }
	}
	var r cdf.Row
	m.describeVariance(&r, w, param == tau2Row)
	return func(x float64) float64 {
		if x <= 0 {
			return 1
		}
		return 1 - w.mix.CDF(math.Log(x))
	}
}

// shiftRow turns the row of X into that of shift + factor*X.
func shiftRow(r *cdf.Row, shift, factor float64) {
	at := func(v float64) float64 { return min(max(shift+factor*v, -math.MaxFloat64), math.MaxFloat64) }
	if !math.IsNaN(r.Mean) {
		r.Mean = shift + factor*r.Mean
	}
	r.SD *= math.Abs(factor)
	q := [7]float64{r.Q025, r.Q05, r.Q25, r.Median, r.Q75, r.Q95, r.Q975}
	for i := range q {
		q[i] = at(q[i])
	}
	if factor < 0 {
		q = [7]float64{q[6], q[5], q[4], q[3], q[2], q[1], q[0]}
	}
	describe.Quantiles(r, &q)
}

func (m *Model) describePhi(r *cdf.Row, w *work) {
	r.Mean, r.SD = m.told.phi, m.told.phiSD
	describe.By(r, w.marginal(&m.grid).quantile)
}

// phiMoments returns the posterior mean and sd of phi from the marginal weights.
func (w *work) phiMoments(g *grid) (mean, sd float64) {
	v := 0.0
	for i, p := range w.axis[etaAxis] {
		mean += p * g.phi[i]
	}
	for i, p := range w.axis[etaAxis] {
		d := g.phi[i] - mean
		v += p * d * d
	}
	return mean, math.Sqrt(v)
}

// describeVariance mixes IG(A, B), for tau2 IG(A, qB). Before the first
// observation the law is the prior's, whose moments may be infinite although
// those on the grid are not.
func (m *Model) describeVariance(r *cdf.Row, w *work, tau bool) {
	prior := &m.family.settings.Prior
	if m.n == 0 {
		var law dist.Standard
		if tau {
			describe.InvGamma(r, &law, prior.Tau2Shape, prior.Tau2Rate, 0, 1)
		} else {
			describe.InvGamma(r, &law, prior.Sigma2Shape, prior.Sigma2Rate, 0, 1)
		}
		return
	}
	a, mean, v := w.shape, 0.0, 0.0
	w.g.LogInvGamma(a)
	w.mix.Reset(&w.g)
	rates, logs := w.rate, w.logRate
	if tau {
		rates, logs = w.steps(&m.grid)
	}
	w.mix.AddShifts(w.weight, logs)
	own, within := w.room[0], w.room[1] // means of the nodes, and variances
	vec.Standardize(own, rates, 0, a-1)
	for k, x := range own {
		mean += w.weight[k] * x
		within[k] = x * x
	}
	vec.Standardize(within, within, 0, a-2)
	for k, p := range w.weight {
		d := own[k] - mean
		v += p * (within[k] + d*d)
	}
	// Nodes have the shape a, their mixture has not: beyond the grid's last q a variance falls off by what its own prior
	// and the rows say, and moments on the grid would be those of its limits.
	row := sigma2Row
	if tau {
		row = tau2Row
	}
	hasMean, hasSD := prior.Moments(row, m.n, m.observedSteps())
	if hasMean {
		r.Mean = mean
	}
	if hasSD {
		r.SD = math.Sqrt(v)
	}
	q := w.mix.Quantiles()
	for i := range q {
		q[i] = math.Exp(q[i])
	}
	describe.Quantiles(r, &q)
}

// describeLaws mixes t laws with 2A degrees of freedom about the centres, of
// scale^2 = variance B/A.
func describeLaws(r *cdf.Row, w *work, centre, variance []float64, spread bool) {
	w.t.Student(2 * w.shape)
	w.mix.Reset(&w.t)
	r.Mean, r.SD = w.laws(centre, variance, 0, spread)
	q := w.mix.Quantiles()
	describe.Quantiles(r, &q)
}

// spread reports that variances of theta and y exist, as the means of sigma2 and tau2 do.
func (m *Model) spread() bool {
	p := &m.family.settings.Prior
	return min(p.Sigma2Shape+m.n/2, p.Tau2Shape+m.observedSteps()/2) > 1
}

// observedSteps returns how many steps have an observation, discounted as these are. The state counts rows: but where q is large F is q at
// the first of a step, and at the others nothing of q, so that the sum of log F rises by as many as there are steps.
func (m *Model) observedSteps() float64 {
	if !m.clock.Seen {
		return m.n
	}
	g := &m.grid
	if m.reserved {
		g = &m.reserve // which covers all q
	}
	last := (nodes/2+1)*nodes - 1 // of phi = 0
	if steps := (g.ld[last] - g.ld[last-1]) / g.spacing(logAxis); steps < m.n-.01 {
		return steps
	}
	return m.n // each is of a step of its own
}

// levels fills the mixture with the law of theta, or with noise 1 of y =
// theta + e, and returns its moments, NaN where they do not exist.
func (w *work) levels(g *grid, noise float64, spread bool) (mean, sd float64) {
	w.locate(g)
	return w.laws(w.level, w.spread, noise, spread)
}

// laws fills the mixture with t laws about the centres, of squared scale
// (variance + noise) B/A, and returns its moments.
func (w *work) laws(centre, variance []float64, noise float64, spread bool) (mean, sd float64) {
	a, v := w.shape, 0.0
	n := len(w.weight)
	squares, within := w.room[0][:n], w.room[1][:n]
	centre, variance, rate := centre[:n], variance[:n], w.rate[:n]
	for k, p := range w.weight {
		mean += p * centre[k]
		squares[k] = (variance[k] + noise) * rate[k]
	}
	w.mix.AddScaled(w.weight, centre, squares, a)
	if a <= 1 {
		return math.NaN(), math.NaN()
	}
	vec.Standardize(within, squares, 0, a-1)
	for k, p := range w.weight {
		d := centre[k] - mean
		v += p * (within[k] + d*d)
	}
	if !spread {
		return mean, math.NaN()
	}
	return mean, math.Sqrt(v)
}
