package dlm

import "math"

const (
	fewReturns = "few_returns"
	// fewestReturns is how many independent rows the observations must be worth,
	// and half of how many there must be.
	fewestReturns = 15
	// fewestDoubted is that with the upper end of the interval of phi where the prior of tau2 is doubted.
	fewestDoubted = 10
)

// AppendFlags appends few_returns where the mean is not known and the level has
// been away from it most of the time: n rows tell of the mean as n (1 - phi)/(1 +
// phi) independent ones do, and below fewestReturns, with phi an sd above its
// posterior mean, a slower level about another mean would look the same. So they are below fewestDoubted with
// the slowest level that the rows allow if the prior of tau2 does not say how much it moves.
func (m *Model) AppendFlags(dst []string) []string {
	if m.family.known || m.n == 0 {
		return dst
	}
	if m.n < 2*fewestReturns {
		return append(dst, fewReturns)
	}
	t := m.posterior()
	phi := math.Min(t.phi+t.phiSD, 1)
	if m.n*(1-phi) < fewestReturns*(1+phi) || m.n*(1-t.slowest) < fewestDoubted*(1+t.slowest) {
		return append(dst, fewReturns)
	}
	return dst
}

// Flags lists those that the model may raise.
func (s Settings) Flags() []string { return []string{fewReturns} }

// Advise says what to do about a flag: see docs/models/dlm.md.
func (s Settings) Advise(flag string) string {
	if flag == fewReturns {
		return "the level has not returned to its mean often enough to tell phi and mu from those of a slower one: " +
			"wait for more rows, or give the mean as columns response center"
	}
	return ""
}
