package linear

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/internal/exchangeable"
	"github.com/credence-stream/credence/models/internal/regression"
	"github.com/credence-stream/credence/models/kind"
)

// Settings are the settings of both variants of the linear model.
type Settings struct {
	Prior Prior `yaml:"prior" json:"prior"`
}

// Prior is the prior beta_j ~ N(0, v_j), sigma2 ~ IG(shape, rate) on
// the scaled columns. Every number is positive and finite.
type Prior struct {
	BetaVariance      float64 `yaml:"beta_variance" json:"beta_variance"`           // v_j of a column
	InterceptVariance float64 `yaml:"intercept_variance" json:"intercept_variance"` // v_0, where there is an intercept
	Sigma2Shape       float64 `yaml:"sigma2_shape" json:"sigma2_shape"`             // a
	Sigma2Rate        float64 `yaml:"sigma2_rate" json:"sigma2_rate"`               // b, in units of y^2
}

// Defaults returns the settings that hold where none are given.
func Defaults() Settings {
	return Settings{Prior: Prior{
		BetaVariance: 1, InterceptVariance: 100, Sigma2Shape: 1, Sigma2Rate: 1,
	}}
}

// vague is how many times the square of the largest coefficient a prior variance is: with t
// sds of the posterior from 0 it draws a coefficient by t/vague of its sd at most.
const vague = 100

// ofSample is the prior that says little beside a sample: variances far beyond the
// coefficients, and for the noise one row of it. With shape 1 the mean of sigma2 is then
// (2 rate + squares)/free, as the coefficients take up the rows that they are fitted by.
func ofSample(f kind.Fit) Prior {
	d := Defaults().Prior
	d.BetaVariance = max(d.BetaVariance, upTen(vague*f.Largest))
	d.InterceptVariance = max(d.InterceptVariance, upTen(vague*f.Intercept))
	rate := max(f.Noise, float64(f.Free)*f.Noise-f.Squares) / 2
	d.Sigma2Rate, _ = strconv.ParseFloat(strconv.FormatFloat(rate, 'g', 3, 64), 64)
	return d
}

// upTen returns the next power of ten.
func upTen(x float64) float64 { return math.Pow(10, math.Ceil(math.Log10(x))) }

// Validate names the first setting that is out of range.
func (s Settings) Validate() error {
	return cmp.Or(
		kind.Positive("linear", "beta_variance", s.Prior.BetaVariance),
		kind.Positive("linear", "intercept_variance", s.Prior.InterceptVariance),
		kind.Positive("linear", "sigma2_shape", s.Prior.Sigma2Shape),
		kind.Positive("linear", "sigma2_rate", s.Prior.Sigma2Rate),
	)
}

func build(s *Settings, variant string) (kind.Build, error) {
	set, pool := *s, newScratch()
	if variant == "paper" {
		return func(d cdf.Dims) (cdf.Model, error) { return newPaper(set, d, pool) }, nil
	}
	return func(d cdf.Dims) (cdf.Model, error) { return newModel(set, d, pool) }, nil
}

// columns is what both variants know of their columns.
type columns struct {
	regression.Shape
	prior     Prior
	intercept bool
	levels    exchangeable.Levels
	scratch   *scratch
}

func newColumns(s Settings, d cdf.Dims, pool *scratch) (columns, error) {
	if err := s.Validate(); err != nil {
		return columns{}, err
	}
	if len(d.Columns) == 0 {
		return columns{}, fmt.Errorf("%w: linear needs an intercept or a feature", cdf.ErrSchema)
	}
	return columns{Shape: regression.Shape{Name: "beta", P: len(d.Columns)}, prior: s.Prior, intercept: d.Intercept, levels: d.Siblings, scratch: pool}, nil
}

// variance returns v_j, the prior variance of coefficient j.
func (s *columns) variance(j int) float64 {
	if s.intercept && j == 0 {
		return s.prior.InterceptVariance
	}
	return s.prior.BetaVariance
}

// PriorSD writes the prior sd of each functional, NaN where the variance of
// sigma2 is undefined.
func (s *columns) PriorSD(functionals []cdf.Functional, dst []float64) {
	a, b := s.prior.Sigma2Shape, s.prior.Sigma2Rate
	for i := range functionals {
		f, v := &functionals[i], 0.0
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
		dst[i] = math.Sqrt(v + s.prior.BetaVariance*s.levels.Shared(f.Param, f.Weight))
	}
}
