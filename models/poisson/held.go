package poisson

import "github.com/credence-stream/credence/cdf/lin"

const (
	// enoughWithin is how many rows beyond one for each coefficient and effect tell
	// the variance of rows' own effects from that of groups. There have to be as many as groups, too,
	// lest what is left open of s2e is much of what groups differ by.
	enoughWithin = 50
	// heldMost bounds the rows that are kept until then.
	heldMost = 1000
)

// mayHold reports whether the first rows of a key are kept: where groups and rows
// have effects that may be taken for each other.
func (m *Model) mayHold() bool { return m.settings.Overdispersion == lognormal && m.terms > 0 }

// again reports whether the first rows, which are all there is until they are judged, are expanded anew with each shard: s2e moves far among
// them, and where the intercept is by half of it. Keys with groups hold theirs.
func (m *Model) again() bool {
	return m.over.s2 > 0 && m.terms == 0 && m.settings.Buffer <= 1 && m.early.n > 0
}

// holds reports whether the rows of the fit, all of the key, hardly tell s2e from the variance of
// groups. While most groups have a row or two, any split of what rows differ by fits them as
// well. A quadratic is taken at one split, and so is the likelihood of s2e, of the share
// of a row that the fit left: they are evidence for the split that they were taken at.
func (m *Model) holds(f *fit) bool {
	return f.rows.n < heldMost && f.within() < max(enoughWithin, len(f.design.touched))
}

// within returns the rows beyond one for each coefficient and effect.
func (f *fit) within() int { return f.rows.n - f.stats.c - len(f.design.touched)*f.stats.q }

const (
	// Where fewer of the rows than fewShare are within groups, or fewer than fewWithin and than fewFirst of them,
	// it is left to priors, and to the split that fits begin at, what groups differ by.
	fewShare, fewFirst, fewWithin = 0.25, 0.35, 45
	// unresolvedShare is the part of the rows from which on those are told that were let
	// go at that.
	unresolvedShare = 0.05
)

// fewOf reports whether rows, of which some are within groups, do not tell what groups differ by.
func fewOf(rows, within float64) bool {
	return within < fewShare*rows || within < min(fewWithin, fewFirst*rows)
}

// fewRows reports whether groups have, or had when they were let go, too few rows.
func (m *Model) fewRows() bool {
	rows := float64(m.buffer.rows.n)
	return m.held && rows > 0 && fewOf(rows, rows-m.effectsTold()) || m.unresolved > unresolvedShare*m.n
}

// effectsTold returns the number of coefficients and effects.
func (m *Model) effectsTold() float64 { return float64(m.stats.c + m.stats.g*m.stats.q) }

// keep keeps those of the fit's rows that are expanded anew with the next shard, the
// last of which has the given number: all while they are held, then those of the last shards.
func (m *Model) keep(f *fit, last int) {
	b, released := &m.buffer, m.held && !m.holds(f)
	m.held = m.held && !released
	switch {
	case released && fewOf(m.n, m.n-m.effectsTold()):
		m.unresolved = m.n
	case m.unresolved > 0 && m.n-m.effectsTold() < fewShare*m.n:
		m.unresolved += float64(last)
	}
	if !m.held && m.settings.Buffer <= 1 {
		if f.s2e > 0 {
			lin.Axpy(1, f.like[:], m.over.like[:])
		}
		if released {
			*b = buffer{} // its memory is not needed again
			b.rows.reset(&m.shape)
		}
		return
	}
	b.shards = append(b.shards, last)
	if f.s2e > 0 && !m.held {
		b.likes = lin.Resize(b.likes, len(b.shards))
		first := 0
		for k, n := range b.shards {
			f.likelihood(&b.likes[k], first, first+n)
			first += n
		}
	}
	b.rows.reset(&m.shape)
	b.rows.appendRows(f.rows)
	if released {
		m.leave(m.settings.Buffer)
	}
}

// leave takes the first shards out of the buffer until no more than most are in it.
func (m *Model) leave(most int) {
	b := &m.buffer
	for len(b.shards) > most {
		b.rows.drop(b.shards[0])
		b.shards = append(b.shards[:0], b.shards[1:]...)
		if m.over.s2 > 0 {
			lin.Axpy(1, b.likes[0][:], m.over.like[:])
			b.likes = append(b.likes[:0], b.likes[1:]...)
		}
	}
}
