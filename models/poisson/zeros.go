package poisson

import "math"

// zeros tells whether there are more counts of 0 than rows' own effects
// explain: with p the probability of one at the fit to the shard that a row came
// in,
//
//	T = sum (1{y = 0} - p) / sqrt(sum p (1 - p))
//
// is nearly standard normal if there are not, and nearer to 0, because the fit
// follows the rows. It is bounded by row, so that no single count decides.
//
// Source: van den Broek, Biometrics 51 (1995), 738-743, for Poisson counts.
type zeros struct {
	excess   float64 // sum of 1{y = 0} - p
	variance float64 // of it
	expected float64 // sum of p
}

// What it takes for a flag: some counts of 0 that might not have been, five
// standard deviations, and a tenth more of them than expected.
const (
	zerosLeast  = 5
	zerosSDs    = 5
	zerosExcess = 0.1
)

func (z *zeros) flagged() bool {
	return z.variance >= zerosLeast && z.excess > zerosSDs*math.Sqrt(z.variance) && z.excess > zerosExcess*z.expected
}

func (z *zeros) discount(a float64) {
	z.excess *= a
	z.variance *= a
	z.expected *= a
}

// add takes the count y of a row whose rate has the given logarithm.
func (z *zeros) add(y, logRate, s2e float64) {
	p := math.Exp(logMassNormal(0, logRate-0.5*s2e, math.Sqrt(s2e)))
	z.variance += float64(p * (1 - p))
	z.expected += p
	z.excess -= p
	if y == 0 {
		z.excess++
	}
}
