package models_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/simulate"
)

// Where the default prior of a variance takes the truth out of the 95 % intervals of
// first shards of ten rows, prior_dominated lists a variance, and it lists none where
// rows are many.
func TestPriorOfVariancesIsFlagged(t *testing.T) {
	some, much, none := []float64{2, -1, .5, 0, .1}, []float64{20, -10, 5, 0, 1}, make([]float64, 5)
	for _, c := range []struct {
		name         string
		slopes       []float64 // of linear
		groups, rows int
		tau          float64 // sd of the levels of anova
		truth        map[string]float64
	}{
		{"some noise", some, 0, 10, 0, map[string]float64{"sigma2": 1}},
		{"hardly any noise", much, 0, 10, 0, map[string]float64{"sigma2": 1}},
		{"two rows a level", nil, 5, 10, .7, map[string]float64{"tau2": .49, "sigma2": .49}},
		{"a row a level", nil, 10, 10, .7, map[string]float64{"tau2": .49, "sigma2": .49}},
		{"levels hardly different", nil, 5, 10, .1, map[string]float64{"tau2": .01}},
		{"some noise, many rows", some, 0, 1000, 0, nil},
		{"nothing but noise, many rows", none, 0, 1000, 0, nil},
		{"many rows a level", nil, 20, 1000, .7, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			kind, roles := "linear", cdf.Roles{Scaling: "first", Intercept: true}
			for j := range c.slopes {
				roles.Features = append(roles.Features, cdf.Feature{Name: "x" + strconv.Itoa(j)})
			}
			if c.groups > 0 {
				kind, roles = "anova", cdf.Roles{Scaling: "first", Groups: []cdf.Group{{Column: "g"}}}
			}
			k, _ := models.Lookup(kind)
			spec, err := k.Spec("", roles, strictyaml.Decode(""))
			if err != nil {
				t.Fatal(err)
			}
			spec.Limits, spec.Publish.Groups = cdf.Limits{}, "none"
			const keys = 400
			missed, missedListed, listed := 0, 0, 0
			for key := range keys {
				d := firstRows(rand.New(rand.NewPCG(uint64(key), 30)), c.slopes, c.groups, c.rows, c.tau)
				sum, err := cdf.NewFilter(spec, strconv.Itoa(key)).Update(d.Batch(1000))
				if err != nil {
					t.Fatal(err)
				}
				out := slices.ContainsFunc(sum.Rows, func(r cdf.Row) bool {
					truth, ok := c.truth[r.Variable]
					return ok && !(r.Q025 <= truth && truth <= r.Q975)
				})
				variances := slices.ContainsFunc(sum.PriorDominated, func(name string) bool { return name == "sigma2" || name == "tau2" })
				if out {
					missed++
				}
				if variances {
					listed++
				}
				if out && variances {
					missedListed++
				}
			}
			t.Logf("listed in %d of %d, and in %d of the %d that miss a truth", listed, keys, missedListed, missed)
			if c.truth == nil && listed > 0 {
				t.Errorf("listed in %d of %d", listed, keys)
			}
			if c.truth != nil && (listed*100 < 95*keys || missedListed*100 < 95*missed) {
				t.Errorf("listed in %d of %d, and in %d of the %d that miss a truth, want 95 %%", listed, keys, missedListed, missed)
			}
		})
	}
}

// compressed lists sigma2 where columns explain nearly all of the response, so that its prior holds the
// truth out of the interval, and not where they do not: of 40 columns, 490 rows.
func TestPriorOfCompressedVarianceIsFlagged(t *testing.T) {
	const keys, p, rows = 60, 40, 490
	for _, c := range []struct {
		slope   float64
		setting string
		listed  bool
	}{{1.3, "", true}, {1.3, "statistics: exact", true}, {.1, "", false}, {.1, "statistics: exact", false}} {
		k, _ := models.Lookup("compressed")
		spec, err := k.Spec("", cdf.Roles{Scaling: "first", Intercept: true}, strictyaml.Decode(c.setting))
		if err != nil {
			t.Fatal(err)
		}
		spec.Limits = cdf.Limits{}
		slopes := slices.Repeat([]float64{c.slope}, p)
		covered, listed := 0, 0
		for key := range keys {
			d := firstRows(rand.New(rand.NewPCG(uint64(key), 31)), slopes, 0, rows, 0)
			f := cdf.NewFilter(spec, strconv.Itoa(key))
			var sum *cdf.Summary
			for _, b := range d.Cut(5) {
				if sum, err = f.Update(b); err != nil {
					t.Fatal(err)
				}
			}
			at := slices.IndexFunc(sum.Rows, func(r cdf.Row) bool { return r.Variable == "sigma2" })
			if r := sum.Rows[at]; r.Q025 <= 1 && 1 <= r.Q975 {
				covered++
			}
			if slices.Contains(sum.PriorDominated, "sigma2") {
				listed++
			}
		}
		t.Logf("slopes of %g, %s: covered in %d of %d, listed in %d", c.slope, c.setting, covered, keys, listed)
		if c.listed && (listed < keys || covered > keys*8/10) || !c.listed && (listed > 0 || covered < keys*8/10) {
			t.Errorf("slopes of %g, %s: covered in %d of %d, listed in %d", c.slope, c.setting, covered, keys, listed)
		}
	}
}

// firstRows are rows of normal columns with noise of sd 1, or of groups with noise of
// sd .7.
func firstRows(r *rand.Rand, slopes []float64, groups, rows int, tau float64) simulate.Data {
	var d simulate.Data
	y, noise := make([]float64, rows), 1.0
	for j, slope := range slopes {
		x := make([]float64, rows)
		for i := range x {
			x[i] = r.NormFloat64()
			y[i] += slope * x[i]
		}
		d.Append("x"+strconv.Itoa(j), x)
	}
	if groups > 0 {
		g, level := make([]float64, rows), make([]float64, groups)
		for j := range level {
			level[j] = tau * r.NormFloat64()
		}
		for i := range g {
			g[i] = float64(i%groups + 1)
			y[i] = level[i%groups]
		}
		d.Append("g", g)
		d.Whole, noise = []string{"g"}, .7
	}
	for i := range y {
		y[i] += 3 + noise*r.NormFloat64()
	}
	d.Append("y", y)
	return d
}
