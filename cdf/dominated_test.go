package cdf_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// swayed is vague with sensitivities of its two variables.
type swayed struct {
	vague
	by [2]float64
}

func (s swayed) PriorSensitivity(_ []cdf.Functional, dst []float64) { copy(dst, s.by[:]) }

// Either criterion lists a variable, and both list it once. The sd of beta[x] is .83
// of the prior's, that of beta[intercept] .77.
func TestPriorDominatedByEitherCriterion(t *testing.T) {
	for _, c := range []struct {
		by   [2]float64
		want string
	}{
		{[2]float64{math.NaN(), math.NaN()}, "[beta[x]]"},
		{[2]float64{.34, .34}, "[beta[x]]"},
		{[2]float64{.36, math.NaN()}, "[beta[intercept] beta[x]]"},
		{[2]float64{.34, .36}, "[beta[x]]"},
	} {
		spec, shards, forget := recording(cdf.Roles{Intercept: true})
		spec.New = func(d cdf.Dims) (cdf.Model, error) {
			return swayed{vague{recorder{d, shards, forget}, new([]float64)}, c.by}, nil
		}
		sum, err := cdf.NewFilter(spec, "k").Update(batch(num("x", 1), num("y", 1)))
		if err != nil || fmt.Sprint(sum.PriorDominated) != c.want {
			t.Errorf("sensitivities %g: dominated %v (%v), want %s", c.by, sum.PriorDominated, err, c.want)
		}
	}
}
