// Package regression holds what models of a regression share.
package regression

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/cdf/vec"
	"github.com/credence-stream/credence/models/internal/describe"
	"github.com/credence-stream/credence/models/internal/dist"
)

// Shape is what the models of a regression with one variance know of their
// parameters: p coefficients, then sigma2.
type Shape struct {
	Name string // of the coefficients
	P    int

	params [2]cdf.Param
}

// Params returns the coefficients, the intercept first where there is one,
// then sigma2.
func (s *Shape) Params() []cdf.Param {
	s.params = [...]cdf.Param{{Name: s.Name, Len: s.P}, {Name: "sigma2", Len: 1}}
	return s.params[:]
}

// Check reports, wrapping ErrShard, a shard of the wrong width or with
// numbers that are not finite. A response may be NaN.
func (s *Shape) Check(sh *cdf.Shard) error {
	if sh.Cols != s.P || len(sh.X) != sh.Rows*sh.Cols || len(sh.Y) != sh.Rows {
		return fmt.Errorf("%w: %d rows of %d columns with %d entries and %d responses, want %d columns",
			cdf.ErrShard, sh.Rows, sh.Cols, len(sh.X), len(sh.Y), s.P)
	}
	if !sh.Finite {
		if i := lin.IndexNotFinite(sh.X); i >= 0 {
			return fmt.Errorf("%w: row %d, column %d is %v", cdf.ErrShard, i/s.P, i%s.P, sh.X[i])
		}
	}
	if vec.Finite(sh.Y) {
		return nil
	}
	for i, y := range sh.Y {
		if math.IsInf(y, 0) {
			return fmt.Errorf("%w: response of row %d is %v", cdf.ErrShard, i, y)
		}
	}
	return nil
}

// Describe describes sigma2 ~ IG(shape, rate) and leaves the coefficients to
// beta. A functional that Split refuses is refused.
func (s *Shape) Describe(functionals []cdf.Functional, rows []cdf.Row, law *dist.Standard, shape, rate float64,
	beta func(r *cdf.Row, f *cdf.Functional),
) error {
	for i := range functionals {
		f, r := &functionals[i], &rows[i]
		factor, isSigma, err := s.Split(f)
		if err != nil {
			return err
		}
		if describe.Begin(r, f.Name); isSigma {
			describe.InvGamma(r, law, shape, rate, f.Const, factor)
		} else {
			beta(r, f)
		}
	}
	return nil
}

// Split returns the sum of the functional's weights and whether it is one of
// sigma2. A functional of coefficients and of sigma2, or of none of the
// parameters, is refused with ErrSchema.
func (s *Shape) Split(f *cdf.Functional) (factor float64, isSigma bool, err error) {
	for k, j := range f.Param {
		switch {
		case j < 0 || j > s.P:
			return 0, false, fmt.Errorf("%w: %s asks for parameter %d of %d", cdf.ErrSchema, f.Name, j, s.P+1)
		case k > 0 && isSigma != (j == s.P):
			return 0, false, fmt.Errorf("%w: %s mixes %s and sigma2", cdf.ErrSchema, f.Name, s.Name)
		}
		isSigma = j == s.P
		factor += f.Weight[k]
	}
	return factor, isSigma, nil
}
