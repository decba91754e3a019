package models_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/simulate"
)

// far are streams of one kind of which one effect is as far off as given, and the others are drawn from a normal law: levels of
// groups, of which each shard has a row, or coefficients of columns.
type far struct {
	kind       string
	of, shards int
	sd, far    float64 // of the others, and where the first is: 0, one of them
	level      float64 // of log counts
}

// listed returns in how many streams prior_dominated has the first effect at the end, in how many another one, and in how many
// the first is outside its interval and nothing says so.
func (c far) listed(t *testing.T, streams int) (first, other, silent int) {
	t.Helper()
	k, _ := models.Lookup(c.kind)
	roles := cdf.Roles{Scaling: "first", Intercept: c.kind == "poisson", Groups: []cdf.Group{{Column: "g"}}}
	name := "zeta[g%d]"
	switch c.kind {
	case "poisson":
		name = "u[g%d]"
	case "compressed":
		name, roles = "gamma[x%d]", cdf.Roles{Scaling: "first", Features: numbered(c.of)}
	}
	spec, err := k.Spec("", roles, strictyaml.Decode(""))
	if err != nil {
		t.Fatal(err)
	}
	var counts [3]int
	tell := make(chan [3]bool, streams)
	modeltest.EachStream(streams, func(s int) {
		r := rand.New(rand.NewPCG(uint64(s), 89))
		effects := make([]float64, c.of)
		for j := range effects {
			effects[j] = c.sd * r.NormFloat64()
		}
		if c.far != 0 {
			effects[0] = c.far
		}
		f := cdf.NewFilter(spec, fmt.Sprint(s))
		var sum *cdf.Summary
		for shard := range c.shards {
			if sum, err = f.Update(c.batch(r, shard, effects)); err != nil {
				t.Error(err)
				return
			}
		}
		var told [3]bool
		for _, row := range sum.Rows {
			var j int
			if n, _ := fmt.Sscanf(row.Variable, name, &j); n != 1 {
				continue
			}
			listed := slices.Contains(sum.PriorDominated, row.Variable)
			told[0] = told[0] || listed && j == 0
			told[1] = told[1] || listed && j > 0
			held := row.Q025 <= effects[0] && effects[0] <= row.Q975
			told[2] = told[2] || j == 0 && !held && !listed && !slices.ContainsFunc(sum.Flags, func(f string) bool { return f != "curved" })
		}
		tell <- told
	})
	close(tell)
	for told := range tell {
		for i, up := range told {
			if up {
				counts[i]++
			}
		}
	}
	return counts[0], counts[1], counts[2]
}

func (c far) batch(r *rand.Rand, shard int, effects []float64) *cdf.Batch {
	if c.kind == "compressed" {
		columns := make([][]float64, len(effects)+1)
		for range 50 {
			y := r.NormFloat64()
			for j, b := range effects {
				x := r.NormFloat64()
				columns[j] = append(columns[j], x)
				y += b * x
			}
			columns[len(effects)] = append(columns[len(effects)], y)
		}
		return numberedBatch(shard, columns[:len(effects)], columns[len(effects)])
	}
	group := cdf.Column{Name: "g", Type: cdf.Text}
	y := make([]float64, len(effects))
	for j, effect := range effects {
		group.Code, group.Levels = append(group.Code, int32(j)), append(group.Levels, fmt.Sprint("g", j))
		y[j] = effect + 3*r.NormFloat64()
		if c.kind == "poisson" {
			y[j] = simulate.Count(r, math.Exp(c.level+effect))
		}
	}
	return &cdf.Batch{Rows: len(effects), Columns: []cdf.Column{group, {Name: "y", Number: y}}}
}

// An effect that is too far off for the others is listed, as these draw it from what its own rows say; the others are not, and
// none is where all are of one law. Coverage of all effects together is .95 of either.
func TestFarEffects(t *testing.T) {
	for _, c := range []far{
		{"anova", 50, 10, 1, 10, 0}, {"anova", 12, 20, 1, 14, 0}, {"anova", 50, 10, 1, 0, 0}, {"anova", 12, 3, 1, 0, 0},
		{"poisson", 50, 4, .5, 3.5, 1.5}, {"poisson", 50, 4, .5, 0, 1.5}, {"poisson", 12, 10, .5, 0, 1.5}, {"poisson", 10, 20, .5, 0, -3},
		{"compressed", 60, 6, .03, 1, 0}, {"compressed", 60, 3, .03, 2, 0}, {"compressed", 60, 6, .2, 0, 0},
	} {
		first, other, silent := c.listed(t, 20)
		t.Logf("%+v: listed in %d of 20 streams, another in %d, off and not listed in %d", c, first, other, silent)
		switch {
		case c.far == 0 && first+other > 1:
			t.Errorf("%+v: listed in %d of 20 streams", c, first+other)
		case c.far != 0 && (first < 19 || other > 1 || silent > 0):
			t.Errorf("%+v: listed in %d of 20 streams, another in %d, off and not listed in %d", c, first, other, silent)
		}
	}
}

// Of few rows to a column coefficients are far too near to 0, and the flag is up; here none is large beside the others.
func TestTwoRowsPerColumn(t *testing.T) {
	k, _ := models.Lookup("compressed")
	spec, err := k.Spec("", cdf.Roles{Scaling: "first", Features: numbered(100)}, strictyaml.Decode(""))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 89))
	effects := make([]float64, 100)
	for j := range effects {
		effects[j] = .3 * r.NormFloat64()
	}
	f := cdf.NewFilter(spec, "k")
	for shard := range 4 {
		sum, err := f.Update(far{kind: "compressed"}.batch(r, shard, effects))
		if err != nil {
			t.Fatal(err)
		}
		if up := slices.Contains(sum.Flags, "few_rows_per_column"); up != (shard < 3) {
			t.Errorf("%d rows of 100 columns: %v", 50*(shard+1), up)
		}
	}
}

// Slopes draw the intercept of few counts down by about their number over the root of the counts, in its sds: few_events is up
// where that is more than .6, also where rows have counts enough. Levels do not; groups do, unless so few that the intercept is hardly told.
func TestSlopesOfFewCounts(t *testing.T) {
	k, _ := models.Lookup("poisson")
	levels := strings.Split("abcdefghijklmnopqrst", "")
	for _, c := range []struct {
		slopes, levels, rows int
		rate                 float64
		groups               int
		sloped               bool // so that slopes vary, too
		up                   bool
	}{
		{5, 0, 100, .3, 0, false, true}, {5, 0, 400, .4, 0, false, false}, {2, 0, 50, .1, 0, false, true}, {2, 0, 200, .3, 0, false, false}, {0, 8, 200, .8, 0, false, false}, {0, 20, 500, 1, 0, false, false},
		{1, 0, 200, .04, 40, false, true}, {1, 0, 200, .2, 40, false, false}, {1, 0, 100, .15, 2, false, false}, {1, 0, 200, .12, 20, true, true}, {1, 0, 400, .6, 20, true, false},
		{1, 0, 300, .12, 3, true, false},   // whose mean hardly tells the intercept
		{1, 0, 220, .05, 200, false, true}, // so many that none without an event is told for itself
	} {
		roles := cdf.Roles{Scaling: "first", Intercept: true, Features: numbered(c.slopes)}
		if c.levels > 0 {
			roles.Features = append(roles.Features, cdf.Feature{Name: "level", Levels: levels[:c.levels], Baseline: "a", Other: "level"})
		}
		if c.groups > 0 {
			roles.Groups = []cdf.Group{{Column: "g"}}
			if c.sloped {
				roles.Groups[0].Slopes = []string{roles.Features[0].Name}
			}
		}
		spec, err := k.Spec("", roles, strictyaml.Decode(""))
		if err != nil {
			t.Fatal(err)
		}
		ever := 0
		for s := range 20 {
			r := rand.New(rand.NewPCG(uint64(s), 90))
			columns := make([][]float64, c.slopes+1)
			level := cdf.Column{Name: "level", Type: cdf.Text, Levels: levels}
			group, effects := cdf.Column{Name: "g", Type: cdf.Integer}, []float64{0}
			for range c.groups {
				effects = append(effects, .5*r.NormFloat64())
			}
			for i := range c.rows {
				for j := range c.slopes {
					columns[j] = append(columns[j], r.NormFloat64())
				}
				columns[c.slopes] = append(columns[c.slopes], simulate.Count(r, c.rate*math.Exp(effects[i%len(effects)])))
				group.Int, group.Number = append(group.Int, int64(i%len(effects))), append(group.Number, float64(i%len(effects)))
				level.Code = append(level.Code, int32(max(0, r.IntN(2*max(1, c.levels))-c.levels))) // half of the rows the first
			}
			b := numberedBatch(0, columns[:c.slopes], columns[c.slopes])
			if c.levels > 0 {
				b.Columns = append(b.Columns, level)
			}
			if c.groups > 0 {
				b.Columns = append(b.Columns, group)
			}
			sum, err := cdf.NewFilter(spec, fmt.Sprint(s)).Update(b)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(sum.Flags, "few_events") {
				ever++
			}
		}
		if c.up && ever < 19 || !c.up && ever > 3 { // of levels some have too few counts by chance
			t.Errorf("%+v: few_events in %d of 20", c, ever)
		}
	}
}
