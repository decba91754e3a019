package models_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/simulate"
)

var lawStreams = flag.Int("law-streams", 8, "streams of each sort by which rates of another law are counted")

// rates are streams of counts about the exponential of a level, whose rates vary from row to row.
type rates struct {
	name   string
	level  float64
	groups int // of sd .5
	shards int // of 100 rows
	vary   func(r *rand.Rand) float64
	told   bool // of another law than the model's
}

// stream returns the first shard with the flag, whether the last has it, and whether the interval of the intercept has it then.
func (c *rates) stream(spec *cdf.Spec, s int) (first int, last, held bool, err error) {
	const rows = 100
	r := rand.New(rand.NewPCG(uint64(s), 4242))
	effects := make([]float64, max(c.groups, 1))
	for g := range effects {
		if c.groups > 0 {
			effects[g] = .5 * r.NormFloat64()
		}
	}
	f := cdf.NewFilter(spec, strconv.Itoa(s))
	for shard := range c.shards {
		x, y := make([]float64, rows), make([]float64, rows)
		g := cdf.Column{Name: "g", Type: cdf.Integer, Int: make([]int64, rows), Number: make([]float64, rows)}
		for i := range x {
			x[i] = r.NormFloat64()
			k := r.IntN(len(effects))
			g.Int[i], g.Number[i] = int64(k), float64(k)
			y[i] = simulate.Count(r, math.Exp(c.level+.3*x[i]+effects[k])*c.vary(r))
		}
		b := &cdf.Batch{Rows: rows, Columns: []cdf.Column{{Name: "x0", Number: x}, {Name: "y", Number: y}}}
		if c.groups > 0 {
			b.Columns = append(b.Columns, g)
		}
		sum, err := f.Update(b)
		if err != nil {
			return 0, false, false, err
		}
		if last = slices.Contains(sum.Flags, cdf.MiscalibratedFlag); last && first == 0 {
			first = shard + 1
		}
		if shard+1 == c.shards {
			row := sum.Rows[slices.IndexFunc(sum.Rows, func(r cdf.Row) bool { return r.Variable == "beta[intercept]" })]
			held = row.Q025 <= c.level && c.level <= row.Q975
		}
	}
	return first, last, held, nil
}

// gammas are rates of a gamma law of mean 1 and a whole number of halves as size, so that counts are negative binomial.
func gammas(halves int) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		sum := 0.
		for range halves {
			z := r.NormFloat64()
			sum += z * z
		}
		return sum / float64(halves)
	}
}

func lognormals(sd float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return math.Exp(sd*r.NormFloat64() - sd*sd/2) }
}

// Rates of another law than the lognormal one, which puts the intercept elsewhere, are told as miscalibrated, and those that are
// lognormal, or all the same, are not: of 40 streams of each sort (-law-streams 40) all had the flag at the end, and none at any shard.
func TestLawDecides(t *testing.T) {
	k, _ := models.Lookup("poisson")
	for _, c := range []rates{
		{name: "Poisson", level: 1.6, shards: 60, vary: lognormals(0)},
		{name: "Poisson, rare", level: -1.6, shards: 60, vary: lognormals(0)},
		{name: "Poisson, groups", level: 1, groups: 50, shards: 40, vary: lognormals(0)},
		{name: "lognormal .3", level: 1, shards: 60, vary: lognormals(.3)},
		{name: "lognormal .45, of some 55", level: 4, shards: 60, vary: lognormals(.45)},
		{name: "lognormal 1, of some 55", level: 4, shards: 60, vary: lognormals(1)},
		{name: "lognormal 1, of some 1", level: 0, shards: 60, vary: lognormals(1)},
		{name: "lognormal .5, groups", level: 1, groups: 50, shards: 40, vary: lognormals(.5)},
		{name: "lognormal 1, groups", level: 1, groups: 50, shards: 40, vary: lognormals(1)},

		{name: "gamma 5, of some 55", level: 4, shards: 80, vary: gammas(10), told: true},
		{name: "gamma 2, of some 20", level: 3, shards: 30, vary: gammas(4), told: true},
		{name: "gamma .5, groups", level: 1, groups: 50, shards: 30, vary: gammas(1), told: true},
	} {
		roles := cdf.Roles{Scaling: "first", Intercept: true, Features: numbered(1)}
		if c.groups > 0 {
			roles.Groups = []cdf.Group{{Column: "g"}}
		}
		spec, err := k.Spec("", roles, strictyaml.Decode(""))
		if err != nil {
			t.Fatal(err)
		}
		ever, end, first, held := flaggedHeld(t, *lawStreams, func(s int) (int, bool, bool, error) { return c.stream(spec, s) })
		t.Logf("%s: miscalibrated in %d of %d streams, at the end in %d, first at shard %.0f; the intercept is held in %d", c.name, ever, *lawStreams, end, first, held)
		if c.told && end < *lawStreams*9/10 || !c.told && ever > max(1, *lawStreams/50) {
			t.Errorf("%s: miscalibrated in %d of %d streams, at the end in %d", c.name, ever, *lawStreams, end)
		}
	}
}
