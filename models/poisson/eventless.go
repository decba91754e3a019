package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf/lin"
)

// When levels without an event are told: measured in docs/models/poisson.md.
const (
	hardlyEvent    = 0.8 // events of a level below which it is taken to have none
	mostEventless  = 0.9 // skewness and share of such levels
	eventsDrift    = 0.5 // what an event that there was none of counts for
	likelyVariance = 0.9 // the probability that the variance of effects is no greater than the one taken
	mostOfLevels   = 100 // of more the others tell the variance
)

// eventless reports whether levels without an event make intervals too short. Rows bound the effect of such a level from above alone: given all
// else its log density is -W e^u - u^2/(2 s2), whose skewness is W e^u/(W e^u + 1/s2)^(3/2) in its sds. The normal law that it gets has none: it is too
// narrow below where the variance s2 may be large, as of few levels, and so is the intercept's, the more so the more of the levels
// are such.
func (m *Model) eventless(w *work) bool {
	if m.n == 0 || len(m.factors) == 0 || m.prepare(w) != nil {
		return false
	}
	var at *gauss
	w.xi = lin.Grow(w.xi, m.stats.c)
	for f := range m.factors {
		if n := m.stats.levels(f); n == 0 || n > mostOfLevels {
			continue
		}
		if at == nil {
			if at = &w.recent[0]; !at.conditional(&m.shape, &m.stats, m.m, w) {
				return false
			}
		}
		if m.eventlessOf(at, f, w) {
			return true
		}
	}
	return false
}

// eventlessOf is eventless of the levels of a factor, with the posterior at the precisions of the fit. A row adds its rate r to the information on a
// level and y - r to the score, which is what the prior draws by: r + m u is y where rows were expanded at the present fit. Those of before
// had higher rates, if there was no event, so that it is more than that.
func (m *Model) eventlessOf(at *gauss, f int, w *work) bool {
	term, n := m.factors[f].term, m.stats.levels(f)
	precision, wide := m.m[term], math.Exp(-m.post.vars[term].quantile(likelyVariance))
	m.seen(f, n, w)
	none, skew := 0, 0.0
	for level, seen := range w.seen {
		information, mean := m.levelAt(at, f, level, w)
		events := information + float64(precision*mean)
		if (m.held || events < hardlyEvent) && !(seen > 0) && !m.forgotten(f, 0, level) {
			none++
			skew = max(skew, information/math.Pow(information+wide, 1.5)+float64(eventsDrift*max(events, 0)))
		}
	}
	return none > 0 && skew+float64(none)/float64(n) > mostEventless
}

// seen counts events of n levels among the rows that are kept: all of them while rows are held, when own effects of few rows may be so large that
// what the fit says of events is little.
func (m *Model) seen(f, n int, w *work) {
	w.seen = lin.Grow(w.seen, n)
	clear(w.seen)
	rows := &m.buffer.rows
	for i, level := range rows.level[f] {
		w.seen[level] += float64(rows.weight[i] * rows.y[i])
	}
}

// levelAt returns the information on the intercept of a level, all else known, and its mean under the normal.
func (m *Model) levelAt(at *gauss, f, level int, w *work) (information, mean float64) {
	s, a := &m.stats, &w.place
	a.reset(s, m.terms)
	if f == 0 && s.arrow {
		_, within, _ := s.record(level)
		information, a.level, a.z[0] = within[0], level, 1
	} else {
		i := int(s.at[f][level])
		information, a.core[i] = s.lam[i*s.c+i], 1
	}
	mean, _ = at.at(s, a, w.xi, &w.block)
	return information, mean
}
