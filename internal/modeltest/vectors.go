package modeltest

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// VectorCheck compares with the tolerances of the vectors' own README.
type VectorCheck struct {
	T     *testing.T
	Name  string
	Shard int
	Worst map[string]float64
}

// Near fails unless the miss of got, in units, is at most tol.
func (c *VectorCheck) Near(what string, got, want, unit, tol float64) {
	c.T.Helper()
	miss := math.Abs(got-want) / unit
	c.Worst[what] = max(c.Worst[what], miss)
	if !(miss <= tol) {
		c.T.Errorf("%s shard %d: %s is %v, want %v (miss %.3g, allowed %.3g)", c.Name, c.Shard, what, got, want, miss, tol)
	}
}

// Maybe compares a moment that is NaN where the vector has null.
func (c *VectorCheck) Maybe(what string, got float64, want *float64, unit, tol float64) {
	c.T.Helper()
	if want == nil {
		if !math.IsNaN(got) {
			c.T.Errorf("%s shard %d: %s is %v, want undefined", c.Name, c.Shard, what, got)
		}
		return
	}
	c.Near(what, got, *want, unit, tol)
}

// Row compares mean, sd and the outer quantiles.
func (c *VectorCheck) Row(what string, r cdf.Row, w VectorRow, tol float64) {
	c.T.Helper()
	sd := (w.High - w.Low) / 4
	if w.SD != nil {
		sd = *w.SD
	}
	c.Maybe(what+" mean", r.Mean, w.Mean, sd, tol)
	if w.SD == nil {
		c.Maybe(what+" sd", r.SD, nil, 1, 0)
	} else {
		c.Near(what+" sd", r.SD, *w.SD, *w.SD, 1e-8)
	}
	c.Near(what+" q2.5", r.Q025, w.Low, sd, tol)
	c.Near(what+" q97.5", r.Q975, w.High, sd, tol)
}

// VectorRow is one variable of a vector.
type VectorRow struct {
	Mean, SD, Scale *float64
	Low             float64 `json:"q2.5"`
	High            float64 `json:"q97.5"`
}
