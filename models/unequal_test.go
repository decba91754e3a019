package models_test

import (
	"cmp"
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

var unequalStreams = flag.Int("unequal-streams", 4, "streams of each sort by which groups of unequal variances are counted")

// spread are streams of groups' levels, of sd .7, and errors of one.
type spread struct {
	name                 string
	variant              string
	groups, rows, shards int
	forget               float64
	publish              string
	// group is that of a row, any of them where there is none.
	group func(r *rand.Rand, shard, i int) int
	// error is that of a row of a group of a level, normal of sd .7 where there is none.
	error func(r *rand.Rand, g, shard int, level float64) float64
	told  bool // errors differ, so that the flag is to be up at the end
}

func (c *spread) stream(spec *cdf.Spec, s int) (first int, last bool, err error) {
	r := rand.New(rand.NewPCG(uint64(s), 910))
	levels := c.levels(r)
	f := cdf.NewFilter(spec, strconv.Itoa(s))
	for shard := range c.shards {
		sum, err := f.Update(c.batch(r, levels, shard))
		if err != nil {
			return 0, false, err
		}
		if last = slices.Contains(sum.Flags, cdf.UnequalFlag); last && first == 0 {
			first = shard + 1
		}
	}
	return first, last, nil
}

func (c *spread) levels(r *rand.Rand) []float64 {
	levels := make([]float64, c.groups)
	for g := range levels {
		levels[g] = 5 + .7*r.NormFloat64()
	}
	return levels
}

func (c *spread) batch(r *rand.Rand, levels []float64, shard int) *cdf.Batch {
	y := make([]float64, c.rows)
	group := cdf.Column{Name: "g", Type: cdf.Integer, Int: make([]int64, c.rows), Number: make([]float64, c.rows)}
	for i := range y {
		g := r.IntN(c.groups)
		if c.group != nil {
			g = c.group(r, shard, i)
		}
		noise := .7 * r.NormFloat64()
		if c.error != nil {
			noise = c.error(r, g, shard, levels[g])
		}
		y[i], group.Int[i], group.Number[i] = levels[g]+noise, int64(g), float64(g)
	}
	return &cdf.Batch{Rows: c.rows, Columns: []cdf.Column{group, {Name: "y", Number: y}}}
}

func (c *spread) spec(t *testing.T) *cdf.Spec {
	t.Helper()
	k, _ := models.Lookup("anova")
	spec, err := k.Spec(c.variant, cdf.Roles{Scaling: "first", Groups: []cdf.Group{{Column: "g"}}}, strictyaml.Decode(""))
	if err != nil {
		t.Fatal(err)
	}
	spec.Forget = cmp.Or(c.forget, 1)
	spec.Publish.Groups = cmp.Or(c.publish, spec.Publish.Groups)
	return spec
}

// Groups whose errors have variances of their own are told, and others are not: of 100 streams of each sort (-unequal-streams 100) the
// flag was up in none, at any shard, but where it says so in docs/adr/0091.
func TestUnequalVariances(t *testing.T) {
	half := func(sd float64) func(r *rand.Rand, g, shard int, level float64) float64 {
		return func(r *rand.Rand, g, _ int, _ float64) float64 {
			return .5 * math.Pow(sd, float64(g%2)) * r.NormFloat64()
		}
	}
	even := func(k int) func(r *rand.Rand, shard, i int) int {
		return func(_ *rand.Rand, _, i int) int { return i % k }
	}
	for _, c := range []spread{
		{name: "one row", groups: 10, rows: 1, shards: 300},
		{name: "ten groups, 20 rows", groups: 10, rows: 20, shards: 60},
		{name: "two groups, 100 rows", groups: 2, rows: 100, shards: 20},
		{name: "a row of each group", groups: 10, rows: 10, shards: 60, group: even(10)},
		{name: "a thousand groups, 100 rows", groups: 1000, rows: 100, shards: 25, publish: "none"},
		{name: "a thousand groups, 1,000 rows", groups: 1000, rows: 1000, shards: 6, publish: "none"},
		{name: "a group in each shard", groups: 30, rows: 20, shards: 30, group: func(_ *rand.Rand, shard, _ int) int { return shard }},
		{name: "groups that come late", groups: 20, rows: 40, shards: 20, group: func(r *rand.Rand, shard, _ int) int { return min(r.IntN(2*shard+2), 19) }},
		{name: "one large group", groups: 20, rows: 100, shards: 15, group: func(r *rand.Rand, _, i int) int { return max(i%100-80, 0) }},
		{name: "forgetting", groups: 10, rows: 20, shards: 60, forget: .8},
		{name: "groups that leave", groups: 60, rows: 20, shards: 60, forget: .3, group: func(r *rand.Rand, shard, _ int) int { return min(shard+r.IntN(4), 59) }},
		{name: "a level that moves", groups: 10, rows: 20, shards: 60, error: func(r *rand.Rand, g, shard int, _ float64) float64 {
			return 2*float64(max(0, min(1, shard-29)*(1-min(g, 1)))) + .7*r.NormFloat64()
		}},
		{name: "an sd that doubles", groups: 10, rows: 20, shards: 60, error: func(r *rand.Rand, _, shard int, _ float64) float64 { return float64(1+shard/30) * r.NormFloat64() }},
		{name: "days", groups: 10, rows: 20, shards: 60, error: func(r *rand.Rand, _, shard int, _ float64) float64 {
			return math.Sin(float64(shard*shard)) + .7*r.NormFloat64()
		}},
		{name: "t noise", groups: 10, rows: 20, shards: 60, error: func(r *rand.Rand, _, _ int, _ float64) float64 {
			return r.NormFloat64() / math.Sqrt(r.ExpFloat64()+r.ExpFloat64())
		}},
		{name: "exponential noise", groups: 10, rows: 20, shards: 60, error: func(r *rand.Rand, _, _ int, _ float64) float64 { return r.ExpFloat64() }},
		{name: "rounded", groups: 10, rows: 20, shards: 60, error: func(r *rand.Rand, _, _ int, level float64) float64 {
			return math.Round(level+.7*r.NormFloat64()) - level
		}},
		{name: "a wild row", groups: 10, rows: 20, shards: 40, error: func(r *rand.Rand, _, shard int, _ float64) float64 {
			if shard == 8 && r.IntN(20) == 0 {
				return 7000
			}
			return .7 * r.NormFloat64()
		}},
		{name: "a wild first row", groups: 10, rows: 20, shards: 40, error: func(r *rand.Rand, _, shard int, _ float64) float64 {
			if shard == 0 && r.IntN(20) == 0 {
				return 7000
			}
			return .7 * r.NormFloat64()
		}},
		{name: "the paper's", variant: "paper", groups: 10, rows: 20, shards: 40},
		{name: "two groups, 1.5", groups: 2, rows: 50, shards: 30, error: half(1.5), told: true},
		{name: "two groups, 2", groups: 2, rows: 50, shards: 12, error: half(2), told: true},
		{name: "two groups, 3", groups: 2, rows: 50, shards: 8, error: half(3), told: true},
		{name: "20 groups, 1.5", groups: 20, rows: 50, shards: 50, error: half(1.5), told: true},
		{name: "20 groups, 2", groups: 20, rows: 50, shards: 20, error: half(2), told: true},
		{name: "20 groups, 3", groups: 20, rows: 50, shards: 12, error: half(3), told: true},
		{name: "20 groups, 4.85", groups: 20, rows: 100, shards: 6, error: half(4.85), group: even(20), told: true},
		{name: "a row of each group, 2", groups: 10, rows: 10, shards: 80, error: half(2), group: even(10), told: true},
		{name: "200 groups, 2", groups: 200, rows: 100, shards: 25, publish: "none", error: half(2), told: true},
		{name: "groups that leave, 3", groups: 60, rows: 20, shards: 50, forget: .3, error: half(3), told: true,
			group: func(r *rand.Rand, shard, _ int) int { return min(shard+r.IntN(10), 59) }},
		{name: "the paper's, 3", variant: "paper", groups: 10, rows: 20, shards: 40, error: half(3), told: true},
		{name: "counts", groups: 20, rows: 50, shards: 25, told: true, error: func(r *rand.Rand, _, _ int, level float64) float64 {
			return simulate.Count(r, math.Exp(2+level-5)) - level
		}},
	} {
		spec := c.spec(t)
		ever, end, first := flagged(t, *unequalStreams, func(s int) (int, bool, error) { return c.stream(spec, s) })
		t.Logf("%s: %d of %d streams, at the end %d, first at shard %.1f", c.name, ever, *unequalStreams, end, first)
		if c.told && end < *unequalStreams*9/10 || !c.told && ever > max(0, *unequalStreams/50) {
			t.Errorf("%s: %d of %d streams, at the end %d, first at shard %.1f", c.name, ever, *unequalStreams, end, first)
		}
	}
}

// What is known of groups is that of before when a shard is taken back, a shard of the first rows, one behind which groups leave, and one of new groups as any other, and goes on
// from a state that was read as from one that was not.
func TestGroupsAreTakenBack(t *testing.T) {
	c := spread{groups: 60, rows: 20, forget: .3, group: func(r *rand.Rand, shard, _ int) int { return min(shard+r.IntN(10), 59) }}
	r := rand.New(rand.NewPCG(1, 910))
	levels := c.levels(r)
	takenBack(t, c.spec(t), 40, func(shard int) *cdf.Batch { return c.batch(r, levels, shard) })
}

// In other units what is known of groups begins anew.
func TestGroupsInOtherUnits(t *testing.T) {
	c := spread{groups: 10, rows: 40, error: func(r *rand.Rand, g, _ int, _ float64) float64 {
		return math.Pow(4, float64(g%2)) * r.NormFloat64()
	}}
	spec, r := c.spec(t), rand.New(rand.NewPCG(2, 910))
	f, levels := cdf.NewFilter(spec, "k"), c.levels(r)
	state := func(f *cdf.Filter) []byte {
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var flags []string
	for shard := range 10 {
		sum, err := f.Update(c.batch(r, levels, shard))
		if err != nil {
			t.Fatal(err)
		}
		flags = sum.Flags
	}
	if !slices.Contains(flags, cdf.UnequalFlag) || cdf.Advise(cdf.UnequalFlag) == "" {
		t.Errorf("flags %q", flags)
	}
	other, center, scale := *spec, 3., 2.
	other.Columns.Response.Center, other.Columns.Response.Scale = &center, &scale
	g, now := cdf.NewFilter(&other, "k"), state(f)
	if err := g.Rescale(now, spec); err != nil {
		t.Fatal(err)
	}
	if again := state(g); len(again) > len(now)-11*c.groups {
		t.Errorf("a state of %d bytes has %d in other units", len(now), len(again))
	}
	if _, err := g.Update(c.batch(r, levels, 10)); err != nil || len(state(g)) < len(now)-40 {
		t.Errorf("behind the next shard it has %d bytes, %v", len(state(g)), err)
	}
}
