package models

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/simulate"
)

// Prices of about 0 and of about 4096, in a unit 64 times as small, are one column: slopes by group have the same law in the column's unit, and what
// groups are at its centre is the same. So it is where the column has a coefficient, and where it is a slope alone.
func TestSlopesInOtherUnits(t *testing.T) {
	k, _ := Lookup("poisson")
	for name, features := range map[string][]cdf.Feature{"a feature": {{Name: "price"}}, "a slope alone": {}} {
		spec, err := k.Spec("", cdf.Roles{
			Scaling: "first", Intercept: true, Features: features, Groups: []cdf.Group{{Column: "g", Slopes: []string{"price"}}, {Column: "h"}},
		}, strictyaml.Decode(""))
		if err != nil {
			t.Fatal(err)
		}
		const unit, far = 64, 4096
		plain, other := pricesByGroup(1, 0), pricesByGroup(unit, far)
		f, g := cdf.NewFilter(spec, "k"), cdf.NewFilter(spec, "k")
		for i := range plain {
			if i == 1 || i == len(plain)-1 { // while the first rows are kept, and after
				sameMeans(t, name, f, plain[i], g, other[i])
			}
			a, errA := f.Update(plain[i])
			b, errB := g.Update(other[i])
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			if !slices.Equal(a.Flags, b.Flags) || !slices.Equal(a.PriorDominated, b.PriorDominated) {
				t.Errorf("%s, shard %d: flags %q and %q, prior_dominated %q and %q", name, i+1, a.Flags, b.Flags, a.PriorDominated, b.PriorDominated)
			}
			for j, r := range a.Rows {
				q, factor := b.Rows[j], 1.
				switch {
				case r.Variable == "beta[intercept]":
					continue // it is at a price of 0
				case r.Variable == "beta[price]", strings.HasPrefix(r.Variable, "u[g=") && strings.HasSuffix(r.Variable, ",price]"):
					factor = unit
				case r.Variable == "sigma2_u[g,price]":
					factor = unit * unit
				}
				if off := math.Abs(r.Median-factor*q.Median) + math.Abs(r.Q975-factor*q.Q975); !(off < 1e-6*(r.Q975-r.Q025)) {
					t.Errorf("%s, shard %d: %s has median %g and upper quantile %g, and %g and %g in the other unit", name, i+1, r.Variable, r.Median, r.Q975, factor*q.Median, factor*q.Q975)
				}
			}
		}
		for _, in := range g.Inputs() {
			if in.Role == "slope" && !(math.Abs(in.Center-far) < unit && in.Scale > unit/2 && in.Scale < 2*unit) {
				t.Errorf("%s: %+v", name, in)
			}
		}
	}
}

// sameMeans compares the predictions of two filters.
func sameMeans(t *testing.T, name string, f *cdf.Filter, a *cdf.Batch, g *cdf.Filter, b *cdf.Batch) {
	t.Helper()
	x, errX := f.Predict(a)
	y, errY := g.Predict(b)
	if errX != nil || errY != nil {
		t.Fatal(errX, errY)
	}
	for i := range x {
		if off := math.Abs(x[i].EpredQ975 - y[i].EpredQ975); !(off < 1e-6*x[i].EpredQ975) {
			t.Errorf("%s: row %d has the mean %+v and %+v in the other unit", name, i, x[i], y[i])
		}
	}
}

// pricesByGroup makes shards of prices in a unit, far from 0 by that, whose slopes differ by group. Prices are multiples of 1/1024: none is rounded.
func pricesByGroup(unit, far float64) []*cdf.Batch {
	r := rand.New(rand.NewPCG(7, 0))
	var slope, level [12]float64
	for j := range slope {
		slope[j], level[j] = .3+.2*r.NormFloat64(), 1+.5*r.NormFloat64()
	}
	data := &simulate.Data{Names: []string{"price", "g", "h", "y"}, Columns: make([][]float64, 4), Whole: []string{"g", "h"}}
	for i := range 320 {
		x, j := math.Round(1024*r.NormFloat64())/1024, r.IntN(len(slope))
		y := simulate.Count(r, math.Exp(level[j]+slope[j]*x))
		for c, v := range []float64{far + unit*x, float64(j), float64(i % 5), y} {
			data.Columns[c] = append(data.Columns[c], v)
		}
	}
	return data.Cut(8)
}

// A slope whose column is one value in all rows says nothing of what groups differ by: its effects are the prior's, and are listed.
func TestSlopesOfOneValue(t *testing.T) {
	k, _ := Lookup("poisson")
	spec, err := k.Spec("", cdf.Roles{Scaling: "first", Intercept: true, Groups: []cdf.Group{{Column: "g", Slopes: []string{"x"}}}}, strictyaml.Decode(""))
	if err != nil {
		t.Fatal(err)
	}
	f := cdf.NewFilter(spec, "k")
	for _, x := range []float64{3, 3.5} {
		sum, err := f.Update(&cdf.Batch{Rows: 4, Columns: []cdf.Column{
			{Name: "x", Number: []float64{3, 3, 3, x}},
			{Name: "g", Type: cdf.Integer, Number: []float64{1, 1, 2, 2}, Int: []int64{1, 1, 2, 2}}, {Name: "y", Number: []float64{2, 5, 1, 4}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		for level := 1; level <= 2; level++ {
			name := fmt.Sprintf("u[g=%d,x]", level)
			r := rowOf(t, sum, name)
			if listed := slices.Contains(sum.PriorDominated, name); x == 3 && (!listed || !math.IsNaN(r.SD)) {
				t.Errorf("x %g: %s is listed %t: %+v", x, name, listed, r)
			}
		}
	}
}
