package poisson

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/dist"
)

// placeAt writes the linear predictor of row i as a place. Levels that were
// not absorbed, or are forgotten, have effects of mean 0.
func (m *base) placeAt(sh *cdf.Shard, i int, a *place, w *work) {
	s := &m.stats
	a.reset(s, m.terms)
	copy(a.core, lin.Row(sh.X, m.k, i))
	if len(sh.Offset) > 0 {
		a.constant = sh.Offset[i]
	}
	for f := range m.factors {
		factor, level := &m.factors[f], int(sh.Group[f][i])
		w.z = lin.Grow(w.z, factor.q)
		factor.z(sh.Slopes, i, w.z)
		if level < 0 || level >= s.levels(f) {
			a.open = true
			for j, z := range w.z {
				a.unseen[factor.term+j] = z * z
			}
			continue
		}
		for j, z := range w.z {
			if z != 0 && m.forgotten(f, j, level) {
				a.open = true
				a.unseen[factor.term+j] = z * z
				w.z[j] = 0
			}
		}
		if f == 0 && s.arrow {
			a.level = level
			copy(a.z, w.z)
		} else {
			copy(a.core[s.at[f][level]:], w.z)
		}
	}
}

// massAt returns the law of a new count at row i. Components that hardly
// differ become one.
func (m *base) massAt(sh *cdf.Shard, i int, w *work) mass {
	m.placeAt(sh, i, &w.place, w)
	m.mixAt(&w.place, m.post.s2e, w)
	for k := range w.mix.Mean { // the effect is 1 in the mean
		w.mix.Mean[k] -= 0.5 * m.post.s2e
	}
	x := &w.mix
	mean, sd := x.Moments()
	for k := range x.W {
		if !(math.Abs(x.Mean[k]-mean) < 0.05*sd && math.Abs(x.SD[k]/sd-1) < 0.02) && x.W[k] > 1e-6 {
			return mass{x, mean, sd}
		}
	}
	x.Size(1)
	x.W[0], x.Mean[0], x.SD[0] = 1, mean, sd
	return mass{x, mean, sd}
}

// Score scores the rows that have a response by the law of a new count. The
// coverage is of the randomised PIT; rows whose predictive mean does not exist,
// as may be at levels that are not known, are left out of the rmse.
func (m *base) Score(sh *cdf.Shard, rng *rand.Rand) (cdf.Score, error) {
	out := sh.Unscored()
	if m.n == 0 || sh.Observed() == 0 {
		return out, nil
	}
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return out, err
	}
	scores := sh.Curved.Begin(sh.Rows)
	logs, expected, squares, defined, covered, rows, shared := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for i, y := range sh.Y {
		if math.IsNaN(y) {
			continue
		}
		p := m.massAt(sh, i, w)
		below, density := p.at(y)
		logs += density
		expected -= p.entropy()
		rows++
		shared += p.shared(m.post.s2e)
		mass := math.Exp(density)
		pit := cdf.Tamed(below+rng.Float64()*mass, mass)
		inside := pit >= .025 && pit <= .975
		if inside {
			covered++
		}
		if bin := out.Transformed(pit, inside); scores != nil {
			scores[i] = cdf.BinScore(bin)
		}
		if mean, _ := p.x.ExpMoments(w.place.open); !math.IsNaN(mean) {
			squares += (y - mean) * (y - mean)
			defined++
		}
	}
	out.Rows = int64(rows)
	out.LogDensity, out.Expected, out.Coverage95 = logs/rows, expected/rows, covered/rows
	out.RMSE, out.Shared = math.Sqrt(squares/defined), shared/rows
	if math.IsNaN(out.LogDensity) {
		return out, fmt.Errorf("%w: poisson: score not finite", cdf.ErrNumeric)
	}
	return out, nil
}

// AppendArrivals appends the groups of every factor, with the rows that what is known of their
// intercepts is worth. A row tells the intercept of its level with a variance of one over that.
func (m *base) AppendArrivals(dst []cdf.Arrivals) []cdf.Arrivals {
	s := &m.stats
	for f := range m.factors {
		a, known := cdf.Arrivals{Groups: s.levels(f), Rows: m.n}, 0.
		for level := range a.Groups {
			v := 0.
			if f == 0 && s.arrow {
				_, within, _ := s.record(level)
				v = within[0]
			} else {
				at := int(s.at[f][level])
				v = s.lam[at*s.c+at]
			}
			known += v
			a.Squares += float64(v * v)
		}
		if known > 0 {
			row := known / m.n
			a.Squares /= float64(row * row)
			a.Shared = row / (row + m.m[m.factors[f].term])
		}
		dst = append(dst, a)
	}
	return dst
}

// Predict describes a new count and its rate for every row. The uniform
// variate of the randomised PIT comes from a stream that the rows absorbed
// and the row fix.
func (m *base) Predict(sh *cdf.Shard, out []cdf.Prediction) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(math.Float64bits(m.n), 0))
	for i, y := range sh.Y {
		o := &out[i]
		p := m.massAt(sh, i, w)
		x := p.x
		mean, variance := m.rateMoments(x, &w.place)
		o.Mean, o.SD = mean, math.Sqrt(mean+variance)
		o.Q025 = p.quantile(dist.Levels[0], 0)
		last := o.Q025
		if sh.Inner {
			for k, level := range dist.InnerLevels {
				last = p.quantile(level, last)
				o.Inner[k] = last
			}
		}
		o.Q975 = p.quantile(dist.Levels[6], last)
		u := rng.Float64()
		o.LogDensity, o.PIT = math.NaN(), math.NaN()
		if !math.IsNaN(y) {
			var below float64
			below, o.LogDensity = p.at(y)
			o.PIT = min(below+u*math.Exp(o.LogDensity), 1)
		}
		m.rate(x, &w.place, o)
	}
	return nil
}

// PredictQuantiles writes quantiles of a new count at the last row.
func (m *base) PredictQuantiles(sh *cdf.Shard, p, dst []float64) error {
	w := m.work()
	defer m.scratch.Put(w)
	if err := m.prepare(w); err != nil {
		return err
	}
	law := m.massAt(sh, sh.Rows-1, w)
	for i, level := range p {
		dst[i] = law.quantile(level, 0)
	}
	return nil
}

// rate describes E[y | x, theta] = exp(eta) from the law of a new count's log
// rate, which has the row's own effect, of mean -s2e/2 and variance s2e, more.
func (m *base) rate(x *dist.NormalMixture, a *place, o *cdf.Prediction) {
	s2e := m.post.s2e
	for k := range x.SD {
		x.Mean[k] += 0.5 * s2e
		x.SD[k] = math.Sqrt(max(x.SD[k]*x.SD[k]-s2e, 0))
	}
	_, variance := m.rateMoments(x, a)
	o.EpredSD = math.Sqrt(variance)
	o.EpredQ025 = min(math.Exp(x.Quantile(dist.Levels[0], dist.NormalQuantiles[0])), math.MaxFloat64)
	o.EpredQ975 = min(math.Exp(x.Quantile(dist.Levels[6], dist.NormalQuantiles[6])), math.MaxFloat64)
}

// rateMoments returns E and Var of e^X at a place, NaN where there is none: the effect of a level that is not
// known has the variance s2, and E exp(c s2) may not exist. The components of one variance are its nodes; those of
// several are at medians, which do not reach that far.
func (m *base) rateMoments(x *dist.NormalMixture, a *place) (mean, variance float64) {
	mean, variance = x.ExpMoments(a.open && m.terms == 1)
	if m.terms == 1 {
		return mean, variance
	}
	for t, z2 := range a.unseen {
		switch v := &m.post.vars[t]; {
		case z2 > 0 && !v.settles(0.5*z2):
			return math.NaN(), math.NaN()
		case z2 > 0 && !v.settles(2*z2):
			variance = math.NaN()
		}
	}
	return mean, variance
}
