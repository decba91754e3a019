package models_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
)

// wide are streams of normal columns, whose coefficients are drawn anew for each with an sd.
type wide struct {
	kind, settings string
	columns        int
	sd             float64 // of a coefficient, beside noise of 1
	rows           int     // of a shard
	edit           func(row int, x []float64, y *float64)
}

// after runs streams and counts those in which one of the flags was up at any shard, and at the last.
func (c wide) after(t *testing.T, streams, shards int, flags ...string) (ever, end int) {
	t.Helper()
	k, _ := models.Lookup(c.kind)
	roles := cdf.Roles{Scaling: "first", Intercept: c.kind != "compressed", Features: numbered(c.columns)}
	spec, err := k.Spec("", roles, strictyaml.Decode(c.settings))
	if err != nil {
		t.Fatal(err)
	}
	ever, end, _ = flagged(t, streams, func(s int) (first int, last bool, err error) {
		r := rand.New(rand.NewPCG(uint64(s), 88))
		f := cdf.NewFilter(spec, fmt.Sprint(s))
		b := make([]float64, c.columns)
		for j := range b {
			b[j] = c.sd * r.NormFloat64()
		}
		for shard := range shards {
			columns := make([][]float64, c.columns+1)
			for i := range c.rows {
				x, eta := make([]float64, c.columns), 0.
				for j := range x {
					x[j] = r.NormFloat64()
					eta += b[j] * x[j]
				}
				y := respond(r, c.kind, eta, r.NormFloat64())
				if c.edit != nil {
					c.edit(shard*c.rows+i, x, &y)
				}
				for j, v := range append(x, y) {
					columns[j] = append(columns[j], v)
				}
			}
			sum, err := f.Update(numberedBatch(shard, columns[:c.columns], columns[c.columns]))
			if err != nil {
				return 0, false, err
			}
			up := func(flag string) bool { return slices.Contains(flags, flag) }
			if last = slices.ContainsFunc(sum.Flags, up); last && first == 0 {
				first = shard + 1
			}
		}
		return first, last, nil
	})
	return ever, end
}

// Rows count by what pairs of them share, which is little where their columns differ, however
// little is known of the coefficients. Where the model is right miscalibrated is up at some shard in
// at most 1 of 60 streams.
func TestPairsAreNoMisfit(t *testing.T) {
	for _, c := range []wide{
		{kind: "linear", columns: 5, sd: 1}, {kind: "linear", columns: 30, sd: .1}, {kind: "linear", columns: 60, sd: .2},
		{kind: "compressed", settings: "statistics: exact", columns: 20, sd: .5}, {kind: "compressed", settings: "statistics: exact", columns: 60, sd: .1},
		{kind: "compressed", settings: "statistics: exact", columns: 60}, {kind: "compressed", settings: "rank: 30", columns: 60, sd: .1},
	} {
		for _, rows := range []int{5, 30, 100} {
			c.rows = rows
			ever, end := c.after(t, 60, 30, "miscalibrated")
			t.Logf("%s %s, %d columns of %g, %d rows: miscalibrated in %d of 60 streams, at the end in %d", c.kind, c.settings, c.columns, c.sd, rows, ever, end)
			if ever > 1 {
				t.Errorf("%s %s, %d columns of %g, %d rows: miscalibrated in %d of 60 streams", c.kind, c.settings, c.columns, c.sd, rows, ever)
			}
		}
	}
}

// Columns that change places are told after as many shards as came before.
func TestPairsTellOfOtherColumns(t *testing.T) {
	for _, c := range []wide{
		{kind: "linear", columns: 20, sd: .5}, {kind: "compressed", settings: "statistics: exact", columns: 20, sd: .5},
	} {
		c.rows = 50
		c.edit = func(row int, x []float64, _ *float64) {
			if row >= 500 {
				slices.Reverse(x)
			}
		}
		if _, end := c.after(t, 60, 20, "miscalibrated"); end < 57 {
			t.Errorf("%s: miscalibrated in %d of 60 streams at the end", c.kind, end)
		}
	}
}

// A feature that is a million scales off is told of for good, in every kind; one of twenty, which the other rows
// outweigh, is not.
func TestFarFeatures(t *testing.T) {
	for _, kind := range []string{"linear", "compressed", "probit", "poisson"} {
		c := wide{kind: kind, columns: 2, sd: .5, rows: 50}
		if kind == "probit" {
			c.settings = "{window: 200, chains: 4}"
		}
		for far, want := range map[float64]int{1e6: 10, 20: 0} {
			c.edit = func(row int, x []float64, _ *float64) {
				if row == 400 {
					x[0] = far
				}
			}
			if _, end := c.after(t, 10, 20, "outliers"); (end > 5) != (want > 5) || math.Abs(float64(end-want)) > 1 {
				t.Errorf("%s: outliers in %d of 10 streams at the end, with a feature of %g", kind, end, far)
			}
		}
	}
}

// A column that was the same in all first rows has no scale: values in hundreds of its unit are not far off. One of zeros
// and ones has, and what is a million is told of.
func TestFarFeaturesWithoutScale(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(row int, x []float64)
		want int
	}{
		{"constant at first", func(row int, x []float64) {
			if x[0] *= 1000; row < 60 {
				x[0] = 4
			}
		}, 0},
		{"0 at first, then rare", func(row int, x []float64) {
			if x[0] = 0; row > 60 && row%40 == 0 {
				x[0] = 500
			}
		}, 0},
		{"zeros and ones, and a million", func(row int, x []float64) {
			if x[0] = float64(row % 3 / 2); row == 400 {
				x[0] = 1e6
			}
		}, 10},
	} {
		for _, rows := range []int{1, 50} {
			s := wide{kind: "linear", columns: 2, rows: rows, edit: func(row int, x []float64, _ *float64) { c.edit(row, x) }}
			if _, end := s.after(t, 10, 1000/rows, "outliers"); end != c.want {
				t.Errorf("%s, %d rows a shard: outliers in %d of 10 streams at the end, want %d", c.name, rows, end, c.want)
			}
		}
	}
}
