package anova

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/research/baselines/internal/chain"
	"github.com/credence-stream/credence/research/baselines/internal/law"
)

// params returns mu, tau2, sigma2 and a zeta per group. Under a flat
// prior mu joins with the first group.
func params(p *anova.Prior, k int) []cdf.Param {
	located := 0
	if p.MuVariance > 0 || k > 0 {
		located = 1
	}
	return []cdf.Param{{Name: "mu", Len: located}, {Name: "tau2", Len: 1}, {Name: "sigma2", Len: 1}, {Name: "zeta", Len: k}}
}

// drawPrior fills the draws while there is no group.
func drawPrior(s *cdf.Step, p *anova.Prior) {
	for i := range s.Draws.S {
		row := 0
		if p.MuVariance > 0 {
			s.Draws.Row(0)[i] = math.Sqrt(p.MuVariance) * s.RNG.NormFloat64()
			row = 1
		}
		s.Draws.Row(row)[i] = chain.Variance(s.RNG, p.Tau2Shape, p.Tau2Rate)
		s.Draws.Row(row + 1)[i] = chain.Variance(s.RNG, p.Sigma2Shape, p.Sigma2Rate)
	}
}

// priorSD writes the prior sd of each functional, NaN where undefined: of
// mu and zeta under a flat prior, of the variances with shapes up to 2.
func priorSD(p *anova.Prior, params []cdf.Param, functionals []cdf.Functional, dst []float64) {
	for i, f := range functionals {
		sd := math.NaN()
		switch parameter(params, f.Param[0]) {
		case "sigma2":
			sd = law.InvGammaSD(p.Sigma2Shape, p.Sigma2Rate)
		case "tau2":
			sd = law.InvGammaSD(p.Tau2Shape, p.Tau2Rate)
		case "mu":
			sd = math.Sqrt(p.MuVariance)
		case "zeta":
			if p.MuVariance > 0 && p.Tau2Shape > 1 {
				sd = math.Sqrt(p.MuVariance + p.Tau2Rate/(p.Tau2Shape-1))
			}
		}
		if sd == 0 { // flat
			sd = math.NaN()
		}
		dst[i] = math.Abs(f.Weight[0]) * sd
	}
}

// parameter returns the name of the parameter that a row of Draws belongs to.
func parameter(params []cdf.Param, row int) string {
	for _, p := range params {
		if row -= p.Len; row < 0 {
			return p.Name
		}
	}
	return ""
}
