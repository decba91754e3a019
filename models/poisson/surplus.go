package poisson

import "math"

// surplus compares a sum over the rows with what the model expects of it at the
// fit to the shard that a row came in: nearly standard normal, in sds, if the
// model holds, and lower, because the fit follows the rows.
type surplus struct {
	excess   float64 // the sum less its expectation
	variance float64 // of the sum
	expected float64 // number of counts that it is of
}

// surplusSDs is what it takes for a flag, in standard deviations.
const surplusSDs = 5

// flagged reports an excess that is large by chance's measure and as a share of
// what was expected, once there is as much information as least.
func (s *surplus) flagged(least, share float64) bool {
	return s.variance >= least && s.excess > surplusSDs*math.Sqrt(s.variance) && s.excess > share*s.expected
}

func (s *surplus) discount(a float64) {
	s.excess *= a
	s.variance *= a
	s.expected *= a
}
