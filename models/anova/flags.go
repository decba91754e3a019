package anova

import "math"

const (
	fewRowsPerGroup = "few_rows_per_group"
	// uncertainTau2 is the sd of log tau2 above which its prior may move its
	// interval, and inflated what rows must add to the sd that known levels would
	// leave. Measured in docs/adr/0037-few-rows-per-group.md.
	uncertainTau2 = .25
	inflated      = 1.15
)

// AppendFlags appends few_rows_per_group where tau2 is known badly because levels
// are: were those of k groups known, the sd of log tau2 would be sqrt(2/(k-1)).
func (m *Model) AppendFlags(dst []string) []string {
	k := len(m.n)
	if k > 1 && m.logTau2SD > max(uncertainTau2, inflated*math.Sqrt(2/float64(k-1))) {
		return append(dst, fewRowsPerGroup)
	}
	return dst
}

// OneVariance says that errors have one variance in all groups.
func (*statistics) OneVariance() {}

// Flags lists those that the model may raise.
func (s Settings) Flags() []string { return []string{fewRowsPerGroup} }

// Advise says what to do about a flag: see docs/models/anova.md.
func (s Settings) Advise(flag string) string {
	if flag == fewRowsPerGroup {
		return "groups have too few rows to tell how much their levels differ, so that the prior of tau2 decides how far levels are drawn together: " +
			"wait for more rows, or say with prior.tau2_shape and prior.tau2_rate how much they differ"
	}
	return ""
}
