// Package chain holds what the baselines' Markov chains have in common.
package chain

import (
	"math/rand/v2"

	"github.com/credence-stream/credence/cdf/rnd"
)

// Burn is the number of sweeps that a cold chain drops.
const Burn = 200

// MostVariance bounds draws of variances from above, its inverse from below,
// so that their squares are floats.
const MostVariance = 1e150

// Variance draws from IG(shape, rate).
func Variance(r *rand.Rand, shape, rate float64) float64 {
	return min(max(rnd.InvGamma(r, shape, rate), 1/MostVariance), MostVariance)
}

// SweepsAhead is the number of sweeps that a prediction averages over.
const SweepsAhead = 100

// Ahead returns the generator of the chains behind predictions. It is fixed:
// what is predicted is a function of the state.
func Ahead() *rand.Rand { return rand.New(rand.NewPCG(1, 0)) }
