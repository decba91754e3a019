package models

import (
	"fmt"
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf"
)

// ProbitSettings are the settings of both variants of the probit model.
type ProbitSettings struct {
	Prior ProbitPrior `yaml:"prior" json:"prior"`
	// Window is the number of rows that are kept, 0 for max(500, 5p).
	Window int `yaml:"window" json:"window"`
	// Chains is the number of Markov chains, which advance together.
	Chains int `yaml:"chains" json:"chains"`
	// Freeze is the rule for rows that leave the window: expected. The
	// variant `paper` has its own.
	Freeze string `yaml:"freeze" json:"freeze"`
}

// ProbitPrior is the prior beta_j ~ N(0, v_j) on the scaled columns. Every
// number is positive and finite.
type ProbitPrior struct {
	BetaVariance      float64 `yaml:"beta_variance" json:"beta_variance"`           // v_j of a column
	InterceptVariance float64 `yaml:"intercept_variance" json:"intercept_variance"` // v_0, where there is an intercept
}

// DefaultProbit returns the settings that hold where none are given.
func DefaultProbit() ProbitSettings {
	return ProbitSettings{
		Prior:  ProbitPrior{BetaVariance: 1, InterceptVariance: 10},
		Chains: 16, Freeze: "expected",
	}
}

// Validate names the first setting that is out of range.
func (s ProbitSettings) Validate() error {
	if err := positive("probit", []priorNumber{
		{"beta_variance", s.Prior.BetaVariance},
		{"intercept_variance", s.Prior.InterceptVariance},
	}); err != nil {
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

func configureProbit(variant string, decode func(any) error) (any, Build, error) {
	s := DefaultProbit()
	if decode != nil {
		if err := decode(&s); err != nil {
			return nil, nil, err
		}
	}
	if err := s.Validate(); err != nil {
		return nil, nil, err
	}
	var rule freezeRule
	switch variant {
	case "", "corrected":
		rule = expectedSite
	case "paper":
		rule = unitSite
	default:
		return nil, nil, errVariant("probit", variant, []string{"corrected", "paper"})
	}
	works := newProbitWorks()
	return s, func(d cdf.Dims) (cdf.Model, error) { return newProbit(s, d, rule, works) }, nil
}

// probitShape is what the model knows of its columns and sizes.
type probitShape struct {
	prior     ProbitPrior
	p         int // coefficients, the intercept included
	intercept bool
	limit     int // rows of the window, b
	chains    int // K
	s         int // draws per shard, S, a multiple of the chains
}

func newProbitShape(s ProbitSettings, d cdf.Dims) (probitShape, error) {
	if err := s.Validate(); err != nil {
		return probitShape{}, err
	}
	p := len(d.Columns)
	if p == 0 {
		return probitShape{}, fmt.Errorf("%w: probit needs an intercept or a feature", cdf.ErrSchema)
	}
	limit := s.Window
	if limit == 0 {
		limit = max(500, 5*p)
	}
	sweeps := (max(d.Draws, 1) + s.Chains - 1) / s.Chains
	return probitShape{
		prior: s.Prior, p: p, intercept: d.Intercept,
		limit: limit, chains: s.Chains, s: sweeps * s.Chains,
	}, nil
}

// variance returns v_j, the prior variance of coefficient j.
func (h *probitShape) variance(j int) float64 {
	if h.intercept && j == 0 {
		return h.prior.InterceptVariance
	}
	return h.prior.BetaVariance
}

// Params returns beta, the intercept first where there is one.
func (h *probitShape) Params() []cdf.Param { return []cdf.Param{{Name: "beta", Len: h.p}} }

// Chains returns the number of chains behind the draws.
func (h *probitShape) Chains() int { return h.chains }

// Check reports, wrapping ErrShard, a shard of the wrong width, a column that
// is not finite, or a response that is not 0, 1 or NaN.
func (h *probitShape) Check(sh *cdf.Shard) error {
	if sh.Cols != h.p || len(sh.X) != sh.Rows*sh.Cols || len(sh.Y) != sh.Rows {
		return fmt.Errorf("%w: %d rows of %d columns with %d entries and %d responses, want %d columns",
			cdf.ErrShard, sh.Rows, sh.Cols, len(sh.X), len(sh.Y), h.p)
	}
	if i := indexNotFinite(sh.X); i >= 0 {
		return fmt.Errorf("%w: row %d, column %d is %v", cdf.ErrShard, i/h.p, i%h.p, sh.X[i])
	}
	for i, y := range sh.Y {
		switch {
		case y == 0 || y == 1 || y != y:
		case y == -1:
			return fmt.Errorf("%w: response of row %d is -1; probit takes 0 and 1, so code -1/1 as 0/1", cdf.ErrShard, i)
		default:
			return fmt.Errorf("%w: response of row %d is %v; probit takes 0 and 1", cdf.ErrShard, i, y)
		}
	}
	return nil
}

// PriorSD writes the prior sd of each functional.
func (h *probitShape) PriorSD(functionals []cdf.Functional, dst []float64) {
	for i, f := range functionals {
		v := 0.0
		for k, j := range f.Param {
			v += f.Weight[k] * f.Weight[k] * h.variance(j)
		}
		dst[i] = math.Sqrt(v)
	}
}

func newProbitWorks() *sync.Pool { return &sync.Pool{New: func() any { return new(probitWork) }} }
