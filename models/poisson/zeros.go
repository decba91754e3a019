package poisson

import "math"

// zero adds a count to the surplus of counts of 0, which tells whether there are
// more than rows' own effects explain: with p the probability of one,
//
//	T = sum (1{y = 0} - p) / sqrt(sum p (1 - p))
//
// It is bounded by row, so that no single count decides. y is the count of a row
// whose rate has the given logarithm.
//
// Source: van den Broek, Biometrics 51 (1995), 738-743, for Poisson counts.
func (s *surplus) zero(y, logRate, s2e float64) {
	mean, sd := logRate-0.5*s2e, math.Sqrt(s2e)
	_, p, ok := onGrid(0, mean, sd)
	if !ok {
		p = math.Exp(logMassNormal(0, mean, sd))
	}
	p = min(p, 1) // the rule may be off by the last digit, and no variance is below 0
	s.variance += float64(p * (1 - p))
	s.expected += p
	s.excess -= p
	if y == 0 {
		s.excess++
	}
}

// What zeros need for a flag: some that might not have been, and a tenth more of
// them than expected.
const (
	zerosLeast = 5
	zerosShare = 0.1
)
