package anova

import (
	"cmp"
	"fmt"
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/kind"
)

// Settings are the settings of both variants of the anova model.
type Settings struct {
	Prior Prior `yaml:"prior" json:"prior"`
}

// Prior is the prior mu ~ N(0, mu_variance), flat where that is 0,
// tau2 ~ IG(shape, rate), sigma2 ~ IG(shape, rate), in units of the scaled
// response. Shapes and rates are positive and finite.
type Prior struct {
	MuVariance  float64 `yaml:"mu_variance" json:"mu_variance"` // v, 0: flat
	Tau2Shape   float64 `yaml:"tau2_shape" json:"tau2_shape"`   // a
	Tau2Rate    float64 `yaml:"tau2_rate" json:"tau2_rate"`     // b, in units of y^2
	Sigma2Shape float64 `yaml:"sigma2_shape" json:"sigma2_shape"`
	Sigma2Rate  float64 `yaml:"sigma2_rate" json:"sigma2_rate"` // in units of y^2
}

// Defaults returns the settings that hold where none are given. With
// shape 1/2 and rate .005 tau2 is scaled inverse chi^2 with one degree of
// freedom: groups differ by an sd of about .1 a priori, with a long tail.
func Defaults() Settings {
	return Settings{Prior: Prior{Tau2Shape: 0.5, Tau2Rate: 0.005, Sigma2Shape: 1, Sigma2Rate: 1}}
}

// Validate names the first setting that is out of range.
func (s Settings) Validate() error {
	if v := s.Prior.MuVariance; !(v >= 0) || math.IsInf(v, 1) {
		return fmt.Errorf("anova: prior.mu_variance must be finite and not negative (0 is flat), got %v", v)
	}
	return cmp.Or(
		kind.Positive("anova", "tau2_shape", s.Prior.Tau2Shape),
		kind.Positive("anova", "tau2_rate", s.Prior.Tau2Rate),
		kind.Positive("anova", "sigma2_shape", s.Prior.Sigma2Shape),
		kind.Positive("anova", "sigma2_rate", s.Prior.Sigma2Rate),
	)
}

func build(s *Settings, variant string) (kind.Build, error) {
	set, scratch := *s, newScratch()
	if variant == "paper" {
		return func(cdf.Dims) (cdf.Model, error) { return newPaper(set, scratch), nil }, nil
	}
	return func(cdf.Dims) (cdf.Model, error) { return newModel(set, scratch), nil }, nil
}

// work is scratch space, shared by all models of one configuration
// through a pool. Nothing in it survives the call that took it.
type work struct {
	grid             grid
	mean, m2, within []float64   // per group
	draws            [][]float64 // rows of Draws, nil: a level that is not described
	spare            []float64   // those of mu and the variances where they are not described
	picks            picks
}

func newScratch() *sync.Pool { return &sync.Pool{New: func() any { return new(work) }} }

// rows finds the rows of the draws of k groups. What levels depend on has rows even if nothing else asks for it.
func (w *work) rows(k int, draws *cdf.Draws) {
	w.draws, w.spare = w.draws[:0], w.spare[:0]
	for i := range zetaRow + k {
		row := draws.Row(i)
		if row == nil && i < zetaRow {
			w.spare = lin.Grow(w.spare, draws.S) // what is there is not read
			row = w.spare
		}
		w.draws = append(w.draws, row)
	}
}
