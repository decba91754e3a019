package poisson

// square adds a count to the surplus of squares, which tells whether counts vary
// more than Poisson counts: with the rates mu,
//
//	T = sum ((y - mu)^2 - y) / sqrt(2 sum mu^2)
//
// is the score test of the variance mu + alpha mu^2.
//
// Source: Cameron and Trivedi, Journal of Econometrics 46 (1990), 347-364.
func (s *surplus) square(y, mu float64) {
	s.excess += float64((y-mu)*(y-mu)) - y
	s.variance += float64(2 * mu * mu)
	s.expected += mu
}

// What squares need for a flag: so much information that a single count of a few
// does not decide, and a variance so far above the mean that intervals are a
// tenth too short.
const (
	squaresLeast = 20
	squaresShare = 0.2
)

// The flags. The engine raises first_outliers for columns.
const (
	firstFlag         = "first_outliers"
	overdispersedFlag = "overdispersed"
	zerosFlag         = "excess_zeros"
	fewEventsFlag     = "few_events"
	fewRowsFlag       = "few_rows_per_group"
	oddFlag           = "odd_levels"
	orderFlag         = "order_matters"
)

// What the intercept needs for a flag of the rows' effects: mostShape is the share of its variance that is missing there. From it on its intervals of
// 95 % hold it in some nine of ten streams of lognormal effects, and in fewer of others. Of fewer than shapeRows rows s2e is what its prior says.
const (
	mostShape = 0.18
	shapeRows = 5
)

// levelInDoubt reports whether what is believed of the rows' effects decides the intercept. It is the logarithm of a mean, which is s2e/2 above that of
// the median, with s2e held at its posterior mean. Of n rows beyond those that coefficients and effects take, whose predictors have the information w = rate/(1 + s2e rate) each, s2e has the
// variance 2/(n w^2), and the fitted intercept moves by s2e w/2 with it: its variance lacks s2e^2/(2n), and its mean what effects of another law add.
func (m *Model) levelInDoubt(w *work) bool {
	if !m.intercept || !(m.n >= shapeRows) {
		return false
	}
	lacks := func(rows float64) float64 { return float64(m.over.s2*m.over.s2) / (2 * max(rows, 1)) }
	if !(lacks(m.n-m.effectsTold())*m.stats.lam[0] > mostShape) { // its variance is not below that with all else known
		return false
	}
	_, sd, ok := m.interceptMoments(w)
	return ok && lacks(m.n-m.taken()) > float64(mostShape*sd*sd)
}

// taken returns how many rows coefficients and effects take: one each, of an effect the part that is not its prior's.
func (m *Model) taken() float64 {
	s := &m.stats
	taken := 0.0
	for i, t := range s.term {
		if t < 0 {
			taken++
		} else {
			taken += told(s.lam[i*s.c+i], m.m[t])
		}
	}
	for g := range s.g {
		_, a, _ := s.record(g)
		for j := range s.q {
			taken += told(a[j*s.q+j], m.m[j])
		}
	}
	return taken
}

// told is the part of an effect's precision that is not its prior's.
func told(rows, prior float64) float64 { return rows / (rows + prior) }

// AppendFlags appends overdispersed where counts vary more than Poisson counts
// and rows have no effects of their own, or have such that decide the intercept, excess_zeros where they have but do not
// explain the counts of 0, first_outliers where counts of the first rows are wild,
// few_events where counts say next to nothing of a coefficient or of one of few groups, or slopes and terms of groups are many for them, few_rows_per_group where rows do not tell
// what groups differ by, order_matters where rows were expanded too far from the present fit.
func (m *Model) AppendFlags(dst []string) []string {
	if m.odd > wildTill*m.n {
		dst = append(dst, firstFlag)
	}
	if m.fewEvents() {
		dst = append(dst, fewEventsFlag)
	}
	if m.fewRows() {
		dst = append(dst, fewRowsFlag)
	}
	w := m.work()
	defer m.scratch.Put(w)
	if m.orderMatters(w) {
		dst = append(dst, orderFlag)
	}
	own := m.over.s2 > 0
	if own && m.levelInDoubt(w) || !own && m.surplus.flagged(squaresLeast, squaresShare) {
		dst = append(dst, overdispersedFlag)
	}
	if own && m.surplus.flagged(zerosLeast, zerosShare) {
		dst = append(dst, zerosFlag)
	}
	if m.oddEffects(w) {
		dst = append(dst, oddFlag)
	}
	return dst
}

// Flags lists those that the model may raise.
func (s Settings) Flags() []string {
	return []string{firstFlag, overdispersedFlag, zerosFlag, fewEventsFlag, fewRowsFlag, orderFlag, oddFlag}
}

// Advise says what to do about a flag: see docs/models/poisson.md.
func (s Settings) Advise(flag string) string {
	switch flag {
	case firstFlag:
		return "counts of the key's first rows are out of proportion to the others: take them out at their source and " +
			"read the topic again with a new group, or forget"
	case overdispersedFlag:
		if s.Overdispersion == lognormal {
			return "counts vary so much more than Poisson counts that the intercept, the log of their mean, depends on the law of what rows differ by, and its interval is too short " +
				"(slopes are not concerned): name the columns or groups that rows differ by, make a row of several with the sum of their counts and exposures, or take the level from the mean of the counts"
		}
		return "counts vary more than Poisson counts, intervals are too short: set settings.overdispersion: lognormal, " +
			"and look for single counts that are out of all proportion"
	case zerosFlag:
		return "there are more counts of 0 than the model explains, the level is off: model apart whether there is a count " +
			"(probit) and how many (rows above 0)"
	case fewRowsFlag:
		return "hardly any group has a second row, so that what groups differ by is not told from what rows differ by, and sigma2_u may be wrong: " +
			"wait for more rows of each group, group by something coarser, or set settings.overdispersion: none if counts are known to be Poisson"
	case oddFlag:
		return "effects of groups are not spread as a normal distribution has it: some are far out, or those on one side are. Intervals of sigma2_u are too short, effects that are far out are drawn to 0 too much while their groups have few counts, and " +
			"new groups may be farther off than is predicted: give what is another sort of groups keys of its own, or name the column that they differ by"
	case orderFlag:
		return "rows came in an order that matters, as sorted by their counts, behind shards without one, or while rates changed: they were taken in where coefficients are far from now, and the intercept is off: " +
			"shuffle the rows at their source, or set settings.buffer to as many shards as the order lasts, and read the topic again with a new group; set forget below 1 if rates have changed"
	case fewEventsFlag:
		return "nearly all counts are 0, of the key, a level or a group, so that they say little of a coefficient (prior_dominated names what only the prior decides) " +
			"or an effect, and intervals may be too short: set settings.prior.beta_variance, and group_scale of groups, to what is known, merge the level or group with others, send larger shards or set settings.buffer, or wait for counts"
	}
	return ""
}

// LawDecides reports whether rows have effects of their own, whose law decides where the intercept is: see levelInDoubt.
func (m *Model) LawDecides() bool { return m.over.s2 > 0 }
