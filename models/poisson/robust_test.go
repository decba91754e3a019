package poisson

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// Whatever counts arrive, what leaves is a number.
func TestSurvives(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 2))
	edit := func(rows int, f func(i int, x []float64, y, offset *float64, g *int32)) *cdf.Shard {
		sh := &cdf.Shard{Rows: rows, Cols: 3, Group: make([][]int32, 1)}
		for i := range rows {
			x := []float64{1, r.NormFloat64(), r.NormFloat64()}
			y, offset, g := simulate.Count(r, math.Exp(0.5+0.3*x[1])), 0.0, int32(i%6)
			f(i, x, &y, &offset, &g)
			sh.X, sh.Y, sh.Offset = append(sh.X, x...), append(sh.Y, y), append(sh.Offset, offset)
			sh.Group[0] = append(sh.Group[0], g)
		}
		return sh
	}
	type row = func(i int, x []float64, y, offset *float64, g *int32)
	for _, c := range []struct {
		name string
		rows int
		edit row
	}{
		{"no rows", 0, nil},
		{"one row", 1, func(int, []float64, *float64, *float64, *int32) {}},
		{"no response", 5, func(_ int, _ []float64, y, _ *float64, _ *int32) { *y = math.NaN() }},
		{"zeros", 80, func(_ int, _ []float64, y, _ *float64, _ *int32) { *y = 0 }},
		{"one event", 80, func(i int, _ []float64, y, _ *float64, _ *int32) { *y = float64(1 - min(i, 1)) }},
		{"counts of a million", 80, func(_ int, _ []float64, y, _ *float64, _ *int32) { *y = 1e6 + 1000**y }},
		{"counts of 1e12", 80, func(_ int, _ []float64, y, _ *float64, _ *int32) { *y = 1e12 + *y }},
		{"an outlier", 80, func(i int, _ []float64, y, _ *float64, _ *int32) {
			if i == 7 {
				*y = 1e9
			}
		}},
		{"offsets of 20", 80, func(i int, _ []float64, _, o *float64, _ *int32) { *o = float64(40*(i%2) - 20) }},
		{"offset 20 alone", 80, func(_ int, _ []float64, _, o *float64, _ *int32) { *o = 20 }},
		{"constant column", 80, func(_ int, x []float64, _, _ *float64, _ *int32) { x[1] = 3 }},
		{"zero column", 80, func(_ int, x []float64, _, _ *float64, _ *int32) { x[1] = 0 }},
		{"collinear", 80, func(_ int, x []float64, _, _ *float64, _ *int32) { x[2] = 2*x[1] - 1 }},
		{"column of 1e6", 80, func(_ int, x []float64, _, _ *float64, _ *int32) { x[1] *= 1e6 }},
		{"one group", 80, func(_ int, _ []float64, _, _ *float64, g *int32) { *g = 0 }},
		{"separation", 80, func(_ int, x []float64, y, _ *float64, _ *int32) {
			if x[1] > 0 {
				*y = 0
			}
		}},
		{"100,000 rows", 100_000, func(i int, _ []float64, _, _ *float64, g *int32) { *g = int32(i % 1000) }},
	} {
		sh := edit(c.rows, c.edit)
		for _, variant := range []string{"corrected", "paper", "buffer", "lognormal", "inverse-gamma"} {
			if c.rows > 1000 && variant != "corrected" {
				continue
			}
			t.Run(c.name+"/"+variant, func(t *testing.T) {
				s := Defaults()
				switch variant {
				case "buffer":
					s.Buffer = 2
				case "lognormal":
					s.Overdispersion = lognormal
				case "inverse-gamma":
					s.Prior.Group = inverseGamma
				}
				kind := "corrected"
				if variant == "paper" {
					kind = variant
				}
				m := modeltest.Model(t, Kind(), kind, modeltest.Set(s), cdf.Dims{Columns: modeltest.Columns(3), Intercept: true, Groups: []cdf.Group{{Column: "g"}}})
				d := modeltest.Stepper{Model: m}
				for _, forget := range []float64{1, 0.5, 1e-9} {
					if err := d.Step(sh, forget); err != nil {
						// The paper's rule may diverge, in the open.
						if variant != "paper" || !errors.Is(err, cdf.ErrNumeric) {
							t.Fatal(err)
						}
						return
					}
					countsWellFormed(t, m, sh)
					if c.rows > 1000 {
						return
					}
				}
			})
		}
	}
}

// countsWellFormed checks every number that leaves: finite and in order, but
// for moments that are undefined.
func countsWellFormed(t *testing.T, m cdf.Model, sh *cdf.Shard) {
	t.Helper()
	var base *base
	switch v := m.(type) {
	case *Model:
		base = &v.base
	case *Paper:
		base = &v.base
	}
	list := everything(base)
	if len(list) > 100 {
		list = list[:100]
	}
	for i, r := range modeltest.Summarize(t, m, list) {
		q := []float64{r.Q025, r.Q05, r.Q25, r.Median, r.Q75, r.Q95, r.Q975}
		for _, v := range q {
			if !lin.Finite(v) {
				t.Fatalf("variable %d: %+v", i, r)
			}
		}
		if !slices.IsSorted(q) || r.SD < 0 || math.IsInf(r.SD, 0) || math.IsInf(r.Mean, 0) || r.Open {
			t.Fatalf("variable %d: %+v", i, r)
		}
	}
	few := cutShards(sh, max(1, sh.Rows/10))[0]
	out := make([]cdf.Prediction, few.Rows)
	p := m.(cdf.Predictor)
	if err := p.Predict(few, out); err != nil {
		t.Fatal(err)
	}
	for i, o := range out {
		if !lin.Finite(o.Q025) || !(o.Q025 <= o.Q975) || !lin.Finite(o.EpredQ025) || !(o.EpredQ025 <= o.EpredQ975) ||
			math.IsInf(o.Mean, 0) || math.IsInf(o.SD, 0) || math.IsInf(o.EpredSD, 0) {
			t.Fatalf("row %d: %+v", i, o)
		}
		if y := few.Y[i]; !math.IsNaN(y) && !(o.LogDensity <= 0 && o.PIT >= 0 && o.PIT <= 1) {
			t.Fatalf("row %d: %+v", i, o)
		}
	}
	if _, err := p.Score(few, rand.New(rand.NewPCG(1, 1))); err != nil {
		t.Fatal(err)
	}
}

func TestCheck(t *testing.T) {
	m, good := crossed(t, Defaults(), 20)
	if err := m.Check(good); err != nil {
		t.Errorf("a good shard: %v", err)
	}
	for name, c := range map[string]struct {
		spoil func(*cdf.Shard)
		says  string
	}{
		"negative":  {func(s *cdf.Shard) { s.Y[3] = -1 }, "row 4 is -1, which is not a count"},
		"fraction":  {func(s *cdf.Shard) { s.Y[0] = 1.5 }, "row 1 is 1.5"},
		"infinite":  {func(s *cdf.Shard) { s.Y[1] = math.Inf(1) }, "row 2 is +Inf"},
		"huge":      {func(s *cdf.Shard) { s.Y[1] = 1e17 }, "row 2 is 1e+17"},
		"feature":   {func(s *cdf.Shard) { s.X[5] = math.NaN() }, "row 3, column 2"},
		"offset":    {func(s *cdf.Shard) { s.Offset[2] = math.Inf(-1) }, "row 3"},
		"slope":     {func(s *cdf.Shard) { s.Slopes[0][2] = math.NaN() }, "row 3"},
		"factors":   {func(s *cdf.Shard) { s.Group = s.Group[:1] }, "1 factors"},
		"too wide":  {func(s *cdf.Shard) { s.Group[1][4] = 600 }, "list the factor with the most levels first"},
		"too large": {func(s *cdf.Shard) { s.Group[0][4] = 2_000_000 }, `levels of "store"`},
	} {
		s := *good
		s.X, s.Y, s.Offset = slices.Clone(s.X), slices.Clone(s.Y), slices.Clone(s.Offset)
		s.Group = [][]int32{slices.Clone(s.Group[0]), slices.Clone(s.Group[1])}
		s.Slopes = [][]float64{slices.Clone(s.Slopes[0])}
		c.spoil(&s)
		if err := m.Check(&s); !errors.Is(err, cdf.ErrShard) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSettings(t *testing.T) {
	for name, spoil := range map[string]func(*Settings){
		"beta_variance": func(s *Settings) { s.Prior.BetaVariance = 0 }, "group_scale": func(s *Settings) { s.Prior.GroupScale = -1 },
		"group_shape": func(s *Settings) { s.Prior.GroupShape = math.NaN() }, "group_rate": func(s *Settings) { s.Prior.GroupRate = math.Inf(1) },
		"prior.group": func(s *Settings) { s.Prior.Group = "gamma" }, "buffer": func(s *Settings) { s.Buffer = -1 },
		"overdispersion": func(s *Settings) { s.Overdispersion = "gamma" },
	} {
		s := Defaults()
		spoil(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	modeltest.Refuses(t, Kind(), "paper", map[string]string{"buffer: 5": "neither buffer nor overdispersion"})
}

// A functional may not mix what has no joint law in closed form.
func TestRefusesAMixedFunctional(t *testing.T) {
	m, sh := crossed(t, Defaults(), 70)
	d := modeltest.Stepper{Model: m}
	d.Must(t, sh, 1)
	last := m.k + m.stats.effects()
	for _, params := range [][]int{{0, last}, {last + 3}, {-1}, {2, 3}} {
		f := []cdf.Functional{{Name: "v", Param: params, Weight: []float64{1, 1}[:len(params)]}}
		if err := m.Summarize(f, make([]cdf.Row, 1)); !errors.Is(err, cdf.ErrSchema) {
			t.Errorf("%v: %v", params, err)
		}
	}
}
