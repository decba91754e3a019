package tails

import "math"

// Sample are sums of powers of numbers of one law, whose mean is about 0 and whose sd is about 1.
type Sample struct{ n, sum, squares, cubes, fourths float64 }

// Add takes a number in.
func (s *Sample) Add(v float64) {
	square := v * v
	s.n++
	s.sum += v
	s.squares += square
	s.cubes += float64(square * v)
	s.fourths += float64(square * square)
}

// Effects are a sample of what groups differ by, as estimates of each group's rows alone tell it.
type Effects struct {
	Sample
	Variance float64 // of the effects
}

const (
	// mostNoise is the part of the variance of an estimate that may be noise where it tells of the effect.
	mostNoise = .5
	// mostSkewness is that of an estimate which may be its noise's.
	mostSkewness = .3
)

// Tells reports whether an estimate whose noise has a variance and a skewness tells more of the effect than of the noise, and hardly of the
// noise's shape.
func (e *Effects) Tells(noise, skewness float64) bool {
	part := noise / (e.Variance + noise)
	return part <= mostNoise && part*part*part*skewness*skewness <= mostSkewness*mostSkewness
}

// Add takes an estimate in, less the mean of all, whose noise has a variance.
func (e *Effects) Add(estimate, noise float64) { e.Sample.Add(estimate / math.Sqrt(e.Variance+noise)) }

const (
	// leastSample is the size of samples from which the normal scores below hold.
	leastSample = 20
	// surprising is the normal score that a moment of a normal sample exceeds in one of 10,000 on one side.
	surprising = 3.719
	// A law with less skewness and excess kurtosis makes intervals of its variance up to a fifth too short.
	leastSkewness, leastKurtosis = .5, 1
)

// Odd reports whether the numbers are not of a normal law: one tail is longer than the other, or both are heavier, by more than chance and by
// as much as matters.
//
// Skewness and kurtosis are taken to normal scores (D'Agostino, Biometrika 57, 1970; Anscombe and Glynn, Biometrika 70, 1983).
func (s *Sample) Odd() bool {
	if s.n < leastSample {
		return false
	}
	skewness, kurtosis := s.moments()
	return math.Abs(skewness) > leastSkewness && math.Abs(skewnessScore(skewness, s.n)) > surprising ||
		kurtosis-3 > leastKurtosis && kurtosisScore(kurtosis, s.n) > surprising
}

func (s *Sample) moments() (skewness, kurtosis float64) {
	mean, squares, cubes := s.sum/s.n, s.squares/s.n, s.cubes/s.n
	two := squares - float64(mean*mean)
	three := cubes - float64(mean*(3*squares-float64(2*mean*mean)))
	four := s.fourths/s.n - float64(mean*(4*cubes-float64(mean*(6*squares-float64(3*mean*mean)))))
	return three / math.Pow(two, 1.5), four / (two * two)
}

// skewnessScore is the normal score of the skewness of n normal numbers.
func skewnessScore(skewness, n float64) float64 {
	y := skewness * math.Sqrt((n+1)*(n+3)/(6*(n-2)))
	kurtosis := 3 * (n*n + 27*n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
	w := math.Sqrt(2*(kurtosis-1)) - 1
	return math.Asinh(y/math.Sqrt(2/(w-1))) / math.Sqrt(.5*math.Log(w))
}

// kurtosisScore is that of their kurtosis.
func kurtosisScore(kurtosis, n float64) float64 {
	x := (kurtosis - 3*(n-1)/(n+1)) / math.Sqrt(24*n*(n-2)*(n-3)/((n+1)*(n+1)*(n+3)*(n+5)))
	skewness := 6 * (n*n - 5*n + 2) / ((n + 7) * (n + 9)) * math.Sqrt(6*(n+3)*(n+5)/(n*(n-2)*(n-3)))
	a := 6 + 8/skewness*(2/skewness+math.Sqrt(1+4/(skewness*skewness)))
	return (1 - 2/(9*a) - math.Cbrt((1-2/a)/(1+x*math.Sqrt(2/(a-4))))) / math.Sqrt(2/(9*a))
}
