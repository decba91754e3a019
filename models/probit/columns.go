package probit

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/exchangeable"
)

// Columns is what every method for the probit model, ours and its
// competitors, knows of the columns of X: their prior, and which shards fit.
type Columns struct {
	prior     Prior
	p         int // coefficients, the intercept included
	intercept bool
	levels    exchangeable.Levels
	params    [1]cdf.Param
}

// NewColumns returns the columns of a key. A prior that is out of range
// is an error; no column at all is ErrSchema, wrapped.
func NewColumns(prior Prior, d cdf.Dims) (Columns, error) {
	if err := prior.Validate(); err != nil {
		return Columns{}, err
	}
	if len(d.Columns) == 0 {
		return Columns{}, fmt.Errorf("%w: probit needs an intercept or a feature", cdf.ErrSchema)
	}
	return Columns{prior: prior, p: len(d.Columns), intercept: d.Intercept}, nil
}

// Variance returns v_j, the prior variance of coefficient j.
func (h *Columns) Variance(j int) float64 {
	if h.intercept && j == 0 {
		return h.prior.InterceptVariance
	}
	return h.prior.BetaVariance
}

// addPrecision adds sign times that of the prior to the lower triangle of a matrix.
func (h *Columns) addPrecision(sign float64, m []float64) {
	for j := range h.p {
		m[j*h.p+j] += sign / h.Variance(j)
	}
	h.levels.AddPrecision(h.p, sign/h.prior.BetaVariance, m)
}

// Params returns beta, the intercept first where there is one.
func (h *Columns) Params() []cdf.Param {
	h.params[0] = cdf.Param{Name: "beta", Len: h.p}
	return h.params[:]
}

// Check reports, wrapping ErrShard, a shard of the wrong width, a column that
// is not finite, or a response that is not 0, 1 or NaN.
func (h *Columns) Check(sh *cdf.Shard) error {
	if sh.Cols != h.p || len(sh.X) != sh.Rows*sh.Cols || len(sh.Y) != sh.Rows {
		return fmt.Errorf("%w: %d rows of %d columns with %d entries and %d responses, want %d columns",
			cdf.ErrShard, sh.Rows, sh.Cols, len(sh.X), len(sh.Y), h.p)
	}
	if !sh.Finite {
		if i := lin.IndexNotFinite(sh.X); i >= 0 {
			return fmt.Errorf("%w: row %d, column %d is %v", cdf.ErrShard, i/h.p, i%h.p, sh.X[i])
		}
	}
	for i, y := range sh.Y {
		switch {
		case y == 0 || y == 1 || math.IsNaN(y):
		case y == -1:
			return fmt.Errorf("%w: response of row %d is -1; probit takes 0 and 1, so code -1/1 as 0/1", cdf.ErrShard, i)
		default:
			return fmt.Errorf("%w: response of row %d is %v; probit takes 0 and 1", cdf.ErrShard, i, y)
		}
	}
	return nil
}

// PriorSD writes the prior sd of each functional.
func (h *Columns) PriorSD(functionals []cdf.Functional, dst []float64) {
	for i, f := range functionals {
		v := 0.0
		for k, j := range f.Param {
			v += f.Weight[k] * f.Weight[k] * h.Variance(j)
		}
		dst[i] = math.Sqrt(v + h.prior.BetaVariance*h.levels.Shared(f.Param, f.Weight))
	}
}

// Only refuses, with ErrSchema, a functional that asks for another parameter
// than beta.
func (h *Columns) Only(f cdf.Functional) error {
	for _, j := range f.Param {
		if j < 0 || j >= h.p {
			return fmt.Errorf("%w: %s asks for parameter %d of %d", cdf.ErrSchema, f.Name, j, h.p)
		}
	}
	return nil
}

// Signed appends to dst the next n rows of the shard, from a row on, that have
// a response, each times 2y-1: the likelihood of such a row is Phi(xs'beta). It
// returns the longer slice and the row behind the last one read.
func (h *Columns) Signed(dst []float64, sh *cdf.Shard, from, n int) ([]float64, int) {
	for ; n > 0; from++ {
		if y := sh.Y[from]; !math.IsNaN(y) {
			for _, v := range lin.Row(sh.X, h.p, from) {
				dst = append(dst, (2*y-1)*v)
			}
			n--
		}
	}
	return dst, from
}
