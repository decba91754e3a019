package models

import (
	"cmp"
	"fmt"
	"math"
	"sync"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/internal/regression"
	"github.com/credence-stream/credence/models/kind"
)

// LinearSettings are the settings of both variants of the linear model.
type LinearSettings struct {
	Prior LinearPrior `yaml:"prior" json:"prior"`
}

// LinearPrior is the prior beta_j ~ N(0, v_j), sigma2 ~ IG(shape, rate) on
// the scaled columns. Every number is positive and finite.
type LinearPrior struct {
	BetaVariance      float64 `yaml:"beta_variance" json:"beta_variance"`           // v_j of a column
	InterceptVariance float64 `yaml:"intercept_variance" json:"intercept_variance"` // v_0, where there is an intercept
	Sigma2Shape       float64 `yaml:"sigma2_shape" json:"sigma2_shape"`             // a
	Sigma2Rate        float64 `yaml:"sigma2_rate" json:"sigma2_rate"`               // b, in units of y^2
}

// DefaultLinear returns the settings that hold where none are given.
func DefaultLinear() LinearSettings {
	return LinearSettings{Prior: LinearPrior{
		BetaVariance: 1, InterceptVariance: 100, Sigma2Shape: 1, Sigma2Rate: 1,
	}}
}

// Validate names the first setting that is out of range.
func (s LinearSettings) Validate() error {
	return cmp.Or(
		kind.Positive("linear", "beta_variance", s.Prior.BetaVariance),
		kind.Positive("linear", "intercept_variance", s.Prior.InterceptVariance),
		kind.Positive("linear", "sigma2_shape", s.Prior.Sigma2Shape),
		kind.Positive("linear", "sigma2_rate", s.Prior.Sigma2Rate),
	)
}

func buildLinear(s *LinearSettings, variant string) (kind.Build, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	set, works := *s, newLinearWorks()
	if variant == "paper" {
		return func(d cdf.Dims) (cdf.Model, error) { return newLinearPaper(set, d, works) }, nil
	}
	return func(d cdf.Dims) (cdf.Model, error) { return newLinear(set, d, works) }, nil
}

// linearShape is what both variants know of their columns.
type linearShape struct {
	regression.Shape
	prior     LinearPrior
	intercept bool
}

func newLinearShape(s LinearSettings, d cdf.Dims) (linearShape, error) {
	if err := s.Validate(); err != nil {
		return linearShape{}, err
	}
	if len(d.Columns) == 0 {
		return linearShape{}, fmt.Errorf("%w: linear needs an intercept or a feature", cdf.ErrSchema)
	}
	return linearShape{Shape: regression.Shape{Name: "beta", P: len(d.Columns)}, prior: s.Prior, intercept: d.Intercept}, nil
}

// variance returns v_j, the prior variance of coefficient j.
func (s *linearShape) variance(j int) float64 {
	if s.intercept && j == 0 {
		return s.prior.InterceptVariance
	}
	return s.prior.BetaVariance
}

// PriorSD writes the prior sd of each functional, NaN where the variance of
// sigma2 is undefined.
func (s *linearShape) PriorSD(functionals []cdf.Functional, dst []float64) {
	a, b := s.prior.Sigma2Shape, s.prior.Sigma2Rate
	for i, f := range functionals {
		v := 0.0
		for k, j := range f.Param {
			w2 := f.Weight[k] * f.Weight[k]
			switch {
			case j < s.P:
				v += w2 * s.variance(j)
			case a > 2:
				v += w2 * b * b / ((a - 1) * (a - 1) * (a - 2))
			default:
				v = math.NaN()
			}
		}
		dst[i] = math.Sqrt(v)
	}
}

func newLinearWorks() *sync.Pool { return &sync.Pool{New: func() any { return new(linearWork) }} }
