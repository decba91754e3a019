package poisson

import "math"

// dispersion tells whether counts vary more than Poisson counts: with the rates
// mu of the fit to the shard that a row came in,
//
//	T = sum ((y - mu)^2 - y) / sqrt(2 sum mu^2)
//
// is nearly standard normal if they do not, and lower, because the fit follows
// the rows. It is the score test of the variance mu + alpha mu^2.
//
// Source: Cameron and Trivedi, Journal of Econometrics 46 (1990), 347-364.
type dispersion struct {
	excess   float64 // sum of (y - mu)^2 - y
	variance float64 // of it, 2 sum mu^2
	counts   float64 // sum of mu
}

func (d *dispersion) discount(a float64) {
	d.excess *= a
	d.variance *= a
	d.counts *= a
}

func (d *dispersion) add(y, mu float64) {
	d.excess += float64((y-mu)*(y-mu)) - y
	d.variance += float64(2 * mu * mu)
	d.counts += mu
}

// What it takes for a flag: so much information that a single count of a few
// does not decide, five standard deviations, and a variance so far above the
// mean that intervals are a tenth too short.
const (
	dispersionLeast  = 20
	dispersionSDs    = 5
	dispersionExcess = 0.2
)

func (d *dispersion) flagged() bool {
	return d.variance >= dispersionLeast && d.excess > dispersionSDs*math.Sqrt(d.variance) && d.excess > dispersionExcess*d.counts
}

// The flags.
const (
	overdispersedFlag = "overdispersed"
	zerosFlag         = "excess_zeros"
)

// AppendFlags appends overdispersed where counts vary more than Poisson counts
// and rows have no effects of their own, excess_zeros where they have but do not
// explain the counts of 0.
func (m *Model) AppendFlags(dst []string) []string {
	if m.dispersion.flagged() {
		dst = append(dst, overdispersedFlag)
	}
	if m.zeros.flagged() {
		dst = append(dst, zerosFlag)
	}
	return dst
}

// Advise says what to do about a flag: see docs/models/poisson.md.
func (s Settings) Advise(flag string) string {
	switch flag {
	case overdispersedFlag:
		return "counts vary more than Poisson counts, intervals are too short: set settings.overdispersion: lognormal, " +
			"and look for single counts that are out of all proportion"
	case zerosFlag:
		return "there are more counts of 0 than the model explains, the level is off: model apart whether there is a count " +
			"(probit) and how many (rows above 0)"
	}
	return ""
}
