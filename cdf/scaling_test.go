package cdf_test

import (
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

// TestScalingFirst checks the constants against a direct computation, when
// they freeze, and that the shards before are processed again.
func TestScalingFirst(t *testing.T) {
	spec, seen, forget := recording(cdf.Roles{Scaling: "first", Intercept: true})
	spec.Forget = .5
	f := cdf.NewFilter(spec, "k")
	add := func(n int, from float64) *cdf.Summary {
		t.Helper()
		x, bit, flat, y := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			v := from + float64(i)
			x[i], bit[i], flat[i], y[i] = v*v, float64(i%2), .1, 7*v
		}
		sum := take(t, f, batch(num("x", x...), num("bit", bit...), num("flat", flat...), num("y", y...)))
		return sum
	}
	if f.Settled() {
		t.Error("settled without a shard")
	}
	add(1, 0)
	for range 2 {
		take(t, f, batch(num("x", 1), num("bit", 1), num("flat", .1), num("y", math.NaN())))
	}
	add(48, 1) // 49 usable rows so far
	if f.Settled() {
		t.Error("settled by 49 rows")
	}
	*seen, *forget = nil, nil
	sum := add(2, 49)
	if !f.Settled() {
		t.Error("not settled by 51 rows")
	}
	var x []float64
	for i := range 51 {
		x = append(x, float64(i*i))
	}
	mean := 0.
	for _, v := range x {
		mean += v / 51
	}
	squares := 0.
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	sd := math.Sqrt(squares / 50)
	c := sum.Scaling
	if len(c) != 3 || c[0].Column != "y" || c[1].Column != "x" || c[2] != (cdf.Constant{Column: "flat", Center: .1, Scale: 1}) {
		t.Fatalf("constants %+v", c)
	}
	if math.Abs(c[1].Center-mean) > 1e-9 || math.Abs(c[1].Scale-sd) > 1e-9 || math.Abs(c[0].Center-175) > 1e-9 {
		t.Errorf("constants %+v, want x %g %g and y 175", c, mean, sd)
	}
	if len(*seen) != 3 || (*seen)[0].Rows != 1 || (*seen)[1].Rows != 48 || (*seen)[2].Rows != 2 {
		t.Fatalf("processed again: %d shards", len(*seen))
	}
	// Shards without a usable row leave their discounts to the one after them.
	if !slices.Equal(*forget, []float64{.5, .125, .5}) {
		t.Errorf("discounts %g", *forget)
	}
	if got := (*seen)[2].X[1]; math.Abs(got-(49*49-mean)/sd) > 1e-9 {
		t.Errorf("scaled x is %g", got)
	}
	frozen := slices.Clone(sum.Scaling)
	*seen = nil
	sum = add(30, 1000)
	if len(*seen) != 1 || !slices.Equal(sum.Scaling, frozen) {
		t.Errorf("constants moved after they were fixed: %d shards, %+v", len(*seen), sum.Scaling)
	}
}

func TestScalingExplicit(t *testing.T) {
	two, ten := 2., 10.
	roles := cdf.Roles{
		Scaling: "first", Response: cdf.Feature{Name: "y", Center: &ten, Scale: &two},
		Features: []cdf.Feature{{Name: "a", Center: &two, Scale: &ten}, {Name: "b", Center: &two}},
	}
	for _, scaling := range []string{"first", "none"} {
		roles.Scaling = scaling
		spec, seen, _ := recording(roles)
		sum := take(t, cdf.NewFilter(spec, "k"), batch(num("y", 12, 14), num("a", 2, 12), num("b", 2, 6)))
		sd := 1.
		if scaling == "first" {
			sd = math.Sqrt(8)
		}
		last := (*seen)[len(*seen)-1]
		if !slices.Equal(last.Y, []float64{1, 2}) || !slices.Equal(last.X, []float64{0, 0, 1, 4 / sd}) {
			t.Errorf("%s: y %g x %g, constants %+v", scaling, last.Y, last.X, sum.Scaling)
		}
	}
	raw, seen, _ := recording(cdf.Roles{Scaling: "first"})
	raw.RawResponse, raw.Origin = true, true
	sum := take(t, cdf.NewFilter(raw, "k"), batch(num("y", 3, 5), num("x", 10, 14)))
	if last := (*seen)[len(*seen)-1]; !slices.Equal(last.Y, []float64{3, 5}) || len(sum.Scaling) != 1 || sum.Scaling[0].Center != 0 {
		t.Errorf("raw response, through the origin: y %g, constants %+v", last.Y, sum.Scaling)
	}
}

// TestScalesOfData checks that the posterior in original units moves with the
// units of the data, which the priors on raw columns would not allow.
func TestScalesOfData(t *testing.T) {
	last := func(factor, shift float64) *cdf.Summary {
		f := cdf.NewFilter(cdftest.Line(), "k")
		var sum *cdf.Summary
		for _, b := range cdftest.LineShards(3, 60) {
			for i, v := range b.Columns[1].Number {
				b.Columns[1].Number[i] = factor*v + shift
			}
			var err error
			if sum, err = f.Update(b); err != nil {
				t.Fatal(err)
			}
		}
		return sum
	}
	a, b := last(1, 0), last(1000, 5e6)
	for i, r := range a.Rows {
		want := 1000 * r.Mean
		if i == 0 {
			want += 5e6
		}
		if math.Abs(b.Rows[i].Mean-want) > 1e-6*1000*r.SD || math.Abs(b.Rows[i].SD-1000*r.SD) > 1e-6*1000*r.SD {
			t.Errorf("%s: %g (%g), want %g (%g)", r.Variable, b.Rows[i].Mean, b.Rows[i].SD, want, 1000*r.SD)
		}
	}
	if d := a.Score.LogDensity - b.Score.LogDensity - math.Log(1000); math.Abs(d) > 1e-6 {
		t.Errorf("log density is off by %g", d)
	}
	if math.Abs(b.Score.RMSE/a.Score.RMSE-1000) > 1e-3 || a.Score.Coverage95 != b.Score.Coverage95 {
		t.Errorf("scores %+v and %+v", a.Score, b.Score)
	}
	n := float64(a.Score.Rows)
	if d := a.Score.LogEvidence - b.Score.LogEvidence - n*math.Log(1000); math.Abs(d) > 1e-5 {
		t.Errorf("log evidence is off by %g", d)
	}
}

// Where time passes at rows without a response these are processed again as
// well, leading ones too, and count for nothing else; their number is bounded.
func TestScalingKeepsMissingSteps(t *testing.T) {
	nan := math.NaN()
	spec, seen, _ := recording(cdf.Roles{Scaling: "first", Features: []cdf.Feature{}})
	spec.Steps = true
	f := cdf.NewFilter(spec, "k")
	add := func(y ...float64) *cdf.Summary {
		t.Helper()
		*seen = nil
		sum := take(t, f, batch(num("y", y...)))
		return sum
	}
	rows := func() (n []int) {
		for _, s := range *seen {
			n = append(n, s.Rows)
		}
		return n
	}
	add(nan, nan, nan)
	sum := add(nan, 4, nan, 8)
	if got := rows(); !slices.Equal(got, []int{3, 4}) || sum.N != 2 || f.T() != 2 {
		t.Fatalf("processed again: %v rows, n=%d", got, sum.N)
	}
	if c := sum.Scaling[0]; c.Center != 6 || math.Abs(c.Scale-math.Sqrt(8)) > 1e-12 {
		t.Errorf("constants %+v", c)
	}
	if s := (*seen)[1]; !math.IsNaN(s.Y[0]) || math.Abs(s.Y[1]+math.Sqrt(.5)) > 1e-12 || !math.IsNaN(s.Y[2]) {
		t.Errorf("processed again: %v", s.Y)
	}
	add(slices.Repeat([]float64{5}, 48)...) // 50 responses: frozen
	add(5, nan)
	if got := rows(); !slices.Equal(got, []int{2}) {
		t.Errorf("after 50 responses %v rows are processed", got)
	}

	f = cdf.NewFilter(spec, "k")
	silent := slices.Repeat([]float64{nan}, 900)
	for _, want := range [][]int{{900}, {900, 900}, {900, 900}} {
		add(silent...)
		if got := rows(); !slices.Equal(got, want) {
			t.Fatalf("%v rows kept without a response, want %v", got, want)
		}
	}
	add(slices.Concat([]float64{1, 3}, silent[:898])...)
	if got := rows(); !slices.Equal(got, []int{900, 900}) {
		t.Errorf("%v rows kept", got)
	}
	if c := add(slices.Concat([]float64{100}, silent[:899])...).Scaling[0]; math.Abs(c.Center-104./3) > 1e-12 {
		t.Errorf("constants %+v of too many rows", c)
	}
	if add(7); !slices.Equal(rows(), []int{1}) {
		t.Errorf("%v rows kept for ever", rows())
	}
}

// passer tells which shards it was told to pass.
type passer struct {
	recorder
	passing *[]bool
}

func (p passer) Blocks() []cdf.Block { return []cdf.Block{p} }

func (p passer) Sample(s *cdf.Step) error {
	*p.passing = append(*p.passing, s.Passing)
	return nil
}

// Of shards that are processed again all but the last pass, and none after them.
func TestKeptShardsPass(t *testing.T) {
	var passing []bool
	spec := cdf.NewSpec("passer", "", nil, func(d cdf.Dims) (cdf.Model, error) {
		return passer{recorder{d, new([]cdf.Shard), new([]float64)}, &passing}, nil
	})
	spec.Columns, spec.Limits = cdf.Roles{Scaling: "first"}, cdf.Limits{Rows: 1000}
	f := cdf.NewFilter(spec, "k")
	for i, want := range [][]bool{{false}, {true, false}, {true, true, false}, {false}} {
		passing = nil
		y := make([]float64, 20)
		for k := range y {
			y[k] = float64(i*k%7) + float64(k)
		}
		take(t, f, batch(num("y", y...), num("x", y...)))
		if !slices.Equal(passing, want) {
			t.Errorf("shard %d: passing %v, want %v", i+1, passing, want)
		}
	}
}
