package probit

import (
	"math"
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/models/internal/dist"
	"github.com/credence-stream/credence/models/internal/predictive"
)

// Score collects the scores of a shard's rows, whose responses are 0 or
// 1: the mean log of the predictive probabilities, the root of the Brier
// score, and the share of randomised probability integral transforms
// P(Y < y) + U P(Y = y) that lie in [.025, .975].
type Score struct {
	t   predictive.Tally
	rng *rand.Rand // of U
}

// NewScore returns a score of no rows; U comes from rng.
func NewScore(rng *rand.Rand) *Score {
	t := predictive.NewTally(cdf.NoScore())
	t.Expected = 0
	return &Score{t, rng}
}

// Skip counts a row and reports that it has no response, y being NaN.
func (b *Score) Skip(y float64) bool { return b.t.Skip(y) }

// Add takes a row with the response y, whose predictive probability was q and
// the logarithm of that log, which q may be too small to tell.
func (b *Score) Add(y, q, log float64) {
	b.t.Logs += log
	if b.t.Expected += q * log; q < 1 {
		b.t.Expected += (1 - q) * math.Log1p(-q)
	}
	pit := cdf.Tamed(transform(q, y, b.rng.Float64()), q)
	b.t.Add(1-q, pit, pit >= .025 && pit <= .975)
}

// Share takes the variance, over the state, of the probability q that a row was predicted with. As much of
// the variance of the response, q(1-q), may rows have in common; and of the variance of the normal score of the randomised
// transform the response makes phi(z)^2 / (q(1-q)), where Phi(z) is q, and U the rest.
func (b *Score) Share(q, variance float64) {
	part := 0.0
	if v := q * (1 - q); v > 0 {
		z := normal.Quantile(q)
		told := math.Exp(-z*z) / (2 * math.Pi * v)
		part = variance / v * told
	}
	b.t.Share(part, 1)
}

// Score returns the scores; ErrNumeric, wrapped, says that they are not finite.
func (b *Score) Score() (cdf.Score, error) { return b.t.Score("probit") }

// transform returns P(Y < y) + u P(Y = y), where P(Y = y) is q.
func transform(q, y, u float64) float64 {
	if y == 0 {
		return u * q
	}
	return (1 - q) + float64(u*q)
}

// Predict describes a new response that is 1 with the given predictive
// probability.
func Predict(p *cdf.Prediction, probability float64) {
	p.Mean, p.SD = probability, math.Sqrt(probability*(1-probability))
	p.Q025, p.Q975 = bernoulliQuantile(probability, .025), bernoulliQuantile(probability, .975)
	for i, level := range dist.InnerLevels {
		p.Inner[i] = bernoulliQuantile(probability, level)
	}
}

// Judge says how likely the response y was, as Score.Add does;
// the transform is not randomised: U is 1/2. Without a response, y being NaN,
// both numbers are NaN.
func Judge(p *cdf.Prediction, y, q, log float64) {
	p.LogDensity, p.PIT = math.NaN(), math.NaN()
	if !math.IsNaN(y) {
		p.LogDensity, p.PIT = log, transform(q, y, .5)
	}
}

// bernoulliQuantile returns the least y with P(Y <= y) >= level.
func bernoulliQuantile(p, level float64) float64 {
	if 1-p >= level {
		return 0
	}
	return 1
}
