package models

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// written is a formula, and the same with columns that were made before.
type written struct {
	formula string
	kinds   []string
	roles   cdf.Roles
}

func withLevels(name, baseline string) cdf.Feature {
	return cdf.Feature{Name: name, Levels: []string{"a", "b", "c"}, Baseline: baseline, Other: "reject"}
}

var regressions = []string{"linear", "probit", "poisson", "compressed"}

var writtenTwice = []written{
	{formula: "y ~ x0 * x1", kinds: regressions, roles: cdf.Roles{Intercept: true, Features: []cdf.Feature{{Name: "x0"}, {Name: "x1"}, {Name: "x0:x1"}}}},
	{formula: "y ~ x1 + x0:x1 - 1", kinds: regressions, roles: cdf.Roles{Features: []cdf.Feature{{Name: "x1"}, {Name: "x0:x1"}}}},
	{formula: "y ~ C(h, [\"a\", \"b\", \"c\"], other=reject) + x0", kinds: regressions, roles: cdf.Roles{Intercept: true, Features: []cdf.Feature{withLevels("h", "a"), {Name: "x0"}}}},
	{formula: "y ~ I(x0**2) + x0", kinds: regressions, roles: cdf.Roles{Intercept: true, Features: []cdf.Feature{{Name: "I(x0 ** 2)"}, {Name: "x0"}}}},
	{formula: "y ~ log(e) + exp(x0)", kinds: regressions, roles: cdf.Roles{Intercept: true, Features: []cdf.Feature{{Name: "log(e)"}, {Name: "exp(x0)"}}}},
	{formula: "y ~ x0 + offset(log(e))", kinds: []string{"poisson"}, roles: cdf.Roles{Intercept: true, Exposure: "e", Features: []cdf.Feature{{Name: "x0"}}}},
	{formula: "y ~ x0 + (1 | h)", kinds: []string{"poisson"}, roles: cdf.Roles{Intercept: true, Groups: []cdf.Group{{Column: "h"}}, Features: []cdf.Feature{{Name: "x0"}}}},
	{formula: "y ~ x0 + (1 + x1 | h)", kinds: []string{"poisson"}, roles: cdf.Roles{Intercept: true, Groups: []cdf.Group{{Column: "h", Slopes: []string{"x1"}}}, Features: []cdf.Feature{{Name: "x0"}}}},
}

// TestFormulasAreTheirColumns: a formula is the columns that it makes, whatever else is set.
func TestFormulasAreTheirColumns(t *testing.T) {
	handSeeds(t, 120, func(seed uint64) (about string, err error) {
		defer fault.Catch(&err)
		r := newChance(seed, 83)
		w := choose(r, writtenTwice)
		name := choose(r, w.kinds)
		k, _ := Lookup(name)
		parsed, err := formula.Parse(w.formula)
		if err != nil {
			return w.formula, err
		}
		settings := "{}"
		if all := settingsOf[name]; len(all) > 0 && r.of(.5) {
			settings = choose(r, all)
		}
		one, two := parsed.Roles(), w.roles
		one.Scaling = choose(r, []string{"first", "none"})
		if parsed.Products() { // of centred columns, where these are centred
			one.Scaling = "none"
		}
		two.Scaling = one.Scaling
		if two.Intercept = two.Intercept && k.Intercept; !k.Intercept && !w.roles.Intercept {
			return "", nil
		}
		about = fmt.Sprintf("%s %s %s scaling %s", name, settings, w.formula, one.Scaling)
		var filters [2]*cdf.Filter
		forget, missing := 1., choose(r, []string{"drop", "level"})
		if len(two.Features) > 0 && two.Features[0].Levels != nil {
			missing = "drop" // a formula says by itself whether a missing level is one
		}
		if r.of(.3) {
			forget = .9
		}
		for i, roles := range []cdf.Roles{one, two} {
			spec, err := k.Spec("", roles, strictyaml.Decode(settings))
			if err != nil {
				return about, err
			}
			spec.Draws, spec.Forget, spec.Missing = 40, forget, missing
			filters[i] = cdf.NewFilter(spec, "key")
		}
		for shard := range 1 + r.IntN(5) {
			b := productShard(r, name)
			var told [2]cdf.Summary
			var failed [2]error
			for i, f := range filters {
				sum, err := f.Update(b)
				if failed[i] = err; err == nil {
					told[i] = *sum
					told[i].Rows = slices.Clone(sum.Rows)
				}
			}
			if (failed[0] == nil) != (failed[1] == nil) {
				return about, fmt.Errorf("shard %d: %w, and %w", shard, failed[0], failed[1])
			}
			if failed[0] != nil {
				continue
			}
			if err := alike(&told[0], &told[1], 1e-8); err != nil {
				return about, fmt.Errorf("shard %d: %w", shard, err)
			}
			if a, b := told[0].Score, told[1].Score; a.Rows != b.Rows || !same9(a.LogDensity, b.LogDensity, 1e-8) {
				return about, fmt.Errorf("shard %d: %+v, and %+v", shard, a, b)
			}
		}
		return about, nil
	})
}

// productShard has columns and what formulas make of them.
func productShard(r chance, kind string) *cdf.Batch {
	rows := choose(r, []int{1, 3, 8, 30, 60})
	b := &cdf.Batch{Rows: rows}
	number := func(name string, of func(i int) float64) []float64 {
		c := cdf.Column{Name: name, Number: make([]float64, rows)}
		for i := range c.Number {
			c.Number[i] = of(i)
		}
		b.Columns = append(b.Columns, c)
		return c.Number
	}
	x0 := number("x0", func(int) float64 {
		if r.of(.03) {
			return math.NaN()
		}
		return r.NormFloat64()
	})
	x1 := number("x1", func(int) float64 { return 2 + r.NormFloat64() })
	e := number("e", func(int) float64 { return math.Exp(r.NormFloat64()) })
	number("x0:x1", func(i int) float64 { return x0[i] * x1[i] })
	number("I(x0 ** 2)", func(i int) float64 { return x0[i] * x0[i] })
	number("log(e)", func(i int) float64 { return math.Log(e[i]) })
	number("exp(x0)", func(i int) float64 { return math.Exp(x0[i]) })
	h := cdf.Column{Name: "h", Type: cdf.Text, Levels: []string{"a", "b", "c"}}
	for range rows {
		h.Code = append(h.Code, int32(r.IntN(3)))
	}
	b.Columns = append(b.Columns, h)
	number("y", func(i int) float64 {
		switch {
		case r.of(.04):
			return math.NaN()
		case kind == "probit":
			return float64(r.IntN(2))
		case kind == "poisson":
			return poissonCount(r, 3*e[i])
		}
		return 3 + r.NormFloat64()
	})
	return b
}
