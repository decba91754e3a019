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
)

var classStreams = flag.Int("class-streams", 4, "streams of each sort by which flags of probit are counted")

// classed are streams of shards of classes: 1 where eta + noise > 0.
type classed struct {
	name string
	// wrong says that probit does not have what makes the classes.
	wrong    bool
	columns  int
	shards   int
	rows     func(shard int) int
	settings string
	draws    int
	forget   float64
	// x makes the columns of a row; common is of its shard.
	x   func(r *rand.Rand, common float64, shard int, x []float64)
	eta func(r *rand.Rand, x []float64, common float64) float64
}

// up returns how many streams had miscalibrated at any shard and at the end, and the mean of the shard that was first.
func (c *classed) up(t *testing.T, streams int) (ever, end int, first float64) {
	t.Helper()
	k, _ := models.Lookup("probit")
	roles := cdf.Roles{Scaling: "first", Intercept: true, Features: numbered(c.columns)}
	spec, err := k.Spec("", roles, strictyaml.Decode(cmp.Or(c.settings, "{window: 200, chains: 8}")))
	if err != nil {
		t.Fatal(err)
	}
	spec.Draws, spec.Forget = cmp.Or(c.draws, 256), cmp.Or(c.forget, 1)
	return flagged(t, streams, func(s int) (int, bool, error) { return c.stream(spec, s) })
}

// stream returns the first shard with miscalibrated, 0 where there is none, and whether the last has it.
func (c *classed) stream(spec *cdf.Spec, s int) (first int, last bool, err error) {
	r := rand.New(rand.NewPCG(uint64(s), 81))
	f := cdf.NewFilter(spec, strconv.Itoa(s))
	for shard := range c.shards {
		n, common := c.rows(shard), r.NormFloat64()
		x, y, row := make([][]float64, c.columns), make([]float64, n), make([]float64, c.columns)
		for i := range y {
			for j := range row {
				row[j] = r.NormFloat64()
			}
			if c.x != nil {
				c.x(r, common, shard, row)
			}
			if c.eta(r, row, common)+r.NormFloat64() > 0 {
				y[i] = 1
			}
			for j, v := range row {
				x[j] = append(x[j], v)
			}
		}
		sum, err := f.Update(numberedBatch(shard, x, y))
		if err != nil {
			return 0, false, err
		}
		if last = slices.Contains(sum.Flags, "miscalibrated"); last && first == 0 {
			first = shard + 1
		}
	}
	return first, last, nil
}

// Wrong labels are told by rows that come out the other way however surely they were predicted: of 5 % beside slopes of 1.1 and -1.1 in
// 97 of 102 streams after 3,000 rows (classes by themselves tell 8 of the first 12), and of right ones in none (-class-streams 34).
func TestWrongLabelsOfProbit(t *testing.T) {
	for _, part := range []float64{0, .05} {
		c := classed{columns: 2, shards: 30, rows: rows(100), eta: func(r *rand.Rand, x []float64, _ float64) float64 {
			if eta := 1.1*x[0] - 1.1*x[1]; r.Float64() >= part {
				return eta
			}
			return 1.1*x[1] - 1.1*x[0]
		}}
		streams := 3 * *classStreams
		ever, end, first := c.up(t, streams)
		t.Logf("%g wrong: miscalibrated in %d of %d streams, at the end in %d, first at shard %.0f", part, ever, streams, end, first)
		if part > 0 && end < streams*3/4 || part == 0 && ever > 0 {
			t.Errorf("%g wrong: miscalibrated in %d of %d streams, at the end in %d", part, ever, streams, end)
		}
	}
}

// Probabilities that do not come true raise miscalibrated: those of a curve that is left out, of wrong classes and
// of an interaction. Where the model is right, or the prior alone keeps predictions cautious, one of 2,400 streams had
// it at any shard, by its transforms, and none at the end (-class-streams 100).
func TestUnreliableProbabilities(t *testing.T) {
	plain := func(_ *rand.Rand, x []float64, _ float64) float64 { return -.3 + .5*x[0] + .3*x[1] }
	level := func(v float64) func(*rand.Rand, []float64, float64) float64 {
		return func(_ *rand.Rand, x []float64, _ float64) float64 { return v + .4*x[0] }
	}
	for _, c := range []classed{
		{name: "one row", columns: 2, shards: 1000, rows: rows(1), eta: plain},
		{name: "five rows", columns: 2, shards: 300, rows: rows(5), eta: plain},
		{name: "30 rows", columns: 2, shards: 84, rows: rows(30), eta: plain},
		{name: "300 rows", columns: 2, shards: 15, rows: rows(300), eta: plain},
		{name: "4 and 300 rows", columns: 2, shards: 24, rows: rows(4, 300), eta: plain},
		{name: "1,000 draws of 16 chains", columns: 2, shards: 60, rows: rows(30), settings: "{}", draws: 1000, eta: plain},
		{name: "4 draws", columns: 2, shards: 84, rows: rows(30), settings: "{window: 200, chains: 4}", draws: 4, eta: plain},
		{name: "16 draws", columns: 2, shards: 84, rows: rows(30), settings: "{window: 200, chains: 16}", draws: 16, eta: plain},
		{name: "a window of 50", columns: 2, shards: 84, rows: rows(30), settings: "{window: 50, chains: 8}", eta: plain},
		{name: "forget .98", columns: 2, shards: 84, rows: rows(30), forget: .98, eta: plain},
		{name: "forget .9", columns: 2, shards: 84, rows: rows(30), forget: .9, eta: plain},
		{name: "forget .9, five rows", columns: 2, shards: 200, rows: rows(5), forget: .9, eta: plain},
		{name: "intercept", shards: 84, rows: rows(30), eta: func(*rand.Rand, []float64, float64) float64 { return -.5 }},
		{name: "2 %", columns: 2, shards: 84, rows: rows(30), eta: level(-2.2)},
		{name: ".2 %", columns: 2, shards: 20, rows: rows(300), eta: level(-3.1)},
		{name: "separated", columns: 2, shards: 84, rows: rows(30), eta: func(_ *rand.Rand, x []float64, _ float64) float64 { return 1e9 * x[0] }},
		{name: "steep", columns: 2, shards: 84, rows: rows(30), eta: func(_ *rand.Rand, x []float64, _ float64) float64 { return 6*x[0] - 3*x[1] }},
		{name: "50 columns", columns: 50, shards: 30, rows: rows(100), eta: func(_ *rand.Rand, x []float64, _ float64) (eta float64) {
			for j, v := range x {
				eta += .25 * v * float64(1-j%2*2)
			}
			return eta
		}},
		{name: "a level for what is missing", columns: 3, shards: 84, rows: rows(30), eta: plain, x: func(r *rand.Rand, _ float64, _ int, x []float64) {
			if x[2] = 0; r.IntN(20) == 0 {
				x[2], x[1] = 1, 0
			}
		}},
		{name: "column of a shard", columns: 2, shards: 84, rows: rows(30), eta: plain, x: func(_ *rand.Rand, common float64, _ int, x []float64) { x[1] = common }},
		{name: "column of a shard of 300", columns: 2, shards: 15, rows: rows(300), eta: plain, x: func(_ *rand.Rand, common float64, _ int, x []float64) { x[1] = common }},
		{name: "column that grows", columns: 2, shards: 84, rows: rows(30), eta: plain, x: func(_ *rand.Rand, _ float64, shard int, x []float64) { x[1] = float64(shard) / 30 }},
		{name: "heavy tails of x", columns: 2, shards: 84, rows: rows(30), eta: plain, x: func(r *rand.Rand, _ float64, _ int, x []float64) {
			x[0] /= math.Sqrt(r.ExpFloat64())
		}},
		{name: "logit", columns: 2, shards: 84, rows: rows(30), eta: func(r *rand.Rand, x []float64, _ float64) float64 {
			u := r.Float64()
			return 1e9 * (-.5 + 1.5*x[0] + .5*x[1] + math.Log(u/(1-u)))
		}},

		{name: "a curve", wrong: true, columns: 2, shards: 40, rows: rows(30), eta: func(_ *rand.Rand, x []float64, _ float64) float64 { return .5*x[0] + .5*(x[0]*x[0]-1) }},
		{name: "a curve without a slope", wrong: true, columns: 2, shards: 40, rows: rows(30), eta: func(_ *rand.Rand, x []float64, _ float64) float64 { return .5*x[1] + .5*(x[0]*x[0]-1) }},
		{name: "a curve of one of ten columns", wrong: true, columns: 10, shards: 50, rows: rows(30), eta: func(_ *rand.Rand, x []float64, _ float64) float64 {
			return .5*x[0] + .5*x[1] - .3*x[2] + .5*(x[0]*x[0]-1)
		}},
		{name: "an interaction", wrong: true, columns: 2, shards: 84, rows: rows(30), eta: func(_ *rand.Rand, x []float64, _ float64) float64 { return .5*x[0] + .5*x[1] + .5*x[0]*x[1] }},
		{name: "3 % wrong classes", wrong: true, columns: 2, shards: 167, rows: rows(30), eta: func(r *rand.Rand, x []float64, _ float64) float64 {
			if eta := 2 * x[0]; r.Float64() >= .03 {
				return eta
			}
			return -2 * x[0]
		}},
	} {
		ever, end, first := c.up(t, *classStreams)
		t.Logf("%s: miscalibrated in %d of %d streams, at the end in %d, first at shard %.0f", c.name, ever, *classStreams, end, first)
		if c.wrong && end < *classStreams*9/10 || !c.wrong && ever > max(1, *classStreams/20) {
			t.Errorf("%s: miscalibrated in %d of %d streams, at the end in %d", c.name, ever, *classStreams, end)
		}
	}
}
