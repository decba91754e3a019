package linear_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/linear"
)

// learn takes a key of y = 1 + 2 x + e, all of unit sd, through rows in shards
// of 50, of which spoil has its way with row i.
func learn(t *testing.T, seed uint64, rows int, spoil func(i int, x, y *float64)) *cdf.Summary {
	t.Helper()
	spec := modeltest.Spec(t, linear.Kind(), "", cdf.Roles{Intercept: true, Features: []cdf.Feature{{Name: "x"}}}, strictyaml.Decode(""))
	f := cdf.NewFilter(spec, "k")
	r := rand.New(rand.NewPCG(29, seed))
	var sum *cdf.Summary
	for at := 0; at < rows; at += 50 {
		x, y := make([]float64, 50), make([]float64, 50)
		for i := range x {
			x[i] = r.NormFloat64()
			y[i] = 1 + 2*x[i] + r.NormFloat64()
			spoil(at+i, &x[i], &y[i])
		}
		var err error
		if sum, err = f.Update(&cdf.Batch{Rows: 50, Columns: []cdf.Column{{Name: "x", Number: x}, {Name: "y", Number: y}}}); err != nil {
			t.Fatal(err)
		}
	}
	return sum
}

// One value of 1e4 sd among the first 50 rows makes sigma2 10,000 or the slope
// 0 even after 10,000 rows: that is what the normal likelihood says, whatever
// the units. It is flagged in every seed; without it nothing is, and the truth is
// within four sd.
func TestFirstOutlierIsFlagged(t *testing.T) {
	for seed := range uint64(5) {
		for name, spoil := range map[string]func(i int, x, y *float64){
			"none": func(int, *float64, *float64) {},
			"y": func(i int, _, y *float64) {
				if i == 17 {
					*y = 1e4
				}
			},
			"x": func(i int, x, _ *float64) {
				if i == 17 {
					*x = 1e4
				}
			},
		} {
			sum := learn(t, seed, 10_000, spoil)
			right := true
			for i, truth := range []float64{1, 2, 1} {
				right = right && math.Abs(sum.Rows[i].Mean-truth) < 4*sum.Rows[i].SD
			}
			flagged := slices.Contains(sum.Flags, "first_outliers")
			if flagged != (name != "none") || !flagged && !right {
				t.Errorf("%s, seed %d: flags %v, %+v", name, seed, sum.Flags, sum.Rows)
			}
			for _, c := range sum.Scaling {
				if c.Scale > 3 || c.Scale < .5 || math.Abs(c.Center) > 2 {
					t.Errorf("%s, seed %d: constants %+v", name, seed, c)
				}
			}
		}
	}
}

// Wild values that the other rows outweigh leave no trace in the units: five of
// 50 rows at 50 sd of the noise, of both signs, are in sigma2 and nowhere else.
func TestFewOutliersLeaveTheUnits(t *testing.T) {
	wild := func(i int, _, y *float64) {
		if i < 50 && i%10 == 3 {
			*y += 50 * float64(1-2*(i/10%2))
		}
	}
	sum := learn(t, 1, 20_000, wild)
	for _, c := range sum.Scaling {
		if c.Column == "y" && (c.Scale > 3 || c.Scale < 1.5) {
			t.Errorf("constants %+v", c)
		}
	}
	if slices.Contains(sum.Flags, "first_outliers") || slices.Contains(sum.Flags, "scale_moved") {
		t.Errorf("flags %v", sum.Flags)
	}
	sigma2 := sum.Rows[2]
	if want := 1 + 5*2500./20_000; math.Abs(sigma2.Mean-want) > 4*sigma2.SD {
		t.Errorf("sigma2 %g (%g), want %g", sigma2.Mean, sigma2.SD, want)
	}
}
