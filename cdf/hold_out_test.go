package cdf_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// foreteller is a recorder that predicts, as it is told.
type foreteller struct {
	recorder
	number int // of the models that were made
	scored *[]cdf.Shard
	by     *[]int                 // number of the model that scored
	failed func(rows int) error   // of a shard that is learnt from
	season *func(row int) float64 // the scores that it tells
}

func (f foreteller) Blocks() []cdf.Block { return []cdf.Block{f} }

func (f foreteller) Predict(*cdf.Shard, []cdf.Prediction) error { return nil }

func (f foreteller) Score(sh *cdf.Shard, _ *rand.Rand) (cdf.Score, error) {
	scored := *sh
	scored.Y, scored.X = slices.Clone(sh.Y), slices.Clone(sh.X)
	scored.Group = []([]int32){}
	for _, g := range sh.Group {
		scored.Group = append(scored.Group, slices.Clone(g))
	}
	*f.scored, *f.by = append(*f.scored, scored), append(*f.by, f.number)
	for i := 0; i < sh.Rows && *f.season != nil && sh.Season != nil; i++ {
		sh.Season.Pass(1)
		sh.Season.Tell((*f.season)(i))
	}
	score := cdf.Score{Rows: int64(sh.Observed()), Wild: 3, LogDensity: -1, LogEvidence: math.NaN()}
	score.PIT[0] = uint32(sh.Observed()) // all of them where one in forty should be
	return score, nil
}

func (f foreteller) Sample(s *cdf.Step) error { return f.failed(s.Shard.Rows) }

type told struct {
	learnt, scored *[]cdf.Shard
	by             *[]int
	season         *func(row int) float64
}

func foretelling(roles cdf.Roles, failed func(rows int) error) (*cdf.Spec, told) {
	spec, learnt, _ := recording(roles)
	inner, n, out := spec.New, 0, told{learnt, new([]cdf.Shard), new([]int), new(func(int) float64)}
	spec.New = func(d cdf.Dims) (cdf.Model, error) {
		m, err := inner(d)
		n++
		return foreteller{recorder: m.(recorder), number: n, scored: out.scored, by: out.by, failed: failed, season: out.season}, err
	}
	return spec, out
}

func never(int) error { return nil }

// numbered is a shard of rows that are told by their column x, all but the second of groups a and b; the last has no response.
func numbered(rows int) *cdf.Batch {
	x, y, g := make([]float64, rows), make([]float64, rows), make([]string, rows)
	for i := range x {
		x[i], y[i], g[i] = float64(i), float64(i%7), "a"
		if i%3 == 2 {
			g[i] = "b"
		}
	}
	if rows > 1 {
		g[1] = "c"
	}
	y[rows-1] = math.NaN()
	return batch(num("x", x...), num("y", y...), text("g", g...))
}

// Of a first shard that is large enough each half is predicted from the other, and from no other row; the state is that of all.
func TestHoldOut(t *testing.T) {
	const rows = 401
	spec, told := foretelling(cdf.Roles{Groups: []cdf.Group{{Column: "g"}}}, never)
	f := cdf.NewFilter(spec, "key")
	sum := take(t, f, numbered(rows))
	if len(*told.learnt) != 3 || len(*told.scored) != 2 || (*told.learnt)[0].Rows != rows {
		t.Fatalf("%d shards were learnt from and %d scored", len(*told.learnt), len(*told.scored))
	}
	half, held := (*told.learnt)[1], (*told.scored)[0]
	if all := half.Rows + held.Rows; all != rows-1 || half.Rows < all/2-2 || half.Rows > all/2+2 {
		t.Errorf("%d rows were learnt from and %d held out", half.Rows, held.Rows)
	}
	if by := (*told.by)[0]; by != 2 {
		t.Errorf("model %d predicted, which has seen all rows", by)
	}
	if other, back := (*told.learnt)[2], (*told.scored)[1]; !sameNumbers(other.X, held.X) || !sameNumbers(back.X, half.X) {
		t.Errorf("%d rows were predicted from %d others the second time", back.Rows, other.Rows)
	}
	at := slices.Concat(half.X, held.X)
	odd := 0
	for i, x := range half.X {
		odd += int(x) % 2
		if half.Y[i] != float64(int(x)%7) {
			t.Fatalf("row %v has the response %v", x, half.Y[i])
		}
	}
	if n := len(half.X); odd < n/2-n/20 || odd > n/2+n/20 {
		t.Errorf("of %d rows %d are odd ones", n, odd)
	}
	slices.Sort(at)
	for i, x := range at {
		if x != float64(i) {
			t.Fatalf("row %v stands where %d should", x, i)
		}
	}
	level := map[int]int32{}
	for i, g := range slices.Concat(half.Group[0], held.Group[0]) {
		name := int(slices.Concat(half.X, held.X)[i])
		if name != 1 {
			name = 2 + name%3/2
		}
		if known, ok := level[name]; ok && known != g || !ok && int(g) != len(level) {
			t.Fatalf("row %d has the level %d", i, g)
		}
		level[name] = g
	}
	if !slices.Equal(sum.Flags, []string{"miscalibrated", "outliers"}) || sum.Outliers.Rows != 6 || sum.Score.Rows != 0 {
		t.Errorf("flags %v, %d outliers, %d rows scored", sum.Flags, sum.Outliers.Rows, sum.Score.Rows)
	}
	if _, err := f.Update(numbered(rows)); err != nil || len(*told.learnt) != 4 || len(*told.scored) != 3 {
		t.Errorf("%v: the second shard was learnt from %d times and scored %d", err, len(*told.learnt)-3, len(*told.scored)-2)
	}
}

// sameNumbers reports whether two lists have the same numbers in any order.
func sameNumbers(a, b []float64) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// Fewer rows tell of outliers alone: those of a first shard, and all of those with which constants came.
func TestOutliersOfFewRows(t *testing.T) {
	for _, c := range []struct {
		name   string
		roles  cdf.Roles
		shards []int
		rows   int // that are predicted
	}{
		{"constants that are given", cdf.Roles{}, []int{200}, 200},
		{"constants of one shard", cdf.Roles{Scaling: "first"}, []int{200}, 200},
		{"constants of several", cdf.Roles{Scaling: "first"}, []int{11, 11, 11, 11, 11}, 55},
	} {
		spec, told := foretelling(c.roles, never)
		spec.Steps = true
		*told.season = func(row int) float64 { return 2 * math.Sin(2*math.Pi*float64(row)/8) }
		f := cdf.NewFilter(spec, "key")
		var sum *cdf.Summary
		for _, rows := range c.shards {
			*told.scored = nil
			sum = take(t, f, numbered(rows))
		}
		rows := 0
		for _, sh := range (*told.scored)[max(len(*told.scored)-2, 0):] {
			rows += sh.Rows
		}
		if rows != c.rows || !slices.Contains(sum.Flags, "outliers") || slices.Contains(sum.Flags, cdf.SeasonFlag) || sum.Outliers != (cdf.Outliers{Rows: 6, T: int64(len(c.shards))}) {
			t.Errorf("%s: %d rows were predicted, flags %v, outliers %+v", c.name, rows, sum.Flags, sum.Outliers)
		}
	}
}

func TestNothingIsHeldOut(t *testing.T) {
	for name, b := range map[string]*cdf.Batch{"few rows": numbered(50), "one row": numbered(1)} {
		spec, told := foretelling(cdf.Roles{}, never)
		take(t, cdf.NewFilter(spec, "key"), b)
		if len(*told.learnt) != 1 || len(*told.scored) != 0 {
			t.Errorf("%s: %d shards were learnt from and %d scored", name, len(*told.learnt), len(*told.scored))
		}
	}
}

// Of steps of time the later half is held out, and all of them are there; then time runs back.
func TestHoldOutOfSteps(t *testing.T) {
	spec, told := foretelling(cdf.Roles{}, never)
	spec.Steps = true
	take(t, cdf.NewFilter(spec, "key"), numbered(401))
	if len(*told.learnt) != 3 || len(*told.scored) != 2 {
		t.Fatalf("%d shards were learnt from and %d scored", len(*told.learnt), len(*told.scored))
	}
	if later, sooner := (*told.learnt)[2], (*told.scored)[1]; later.Rows != 201 || !math.IsNaN(later.Y[0]) || later.Y[200] != 200%7 || sooner.Y[0] != 199%7 || sooner.Y[199] != 0 {
		t.Errorf("%d rows from the response %v back to %v, then %d from %v", later.Rows, later.Y[0], later.Y[200], sooner.Rows, sooner.Y[0])
	}
	half, held := (*told.learnt)[1], (*told.scored)[0]
	if half.Rows != 200 || held.Rows != 201 || half.Y[199] != 199%7 || held.Y[0] != 200%7 || !math.IsNaN(held.Y[200]) {
		t.Errorf("%d rows up to the response %v, then %d from %v", half.Rows, half.Y[199], held.Rows, held.Y[0])
	}
}

// Behind the half that is learnt the errors of a series begin anew: how many steps it passed is no part of the other.
func TestHoldOutBeginsSeasonAnew(t *testing.T) {
	spec, told := foretelling(cdf.Roles{}, never)
	spec.Steps = true
	*told.season = func(row int) float64 { return 2 * math.Sin(2*math.Pi*float64(row)/8) }
	f := cdf.NewFilter(spec, "key")
	take(t, f, numbered(20))
	if sum := take(t, f, numbered(78)); !slices.Contains(sum.Flags, cdf.SeasonFlag) {
		t.Fatalf("flags %v of a season", sum.Flags)
	}
	r := rand.New(rand.NewPCG(1, 12))
	*told.season = func(int) float64 { return r.NormFloat64() }
	if sum := take(t, f, numbered(241)); slices.Contains(sum.Flags, cdf.SeasonFlag) || len(*told.learnt) != 5 {
		t.Errorf("flags %v of scores before the half that was learnt, %d shards were learnt from", sum.Flags, len(*told.learnt))
	}
}

// A shard judges itself that comes when constants are known for the first time, or behind fewer rows than could judge it.
func TestHoldOutBehindFewRows(t *testing.T) {
	for _, c := range []struct {
		name            string
		roles           cdf.Roles
		before          int
		learnt, scored  int
		wild, rows, sum int64
	}{
		{"constants of both shards", cdf.Roles{Scaling: "first"}, 21, 4, 3, 6, 299, 319},
		{"constants that are given", cdf.Roles{}, 31, 3, 3, 6, 299, 329},
		{"rows enough before", cdf.Roles{}, 131, 1, 1, 9, 299, 429},
	} {
		spec, told := foretelling(c.roles, never)
		f := cdf.NewFilter(spec, "key")
		take(t, f, numbered(c.before))
		*told.learnt, *told.scored = nil, nil
		sum := take(t, f, numbered(300))
		if len(*told.learnt) != c.learnt || len(*told.scored) != c.scored || sum.Outliers.Rows != c.wild || sum.Score.Rows != c.rows || sum.N != c.sum {
			t.Errorf("%s: %d shards were learnt from and %d scored, %d rows are wild, %d were scored, of %d", c.name,
				len(*told.learnt), len(*told.scored), sum.Outliers.Rows, sum.Score.Rows, sum.N)
		}
	}
}

// What a half fails with costs what is told, and neither the shard nor the model.
func TestHoldOutFails(t *testing.T) {
	for name, failure := range map[string]func(){"error": nil, "panic": func() { panic("half a model") }} {
		spec, told := foretelling(cdf.Roles{}, func(rows int) error {
			if rows > 300 {
				return nil
			}
			if failure != nil {
				failure()
			}
			return errors.New("too few")
		})
		f := cdf.NewFilter(spec, "key")
		sum := take(t, f, numbered(401))
		if sum.N != 400 || len(*told.learnt) != 2 || len(*told.scored) != 0 || len(sum.Flags) > 0 || (f.Faulted() != nil) != (failure != nil) {
			t.Errorf("%s: %d rows, %d shards learnt from, %d scored, flags %v, %v", name, sum.N, len(*told.learnt), len(*told.scored), sum.Flags, f.Faulted())
		}
	}
}
