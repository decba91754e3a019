package models

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/simulate"
)

// Where columns are measured from is of no account to a formula of their products and powers: predictions are the same, and so are coefficients,
// but for those of the margins, which are where the other column is 0.
func TestProductsFarFromZero(t *testing.T) {
	const far = 1024
	for _, c := range []struct {
		text string
		of   map[string]map[string]float64 // what a coefficient far from 0 is of those near it: (x - far)(z - far) and the like
	}{
		{"y ~ x * z", map[string]map[string]float64{"x": {"x": 1, "x:z": -far}, "z": {"z": 1, "x:z": -far}, "x:z": {"x:z": 1}}},
		{"y ~ x * C(g)", map[string]map[string]float64{"x": {"x": 1}, "C(g)[T.1]": {"C(g)[T.1]": 1, "x:C(g)[T.1]": -far}, "x:C(g)[T.1]": {"x:C(g)[T.1]": 1}}},
		{"y ~ z + poly(x, 2)", map[string]map[string]float64{"z": {"z": 1}, "poly(x, 2)[1]": {"poly(x, 2)[1]": 1, "poly(x, 2)[2]": -2 * far}, "poly(x, 2)[2]": {"poly(x, 2)[2]": 1}}},
		{"y ~ x + I(x**2)", map[string]map[string]float64{"x": {"x": 1, "I(x ** 2)": -2 * far}, "I(x ** 2)": {"I(x ** 2)": 1}}},
	} {
		for _, kind := range []string{"linear", "poisson", "compressed"} {
			f, err := formula.Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			k, _ := Lookup(kind)
			roles := f.Roles()
			roles.Scaling = "first"
			spec, err := k.Spec("", roles, strictyaml.Decode(""))
			if err != nil {
				t.Fatal(err)
			}
			near, other := curvedRows(kind, 0), curvedRows(kind, far)
			a, b := cdf.NewFilter(spec, "k"), cdf.NewFilter(spec, "k")
			for i := range near {
				if i > 0 {
					p, errP := a.Predict(near[i])
					q, errQ := b.Predict(other[i])
					if errP != nil || errQ != nil {
						t.Fatal(errP, errQ)
					}
					for j := range p {
						if off := math.Abs(p[j].EpredQ025-q[j].EpredQ025) + math.Abs(p[j].Q975-q[j].Q975); !(off <= 1e-5*(p[j].Q975-p[j].Q025)) {
							t.Fatalf("%s, %s, shard %d, row %d: %+v, and far from 0 %+v", kind, c.text, i+1, j, p[j], q[j])
						}
					}
				}
				if _, err := a.Update(near[i]); err != nil {
					t.Fatal(err)
				}
				if _, err := b.Update(other[i]); err != nil {
					t.Fatal(err)
				}
			}
			p, errP := a.Summary()
			q, errQ := b.Summary()
			if errP != nil || errQ != nil {
				t.Fatal(errP, errQ)
			}
			param := map[bool]string{true: "gamma", false: "beta"}[kind == "compressed"]
			for name, parts := range c.of {
				want := 0.
				for part, weight := range parts {
					want += weight * rowOf(t, p, param+"["+part+"]").Mean
				}
				if got := rowOf(t, q, param+"["+name+"]"); !(math.Abs(got.Mean-want) < 1e-4*got.SD) {
					t.Errorf("%s, %s: %s far from 0 is %g, want %g", kind, c.text, name, got.Mean, want)
				}
			}
		}
	}
}

// Two rows have one product of what is left of their columns: what rounding leaves of its spread is no scale.
func TestProductsOfOneValue(t *testing.T) {
	f, err := formula.Parse("y ~ x * z")
	if err != nil {
		t.Fatal(err)
	}
	k, _ := Lookup("linear")
	roles := f.Roles()
	roles.Scaling = "first"
	spec, err := k.Spec("", roles, strictyaml.Decode(""))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := cdf.NewFilter(spec, "k").Update(&cdf.Batch{Rows: 2, Columns: []cdf.Column{
		{Name: "x", Number: []float64{20.1, 20.7}}, {Name: "z", Number: []float64{30.3, 31.9}}, {Name: "y", Number: []float64{1, 2}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r := rowOf(t, sum, "beta[x:z]"); !(r.SD < 10) {
		t.Errorf("%+v", r)
	}
}

// curvedRows makes shards of two columns so far from 0, in multiples of 1/1024, and of groups.
func curvedRows(kind string, far float64) []*cdf.Batch {
	r := rand.New(rand.NewPCG(3, 0))
	data := &simulate.Data{Names: []string{"x", "z", "g", "y"}, Columns: make([][]float64, 4), Whole: []string{"g"}}
	for range 320 {
		x, z, g := math.Round(1024*r.NormFloat64())/1024, math.Round(1024*r.NormFloat64())/1024, float64(r.IntN(3))
		y := .4*x - .3*z + .2*g + .3*x*z + .2*x*x - .2*x*g
		if y += r.NormFloat64(); kind == "poisson" {
			y = simulate.Count(r, math.Exp(min(y, 3)))
		}
		for c, v := range []float64{far + x, far + z, g, y} {
			data.Columns[c] = append(data.Columns[c], v)
		}
	}
	return data.Cut(8)
}
