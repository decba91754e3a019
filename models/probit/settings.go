package probit

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/kind"
)

// Settings are the settings of both variants of the probit model.
type Settings struct {
	Prior Prior `yaml:"prior" json:"prior"`
	// Window is the number of rows that are kept, 0 for max(500, 5p).
	Window int `yaml:"window" json:"window"`
	// Chains is the number of Markov chains, which advance together.
	Chains int `yaml:"chains" json:"chains"`
	// Freeze is the rule for rows that leave the window: expected. The
	// variant `paper` has its own.
	Freeze string `yaml:"freeze" json:"freeze"`
}

// Prior is the prior beta_j ~ N(0, v_j) on the scaled columns. Every
// number is positive and finite.
type Prior struct {
	BetaVariance      float64 `yaml:"beta_variance" json:"beta_variance"`           // v_j of a column
	InterceptVariance float64 `yaml:"intercept_variance" json:"intercept_variance"` // v_0, where there is an intercept
}

// Defaults returns the settings that hold where none are given.
func Defaults() Settings {
	return Settings{
		Prior:  Prior{BetaVariance: 1, InterceptVariance: 10},
		Chains: 16, Freeze: "expected",
	}
}

// Validate names the first number that is out of range.
func (v Prior) Validate() error {
	return cmp.Or(
		kind.Positive("probit", "beta_variance", v.BetaVariance),
		kind.Positive("probit", "intercept_variance", v.InterceptVariance),
	)
}

// Validate names the first setting that is out of range.
func (s Settings) Validate() error {
	if err := s.Prior.Validate(); err != nil {
		return err
	}
	if s.Window < 0 {
		return fmt.Errorf("probit: window must not be negative, got %d", s.Window)
	}
	if s.Chains < 1 || s.Chains > 128 {
		return fmt.Errorf("probit: chains must be between 1 and 128, got %d", s.Chains)
	}
	if s.Freeze != "expected" {
		return fmt.Errorf("probit: freeze must be expected, got %q", s.Freeze)
	}
	return nil
}

func build(s *Settings, variant string) (kind.Build, error) {
	rule := corrected
	if variant == "paper" {
		rule = paper
	}
	set, scratch := *s, newScratch()
	return func(d cdf.Dims) (cdf.Model, error) { return newModel(set, d, rule, scratch) }, nil
}

// shape is what the model knows of its columns and sizes.
type shape struct {
	Columns
	limit  int // rows of the window, b
	chains int // K
	s      int // draws per shard, S, a multiple of the chains
}

func newShape(s Settings, d cdf.Dims) (shape, error) {
	if err := s.Validate(); err != nil {
		return shape{}, err
	}
	columns, err := NewColumns(s.Prior, d)
	if err != nil {
		return shape{}, err
	}
	columns.levels = d.Siblings
	limit := s.Window
	if limit == 0 {
		limit = max(500, 5*columns.p)
	}
	sweeps := (max(d.Draws, 1) + s.Chains - 1) / s.Chains
	return shape{Columns: columns, limit: limit, chains: s.Chains, s: sweeps * s.Chains}, nil
}

// Chains returns the number of chains behind the draws.
func (h *shape) Chains() int { return h.chains }

func newScratch() *sync.Pool { return &sync.Pool{New: func() any { return new(work) }} }
