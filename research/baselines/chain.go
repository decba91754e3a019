package baselines

import (
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf/rnd"
)

// burn is the number of sweeps that a cold chain drops.
const burn = 200

// mostVariance bounds draws of variances from above, its inverse from below,
// so that their squares are floats.
const mostVariance = 1e150

// variance draws from IG(shape, rate).
func variance(r *rand.Rand, shape, rate float64) float64 {
	return min(max(rnd.InvGamma(r, shape, rate), 1/mostVariance), mostVariance)
}

// sweepsAhead is the number of sweeps that a prediction averages over.
const sweepsAhead = 100

// ahead returns the generator of the chains behind predictions. It is fixed:
// what is predicted is a function of the state.
func ahead() *rand.Rand { return rand.New(rand.NewPCG(1, 0)) }
