package poisson

import "math"

const (
	// roundFrom is the mean of the log rate from which on the logarithm of a count is
	// taken as normal: entropies are within .04 of their sums there.
	roundFrom = 1
	// summed is how many counts an entropy sums at most, and unsummed the probability that
	// it leaves out before.
	summed, unsummed = 48, 1e-4
)

// hermiteWeights are those of hermite under a standard normal.
var hermiteWeights = func() (w [len(hermite)]float64) {
	for i, node := range hermite {
		w[i] = node[1] * math.Exp(-node[0]*node[0]) / math.Sqrt(math.Pi)
	}
	return w
}()

// entropy returns that of the count, -E log P(Y = y), in nats, within some hundredths: what
// the model expects to lose. Components are taken as one normal.
func (p mass) entropy() float64 {
	mean, sd := p.mean, p.sd
	if mean >= roundFrom {
		return mean + 0.5*math.Log(2*math.Pi*math.E*(sd*sd+math.Exp(-mean)))
	}
	var rate, mass [2*len(hermite) - 1]float64
	for i, node := range hermite {
		t := math.Sqrt2 * node[0]
		for _, k := range [2]int{len(hermite) - 1 - i, len(hermite) - 1 + i} {
			t = -t
			rate[k] = math.Exp(mean + sd*t)
			mass[k] = hermiteWeights[i] * math.Exp(-rate[k])
		}
	}
	sum, left := 0.0, 1.0
	for y := 1.0; y <= summed && left > unsummed; y++ {
		q := 0.0
		for k, m := range mass {
			q += m
			mass[k] = m * rate[k] / y
		}
		if q > 0 {
			sum -= q * math.Log(q)
		}
		left -= q
	}
	return sum
}
