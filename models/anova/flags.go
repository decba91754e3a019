package anova

import "math"

const (
	fewRowsPerGroup = "few_rows_per_group"
	// oddLevels: levels are not spread as a normal law has it.
	oddLevels = "odd_levels"
	// uncertainTau2 is the sd of log tau2 above which its prior may move its
	// interval, and inflated what rows must add to the sd that known levels would
	// leave. Measured in docs/adr/0037-few-rows-per-group.md.
	uncertainTau2 = .25
	inflated      = 1.15
)

// AppendFlags appends few_rows_per_group where tau2 is known badly because levels
// are: were those of k groups known, the sd of log tau2 would be sqrt(2/(k-1)). And odd_levels.
func (m *Model) AppendFlags(dst []string) []string {
	k := len(m.n)
	if k > 1 && m.logTau2SD > max(uncertainTau2, inflated*math.Sqrt(2/float64(k-1))) {
		dst = append(dst, fewRowsPerGroup)
	}
	if m.oddLevels() {
		return append(dst, oddLevels)
	}
	return dst
}

// OneVariance says that errors have one variance in all groups.
func (*statistics) OneVariance() {}

// Flags lists those that the model may raise.
func (s Settings) Flags() []string { return []string{fewRowsPerGroup, oddLevels} }

// Advise says what to do about a flag: see docs/models/anova.md.
func (s Settings) Advise(flag string) string {
	switch flag {
	case oddLevels:
		return "levels of groups are not spread as a normal distribution has it: some are far out, or those on one side are. Intervals of tau2 are too short, levels that are far out and have few rows are drawn to mu too much, and " +
			"new groups may be farther off than is predicted: take the logarithm of the response where high levels differ more than low ones, or give what is another sort of groups keys of its own"
	case fewRowsPerGroup:
		return "groups have too few rows to tell how much their levels differ, so that the prior of tau2 decides how far levels are drawn together: " +
			"wait for more rows, or say with prior.tau2_shape and prior.tau2_rate how much they differ"
	}
	return ""
}
