package probit

import "github.com/credence-stream/credence/cdf"

// separatedFlag is the flag of a key with a separated column.
const separatedFlag = "separated"

// AppendFlags appends separated and rows_disagree, where the state says so.
func (m *Model) AppendFlags(dst []string) []string {
	if m.anySeparated() {
		dst = append(dst, separatedFlag)
	}
	if m.disagree() {
		dst = append(dst, disagreeFlag)
	}
	return dst
}

// Flags lists those that the model may raise.
func (s Settings) Flags() []string { return []string{separatedFlag, disagreeFlag} }

// Advise says what to do about its own flags, and of the engine's about miscalibrated: see docs/models/probit.md.
func (s Settings) Advise(flag string) string {
	switch flag {
	case separatedFlag:
		return "all responses of a level, of a value of a column, or of the key, are equal: the prior decides its coefficient (prior_dominated names it); " +
			"set settings.prior to what is known, merge the level with others, or wait for the other response"
	case cdf.MiscalibratedFlag:
		return "predicted probabilities do not come true: give columns a curve (a square or a spline in a formula) or an interaction, " +
			"and look for wrong classes among the rows that were predicted with most confidence; compare log_density"
	case disagreeFlag:
		return "the newest rows contradict those before, so that one set of coefficients does not serve both: look whether the classes were swapped, " +
			"or a column changed its sign, unit or place, and read the topic again from there with a new group; set forget below 1 if what is observed has changed"
	}
	return ""
}
