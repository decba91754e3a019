package poisson

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

var _ cdf.PriorSensitive = (*Model)(nil)

const (
	// looseFrom is the variance of a coefficient, of a level or per sd of a column, from which on
	// its counts are next to none: two events leave a level as much.
	looseFrom = 0.5
	// enoughEvents is the information from which on a column has events of its own: what leaves it
	// loose is then another column, which collinear and its interval say.
	enoughEvents = 10
	// oneSided is the variance from which on there are no events at all: one leaves about 1. The
	// likelihood then bounds the coefficient on one side only, and the prior on the other.
	oneSided = 10
	// Where less than rareShare of the rows have a count, and fewer than rareRows in all, most
	// shards have none. Measured in docs/adr/0065-few-events.md.
	rareShare, rareRows = 0.03, 100
	// mostBias is how many of its sds slopes may draw the intercept down: with .6 its intervals hold it in .84 to .9.
	mostBias = 0.6
	// slopesPerTerm is by how many slopes a term of groups draws it down, whose variance the prior has far above what few counts make it.
	slopesPerTerm = 2.5
	// halfNormal is the sensitivity to its prior of a normal parameter about 0 of which only the
	// sign is known: Cov(z, z^2/2) / sd(z) for z = |N(0, 1)|.
	halfNormal = 0.66
)

// loose returns the variance that rows and prior leave each coefficient, with effects of
// groups known, and 0 for those that have events enough or no rows. It is nil where all
// are 0. It is in w.
func (m *Model) loose(w *work) []float64 {
	k, s := m.k, &m.stats
	few := false
	for j := range k {
		few = few || m.Fed(j) && m.besideIntercept(j) < enoughEvents
	}
	if !few {
		return nil
	}
	w.factor, w.left = lin.Grow(w.factor, k*k), lin.Grow(w.left, 2*k)
	for i := range k {
		row := w.factor[i*k : i*k+i+1]
		copy(row, s.lam[i*s.c:])
		row[i] += 1 / m.settings.Prior.BetaVariance
	}
	if !lin.Cholesky(k, w.factor) {
		return nil
	}
	left, unit := w.left[:k], w.left[k:]
	for j := range k {
		left[j] = 0
		if !m.Fed(j) || m.besideIntercept(j) >= enoughEvents {
			continue
		}
		clear(unit)
		unit[j] = 1
		lin.SolveLower(k, w.factor, unit)
		left[j] = lin.Dot(unit, unit)
	}
	return left
}

// besideIntercept is the information of column j that it does not share with the intercept: of a column that is the same in all
// rows with a count there is none, whether it is 0 there, or 1 of 1 and 2.
func (m *Model) besideIntercept(j int) float64 {
	s := &m.stats
	own, with := s.lam[j*s.c+j], s.lam[j*s.c]
	if !m.intercept || j == 0 || s.lam[0] <= 0 {
		return own
	}
	return own - float64(with*with/s.lam[0])
}

// fewEvents reports whether counts say next to nothing of a coefficient, or so few rows
// have one that a shard's quadratic is taken where the rate is hardly known, or so little of levels without an event.
func (m *Model) fewEvents() bool {
	if m.over.s2 > 0 { // then the surplus is of zeros
		if counts := m.n - m.surplus.excess - m.surplus.expected; counts < rareRows && counts < rareShare*m.n {
			return true
		}
	}
	w := m.work()
	defer m.scratch.Put(w)
	return m.overfitted(w) || slices.ContainsFunc(m.loose(w), func(v float64) bool { return v > looseFrom }) || m.eventless(w)
}

// overfitted reports whether there are so many slopes and terms of groups for the counts that they draw the intercept down: d slopes
// by about d/N, counts being worth N, which is d/N^(1/2) of its sds where it has no other column to share with (the bias of
// order 1/N of McCullagh and Nelder, Generalized Linear Models, 1989, section 15.2, and as much from the mode to the mean).
// Indicators of levels, whose squares are what they are, have rows that they share with no other. What groups differ by
// raises mean counts as the intercept does: see slopesPerTerm and docs/adr/0089-effects-that-averages-hide.md.
func (m *Model) overfitted(w *work) bool {
	if !m.intercept {
		return false
	}
	slopes, s := 0., &m.stats
	for j := 1; j < m.k; j++ {
		own, with := s.lam[j*s.c+j], s.lam[j*s.c]
		if own > 0 && math.Abs(own-with) > 1e-9*own {
			slopes++
		}
	}
	counts := s.lam[0]
	most := mostBias * math.Sqrt(counts) // no sd is less than that of the mean of all counts
	if slopes > most {
		return true
	}
	for _, f := range m.factors {
		slopes += slopesPerTerm * float64(f.q)
	}
	if !(slopes > most) {
		return false
	}
	_, sd, ok := m.interceptMoments(w)
	return ok && slopes > float64(mostBias*counts*sd)
}

// PriorSensitivity writes that of coefficients which no event bounds on one side. Their fit is a
// normal one, in which the prior seems to matter less than it does; others have priors too wide to matter. Of effects that are
// too far off for the others of their factor it is by how many sds these draw them; an effect of which nothing is known, while nothing tells the
// variance of its term either, is the prior's; of a variance the sd of the logarithm of its prior's density.
func (m *Model) PriorSensitivity(functionals []cdf.Functional, dst []float64) {
	w := m.work()
	defer m.scratch.Put(w)
	if m.prepare(w) != nil {
		return
	}
	left, variances := m.loose(w), m.k+m.stats.effects()
	for i := range functionals {
		if f := &functionals[i]; len(f.Param) == 1 && f.Param[0] >= variances {
			dst[i] = m.post.vars[f.Param[0]-variances].sd(m.logPrior)
		} else if len(f.Param) == 1 && f.Param[0] >= m.k && m.ofPrior(f.Param[0]-m.k) {
			dst[i] = math.Inf(1)
		}
		if slices.ContainsFunc(functionals[i].Param, func(j int) bool { return j < len(left) && left[j] > oneSided }) {
			dst[i] = halfNormal
		}
	}
	for _, e := range m.drawnEffects(w) {
		for i := range functionals {
			if slices.Contains(functionals[i].Param, e.param) && !(dst[i] >= e.sds) { // NaN, too
				dst[i] = e.sds
			}
		}
	}
}
