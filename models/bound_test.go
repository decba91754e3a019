package models_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/simulate"
)

var boundStreams = flag.Int("bound-streams", 10, "streams of each sort by which responses at a bound are counted")

// atBound are streams of linear whose responses may be cut off.
type atBound struct {
	bent
	// response is what is measured of half of x0 and .3 of x1.
	response func(r *rand.Rand, eta float64) float64
	told     bool // the flag is to be up at the end
}

// batch makes a shard.
func (c *atBound) batch(r *rand.Rand, shard int) *cdf.Batch {
	n := c.rows(shard)
	x, y := make([][]float64, 2), make([]float64, n)
	for i := range y {
		x0, x1 := r.NormFloat64(), r.NormFloat64()
		x[0], x[1], y[i] = append(x[0], x0), append(x[1], x1), c.response(r, .5*x0+.3*x1)
	}
	return numberedBatch(shard, x, y)
}

// stream returns the first shard with the flag, whether the last has it, and whether the interval of x0 has the slope of what is not cut off then.
func (c *atBound) stream(spec *cdf.Spec, s int) (first int, last, held bool, err error) {
	r := rand.New(rand.NewPCG(uint64(s), 121))
	f := cdf.NewFilter(spec, strconv.Itoa(s))
	for shard := range c.shards {
		sum, err := f.Update(c.batch(r, shard))
		if err != nil {
			return 0, false, false, err
		}
		if last = slices.Contains(sum.Flags, cdf.BoundFlag); last && first == 0 {
			first = shard + 1
		}
		if shard+1 == c.shards {
			row := sum.Rows[slices.IndexFunc(sum.Rows, func(r cdf.Row) bool { return r.Variable == "beta[x0]" })]
			held = row.Q025 <= .5 && .5 <= row.Q975
		}
	}
	return first, last, held, nil
}

func cutOff(low, high float64) func(r *rand.Rand, eta float64) float64 {
	return func(r *rand.Rand, eta float64) float64 { return min(max(eta+r.NormFloat64(), low), high) }
}

func grains(grain float64) func(r *rand.Rand, eta float64) float64 {
	return func(r *rand.Rand, eta float64) float64 { return grain * math.Round((eta+r.NormFloat64())/grain) }
}

func rated(cuts ...float64) func(r *rand.Rand, eta float64) float64 {
	return func(r *rand.Rand, eta float64) float64 {
		k, _ := slices.BinarySearch(cuts, eta+r.NormFloat64())
		return float64(1 + k)
	}
}

// Responses that are cut off are told, and others are not: of 1,000 streams of each sort (-bound-streams 1000) that are not to be told the flag was
// up in none, at any shard.
func TestBound(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []atBound{
		{bent: bent{name: "its own", shards: 100, rows: rows(20)}, response: cutOff(-inf, inf)},
		{bent: bent{name: "its own, one row", shards: 500, rows: rows(1)}, response: cutOff(-inf, inf)},
		{bent: bent{name: "coarse", shards: 100, rows: rows(20)}, response: grains(2)},
		{bent: bent{name: "integers", shards: 100, rows: rows(20)}, response: grains(1)},
		{bent: bent{name: "integers, one row", shards: 500, rows: rows(1)}, response: grains(1)},
		{bent: bent{name: "integers, 4 and 300 rows", shards: 40, rows: rows(4, 300)}, response: grains(1)},
		{bent: bent{name: "tenths", shards: 100, rows: rows(20)}, response: grains(.1)},
		{bent: bent{name: "ratings", shards: 100, rows: rows(20)}, response: rated(-1.5, -.5, .5, 1.5)},
		{bent: bent{name: "ratings that are mostly high", shards: 100, rows: rows(20)}, response: rated(-2.3, -1.9, -1.3, -.4)},
		{bent: bent{name: "ratings at both ends", shards: 100, rows: rows(20)}, response: rated(-.7, -.5, -.3, .3)},
		{bent: bent{name: "yes and no", shards: 100, rows: rows(20)}, response: rated(1.3)},
		{bent: bent{name: "counts", shards: 100, rows: rows(20)}, response: func(r *rand.Rand, eta float64) float64 { return simulate.Count(r, math.Exp(1+eta)) }},
		{bent: bent{name: "large counts", shards: 100, rows: rows(20)}, response: func(r *rand.Rand, eta float64) float64 { return simulate.Count(r, math.Exp(3+eta)) }},
		{bent: bent{name: "t noise in tenths", shards: 100, rows: rows(20)}, response: func(r *rand.Rand, eta float64) float64 {
			return math.Round(10*(eta+r.NormFloat64()/math.Sqrt(r.ExpFloat64()+r.ExpFloat64()))) / 10
		}},
		{bent: bent{name: "exponential tenths", shards: 100, rows: rows(20)}, response: func(r *rand.Rand, eta float64) float64 {
			return math.Floor(10*math.Exp(eta)*r.ExpFloat64()) / 10
		}},
		{bent: bent{name: "uneven noise", shards: 100, rows: rows(20)}, response: func(r *rand.Rand, eta float64) float64 {
			return eta + math.Exp(eta)*r.NormFloat64()
		}},
		{bent: bent{name: "constant", shards: 100, rows: rows(20)}, response: func(*rand.Rand, float64) float64 { return 3 }},

		{bent: bent{name: "half is cut off", shards: 30, rows: rows(20)}, response: cutOff(0, inf), told: true},
		{bent: bent{name: "a third", shards: 30, rows: rows(20)}, response: cutOff(-.5, inf), told: true},
		{bent: bent{name: "a third, one row", shards: 600, rows: rows(1)}, response: cutOff(-.5, inf), told: true},
		{bent: bent{name: "a third in one shard", shards: 1, rows: rows(600)}, response: cutOff(-.5, inf), told: true},
		{bent: bent{name: "a fifth", shards: 30, rows: rows(20)}, response: cutOff(-1, inf), told: true},
		{bent: bent{name: "a fifth above", shards: 30, rows: rows(20)}, response: cutOff(-inf, 1), told: true},
		{bent: bent{name: "a tenth", shards: 30, rows: rows(20)}, response: cutOff(-1.5, inf), told: true},
		{bent: bent{name: "a fifth on both sides", shards: 30, rows: rows(20)}, response: cutOff(-1, 1), told: true},
		{bent: bent{name: "scores of at most 100", shards: 100, rows: rows(20)}, response: func(r *rand.Rand, eta float64) float64 {
			return min(math.Round(85+15*(eta+r.NormFloat64())), 100) / 15
		}, told: true},
		{bent: bent{name: "half the limit of detection", shards: 30, rows: rows(20)}, response: func(r *rand.Rand, eta float64) float64 {
			if v := 1.5 + eta + r.NormFloat64(); v > 1 {
				return v
			}
			return .5
		}, told: true},
		{bent: bent{name: "nothing is spent", shards: 30, rows: rows(20)}, response: func(r *rand.Rand, eta float64) float64 {
			return math.Round(100*math.Exp(1+eta+r.NormFloat64()/2)) / 100 * math.Floor(r.Float64()+.7)
		}, told: true},
	} {
		c.kind, c.columns = "linear", 2
		spec := c.spec(t)
		ever, end, first, held := flaggedHeld(t, *boundStreams, func(s int) (int, bool, bool, error) { return c.stream(spec, s) })
		t.Logf("%s: up in %d of %d streams, at the end in %d, first at shard %.1f; the slope is held in %d", c.name, ever, *boundStreams, end, first, held)
		if c.told && end < *boundStreams*9/10 || !c.told && ever > 0 {
			t.Errorf("%s: up in %d of %d streams, at the end in %d", c.name, ever, *boundStreams, end)
		}
	}
}

// A shard is taken back with what it told of its bound, and a state that is read goes on as one that was not.
func TestBoundIsTakenBack(t *testing.T) {
	for name, response := range map[string]func(*rand.Rand, float64) float64{"cut off": cutOff(-.5, math.Inf(1)), "integers": grains(1), "its own": cutOff(-9, 9)} {
		t.Run(name, func(t *testing.T) {
			c, r := atBound{bent: bent{kind: "linear", columns: 2, rows: rows(7)}, response: response}, rand.New(rand.NewPCG(4, 121))
			takenBack(t, c.spec(t), 20, func(shard int) *cdf.Batch { return c.batch(r, shard) })
		})
	}
}

// The log has the bound as it was measured, and its part; a state in other units of its columns still has it, and begins anew in those of its response.
func TestBoundIsKnown(t *testing.T) {
	c := atBound{bent: bent{kind: "linear", columns: 2, rows: rows(50)}, response: func(r *rand.Rand, eta float64) float64 {
		return min(90+7*(eta+r.NormFloat64()), 100)
	}}
	spec, r := c.spec(t), rand.New(rand.NewPCG(5, 121))
	f := cdf.NewFilter(spec, "k")
	if value, part := f.Bound(); value != 0 || part != 0 {
		t.Errorf("before the first shard %v has %v of the rows", value, part)
	}
	for shard := range 10 {
		if _, err := f.Update(c.batch(r, shard)); err != nil {
			t.Fatal(err)
		}
	}
	if value, part := f.Bound(); value != 100 || math.Abs(part-.11) > .03 {
		t.Errorf("%v has %v of the rows, want 100 and .11", value, part)
	}
	two, center := 2., 1.
	for name, change := range map[string]func(s *cdf.Spec){
		"a column":     func(s *cdf.Spec) { s.Columns.Features[0].Scale = &two },
		"the response": func(s *cdf.Spec) { s.Columns.Response.Center = &center },
	} {
		to := c.spec(t)
		change(to)
		g := cdf.NewFilter(to, "k")
		if err := g.Rescale(snapshot(t, f), spec); err != nil {
			t.Fatal(err)
		}
		value, part := g.Bound()
		if want := map[bool]float64{true: 100}[name == "a column"]; value != want || part > 0 != (want > 0) {
			t.Errorf("rescaled by %s %v has %v of the rows, want %v", name, value, part, want)
		}
		for shard := range 10 {
			if _, err := g.Update(c.batch(r, shard)); err != nil {
				t.Fatal(err)
			}
		}
		if value, _ := g.Bound(); value != 100 {
			t.Errorf("later, rescaled by %s, the bound is %v", name, value)
		}
	}
}
