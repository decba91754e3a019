package cdf

import "math"

// least keeps a discount above zero, as Step promises: old statistics may
// vanish, priors may not.
const least = 1e-300

// discount returns the factor by which statistics are discounted before a
// shard of observed absorbed rows, elapsed milliseconds of event time after
// the one before it.
func (s *Spec) discount(observed int, elapsed int64) float64 {
	if !(s.Forget < 1) {
		return 1
	}
	var units float64
	switch s.ForgetPer.Unit {
	case "row":
		units = float64(observed)
	case "duration":
		if s.ForgetPer.Millis > 0 {
			units = float64(max(elapsed, 0)) / float64(s.ForgetPer.Millis)
		}
	default:
		units = 1
	}
	switch units {
	case 0:
		return 1
	case 1:
		return s.Forget
	}
	return max(math.Pow(s.Forget, units), least)
}
