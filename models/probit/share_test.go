package probit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/normal"
)

// Normal scores of the randomised transforms of two rows, whose probabilities the state's error moves
// together, have the correlation that Share tells: within five standard errors, as in all
// but one of a million runs.
func TestShareIsTheCorrelationOfScores(t *testing.T) {
	const pairs, tau = 400_000, .8
	for _, level := range []float64{0, -1.5} {
		r := rand.New(rand.NewPCG(5, uint64(10*level+20)))
		q := normal.CDF(level / math.Sqrt(1+tau*tau))
		variance, product := 0., 0.
		for range pairs {
			p := normal.CDF(level + tau*r.NormFloat64())
			variance += (p - q) * (p - q) / pairs
			score := func() float64 {
				if r.Float64() < p {
					return normal.Quantile(1 - q + r.Float64()*q)
				}
				return normal.Quantile(r.Float64() * (1 - q))
			}
			product += score() * score() / pairs
		}
		s := NewScore(r)
		s.Add(1, q, math.Log(q))
		s.Share(q, variance)
		got, err := s.Score()
		if err != nil || math.Abs(got.Shared-product) > 5/math.Sqrt(pairs) || got.Shared < .05 {
			t.Errorf("level %g: %.4f is told, scores have a correlation of %.4f (%v)", level, got.Shared, product, err)
		}
	}
}
