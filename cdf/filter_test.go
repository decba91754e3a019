package cdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

func num(name string, v ...float64) cdf.Column {
	return cdf.Column{Name: name, Type: cdf.Float, Number: v}
}

func whole(name string, v ...int64) cdf.Column {
	c := cdf.Column{Name: name, Type: cdf.Integer, Int: v}
	for _, i := range v {
		c.Number = append(c.Number, float64(i))
	}
	return c
}

func when(name string, seconds ...float64) cdf.Column {
	return cdf.Column{Name: name, Type: cdf.Time, Number: seconds}
}

// words is text of one row.
func words(name, level string) cdf.Column {
	return cdf.Column{Name: name, Type: cdf.Text, Code: []int32{0}, Levels: []string{level}}
}

// text makes a column of single-letter levels; "-" is null.
func text(name string, v ...string) cdf.Column {
	c := cdf.Column{Name: name, Type: cdf.Text}
	for _, s := range v {
		at := slices.Index(c.Levels, s)
		if s != "-" && at < 0 {
			at, c.Levels = len(c.Levels), append(c.Levels, s)
		}
		c.Code = append(c.Code, int32(at))
	}
	return c
}

func batch(columns ...cdf.Column) *cdf.Batch {
	return &cdf.Batch{Rows: max(len(columns[0].Number), len(columns[0].Code)), Columns: columns}
}

// take takes a filter through batches and returns its summary of the last.
func take(t testing.TB, f *cdf.Filter, batches ...*cdf.Batch) (sum *cdf.Summary) {
	t.Helper()
	for _, b := range batches {
		var err error
		if sum, err = f.Update(b); err != nil {
			t.Fatal(err)
		}
	}
	return sum
}

func state(t testing.TB, f *cdf.Filter) []byte {
	t.Helper()
	b, err := f.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// loaded returns the filter with a state.
func loaded(t testing.TB, f *cdf.Filter, state []byte) *cdf.Filter {
	t.Helper()
	if err := f.UnmarshalBinary(state); err != nil {
		t.Fatal(err)
	}
	return f
}

// recorder is a model that keeps what it was shown.
type recorder struct {
	dims   cdf.Dims
	shards *[]cdf.Shard
	forget *[]float64
}

func (r recorder) Params() []cdf.Param                   { return []cdf.Param{{Name: "beta", Len: len(r.dims.Columns)}} }
func (r recorder) Check(*cdf.Shard) error                { return nil }
func (r recorder) Blocks() []cdf.Block                   { return []cdf.Block{r} }
func (r recorder) Sample(*cdf.Step) error                { return nil }
func (r recorder) AppendBinary(b []byte) ([]byte, error) { return b, nil }
func (r recorder) UnmarshalBinary([]byte) error          { return nil }
func (r recorder) PriorSD([]cdf.Functional, []float64)   {}
func (r recorder) Summarize(list []cdf.Functional, rows []cdf.Row) error {
	for i := range rows {
		v := float64(i)
		rows[i].Mean, rows[i].SD, rows[i].Median = v, 1, v
		rows[i].Q025, rows[i].Q05, rows[i].Q25, rows[i].Q75, rows[i].Q95, rows[i].Q975 = v, v, v, v, v, v
	}
	return nil
}

func (r recorder) Absorb(s *cdf.Step) {
	sh := *s.Shard
	sh.X, sh.Y, sh.Time, sh.Offset = slices.Clone(sh.X), slices.Clone(sh.Y), slices.Clone(sh.Time), slices.Clone(sh.Offset)
	sh.Group, sh.Slopes = slices.Clone(sh.Group), slices.Clone(sh.Slopes)
	for i := range sh.Group {
		sh.Group[i] = slices.Clone(sh.Group[i])
	}
	*r.shards = append(*r.shards, sh)
	*r.forget = append(*r.forget, s.Forget)
}

// recording returns a spec without scaling whose model records.
func recording(roles cdf.Roles) (*cdf.Spec, *[]cdf.Shard, *[]float64) {
	shards, forget := new([]cdf.Shard), new([]float64)
	s := cdf.NewSpec("recorder", "", nil, func(d cdf.Dims) (cdf.Model, error) { return recorder{d, shards, forget}, nil })
	s.Columns, s.Draws, s.Limits = roles, 0, cdf.Limits{Rows: 1000, Columns: 20, Groups: 3}
	return s, shards, forget
}

func TestDesignRefusals(t *testing.T) {
	wide := batch(num("y", 1))
	for i := range 20 {
		wide.Columns = append(wide.Columns, num(fmt.Sprint("x", i), 1))
	}
	inf := math.Inf(1)
	center := cdf.Roles{Features: []cdf.Feature{{Name: "x", Levels: []string{"a", "b"}, Other: "reject"}}}
	for _, c := range []struct {
		name  string
		roles cdf.Roles
		b     *cdf.Batch
		want  error
		says  string
	}{
		{"no rows", cdf.Roles{}, &cdf.Batch{Columns: []cdf.Column{num("y")}}, cdf.ErrShard, "no rows"},
		{"too many rows", cdf.Roles{}, batch(num("y", make([]float64, 1001)...)), cdf.ErrShard, "limit is 1000"},
		{"no response", cdf.Roles{}, batch(num("z", 1)), cdf.ErrSchema, `"y" is missing`},
		{"text response", cdf.Roles{}, batch(text("y", "a")), cdf.ErrSchema, "text"},
		{"twice", cdf.Roles{}, batch(num("y", 1), num("x", 1), num("x", 2)), cdf.ErrSchema, `"x"`},
		{"wide", cdf.Roles{}, wide, cdf.ErrSchema, "limit is 20"},
		{"infinite", cdf.Roles{}, batch(num("y", 1, 2), num("x", 1, inf)), cdf.ErrShard, `"x" is infinite in row 2`},
		{"infinite response", cdf.Roles{}, batch(num("y", 1, -inf)), cdf.ErrShard, `"y" is infinite in row 2`},
		{"missing feature", cdf.Roles{Features: []cdf.Feature{{Name: "w"}}}, batch(num("y", 1)), cdf.ErrSchema, `"w" is missing`},
		{"text feature", cdf.Roles{Features: []cdf.Feature{{Name: "x"}}}, batch(num("y", 1), text("x", "a")), cdf.ErrSchema, "text"},
		{"unlisted level", center, batch(num("y", 1, 2), text("x", "a", "c")), cdf.ErrShard, `level "c" of column "x" in row 2`},
		{"levels of numbers", center, batch(num("y", 1), num("x", 1)), cdf.ErrSchema, "fractions"},
		{"intercept twice", cdf.Roles{Intercept: true}, batch(num("y", 1), num("intercept", 1)), cdf.ErrSchema, "intercept"},
		{"groups", cdf.Roles{Groups: []cdf.Group{{Column: "g"}}}, batch(num("y", 1, 1, 1, 1), whole("g", 1, 2, 3, 4)), cdf.ErrShard, "more than 3 groups"},
		{"exposure", cdf.Roles{Exposure: "e"}, batch(num("y", 1), num("e", 0)), cdf.ErrShard, "not positive in row 1"},
		{"short column", cdf.Roles{}, batch(num("y", 1, 2), num("x", 1)), cdf.ErrShard, "1 values for 2 rows"},
	} {
		spec, seen, _ := recording(c.roles)
		f := cdf.NewFilter(spec, "k")
		empty := state(t, f)
		_, err := f.Update(c.b)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %v saying %q", c.name, err, c.want, c.says)
		}
		if after, _ := f.AppendBinary(nil); !bytes.Equal(after, empty) || len(*seen) != 0 {
			t.Errorf("%s: the refused shard left a trace", c.name)
		}
	}
}

func TestDesign(t *testing.T) {
	nan := math.NaN()
	roles := cdf.Roles{
		Features: []cdf.Feature{{Name: "x"}, {Name: "c", LevelsFirst: true}, {Name: "d", Levels: []string{"7", "8"}, Baseline: "8", Other: "drop"}},
		Groups:   []cdf.Group{{Column: "g", Slopes: []string{"x"}}}, Exposure: "e", Time: "s", Intercept: true,
	}
	spec, shards, _ := recording(roles)
	var dims cdf.Dims
	inner := spec.New
	spec.New = func(d cdf.Dims) (cdf.Model, error) { dims = d; return inner(d) }
	f := cdf.NewFilter(spec, "k")
	sum, err := f.Update(batch(
		text("c", "v", "u", "w", "u", "-", "u", "u"), num("x", 1, 2, 3, 4, 5, nan, 7), num("y", 10, nan, 30, 40, 50, 60, 70),
		whole("d", 7, 8, 7, 9, 7, 7, 7), text("g", "p", "q", "p", "p", "p", "p", "-"), num("e", 1, math.E, 1, 1, 1, 1, 1), whole("s", 1, 2, 3, 4, 5, 6, 7),
	))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"intercept", "x", "c=v", "c=w", "c=__other__", "d=7"}; !slices.Equal(dims.Columns, want) {
		t.Fatalf("columns %q, want %q", dims.Columns, want)
	}
	sh := (*shards)[0]
	want := []float64{
		1, 1, 1, 0, 0, 1,
		1, 2, 0, 0, 0, 0,
		1, 3, 0, 1, 0, 1,
	}
	if !slices.Equal(sh.X, want) || sh.Rows != 3 || sum.Dropped != 4 || sum.N != 2 {
		t.Errorf("rows %d, dropped %d, absorbed %d, X %g", sh.Rows, sum.Dropped, sum.N, sh.X)
	}
	if !slices.Equal(sh.Group[0], []int32{0, -1, 0}) || !slices.Equal(sh.Slopes[0], []float64{1, 2, 3}) ||
		!slices.Equal(sh.Offset, []float64{0, 1, 0}) || !slices.Equal(sh.Time, []int64{1, 2, 3}) {
		t.Errorf("group %v slopes %v offset %v time %v", sh.Group, sh.Slopes, sh.Offset, sh.Time)
	}
	// Later: levels by name whatever the dictionary, an unlisted one to
	// __other__, a group that appeared without a response now joins.
	if _, err = f.Update(batch(
		num("y", 1, 2), num("x", 1, 1), text("c", "zz", "w"), text("d", "7", "7"),
		text("g", "q", "p"), num("e", 1, 1), whole("s", 7, 8),
	)); err != nil {
		t.Fatal(err)
	}
	sh = (*shards)[1]
	if !slices.Equal(sh.X, []float64{1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1}) || !slices.Equal(sh.Group[0], []int32{1, 0}) {
		t.Errorf("second shard: X %g group %v", sh.X, sh.Group)
	}
	// Dates are groups, and steps of a day.
	if _, err = f.Update(batch(
		num("y", 1, 2), num("x", 1, 1), text("c", "v", "w"), text("d", "7", "7"),
		when("g", 15_000*86_400, 15_000*86_400), num("e", 1, 1), when("s", 9*86_400, 10*86_400),
	)); err != nil {
		t.Fatal(err)
	}
	if sh = (*shards)[2]; !slices.Equal(sh.Group[0], []int32{2, 2}) || !slices.Equal(sh.Time, []int64{9, 10}) {
		t.Errorf("dates: group %v time %v", sh.Group, sh.Time)
	}
	if _, err := f.Update(batch(
		num("y", 1), num("x", 1), text("c", "v"), text("d", "7"), text("g", "2011-01-26"), num("e", 1), when("s", 9*86_400+1),
	)); !errors.Is(err, cdf.ErrShard) || !strings.Contains(err.Error(), "time of day in row 1") {
		t.Errorf("a time of day as a step: %v", err)
	}
	if _, err := f.Update(batch(
		num("y", 1), num("x", 1), text("c", "v"), text("d", "7"), words("g", "2011-01-26"), num("e", 1), when("s", 11*86_400),
	)); err != nil || !slices.Equal((*shards)[3].Group[0], []int32{2}) {
		t.Errorf("a date as text is the same group: %v, %v", (*shards)[3].Group, err)
	}
	// The same names with other types are another schema.
	if _, err := f.Update(batch(
		num("y", 1), num("x", 1), num("c", 1), text("d", "7"), text("g", "q"), num("e", 1), whole("s", 7),
	)); !errors.Is(err, cdf.ErrSchema) {
		t.Errorf("numbers where levels were: %v", err)
	}
	rejecting, _, _ := recording(cdf.Roles{})
	rejecting.Missing = "reject"
	if _, err := cdf.NewFilter(rejecting, "k").Update(batch(num("y", 1, 2), num("x", 1, nan))); !errors.Is(err, cdf.ErrShard) || !strings.Contains(err.Error(), "row 2") {
		t.Errorf("missing: reject gave %v", err)
	}
}

func TestDefaultFeatures(t *testing.T) {
	spec, _, _ := recording(cdf.Roles{Response: cdf.Feature{Name: "r"}, Groups: []cdf.Group{{Column: "g"}}, Time: "s"})
	var dims cdf.Dims
	inner := spec.New
	spec.New = func(d cdf.Dims) (cdf.Model, error) { dims = d; return inner(d) }
	flag := cdf.Column{Name: "flag", Type: cdf.Bool, Number: []float64{1}}
	take(t, cdf.NewFilter(spec, "k"), batch(num("b", 1), text("t", "a"), when("when", 1e9), whole("s", 1), num("r", 1), flag, whole("g", 1), whole("a", 1)))
	if want := []string{"b", "flag", "a"}; !slices.Equal(dims.Columns, want) {
		t.Errorf("features %q, want %q", dims.Columns, want)
	}
}

func TestClocks(t *testing.T) {
	for _, c := range []struct {
		clock cdf.Clock
		want  []float64
		neff  float64
	}{
		{cdf.Clock{Unit: "shard"}, []float64{.5, .5, .5, .5}, 2*.125 + 1*.25 + .5 + 1},
		{cdf.Clock{Unit: "row"}, []float64{.25, .5, .5, .5}, 2*.125 + 1*.25 + .5 + 1},
		{cdf.Clock{Unit: "duration", Millis: 1000}, []float64{1, .25, 1, .5}, (2*.25+1+1)*.5 + 1},
	} {
		spec, _, forget := recording(cdf.Roles{})
		spec.Forget, spec.ForgetPer = .5, c.clock
		f := cdf.NewFilter(spec, "k")
		var sum *cdf.Summary
		for i, b := range []*cdf.Batch{batch(num("y", 1, 2)), batch(num("y", 1)), batch(num("y", 1)), batch(num("y", 1))} {
			b.Time = [...]int64{5000, 7000, 6000, 8000}[i] // the third is late: no time passes
			var err error
			if sum, err = f.Update(b); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(*forget, c.want) || sum.NEff != c.neff {
			t.Errorf("%+v: discounts %g n_eff %g, want %g and %g", c.clock, *forget, sum.NEff, c.want, c.neff)
		}
	}
}

func TestPublish(t *testing.T) {
	spec := cdftest.Line()
	spec.Publish.Variables = []string{"beta[x*"}
	spec.Publish.Covariance = true
	f := cdf.NewFilter(spec, "k")
	sum := take(t, f, cdftest.LineShards(1, 1)[0])
	if len(sum.Rows) != 1 || sum.Rows[0].Variable != "beta[x]" || len(sum.Covariance) != 1 || math.Abs(sum.Covariance[0]-sum.Rows[0].SD*sum.Rows[0].SD) > 1e-12 {
		t.Errorf("%+v", sum)
	}
	// One row says nothing about a slope, nor about the intercept far from it.
	one := cdf.NewFilter(cdftest.Line(), "k")
	if sum, err := one.Update(batch(num("x", 3), num("y", 2))); err != nil || !slices.Equal(sum.PriorDominated, []string{"beta[intercept]", "beta[x]"}) {
		t.Errorf("prior dominated %q, error %v", sum.PriorDominated, err)
	}
	sum = take(t, f, cdftest.LineShards(1, 40)...)
	if len(sum.PriorDominated) != 0 {
		t.Errorf("prior dominated after %d rows: %q", sum.N, sum.PriorDominated)
	}
}

// TestSampledSummary checks what a model that draws can and cannot say.
func TestSampledSummary(t *testing.T) {
	f := cdf.NewFilter(cdftest.Levels(), "k")
	shards := cdftest.LevelShards(1, 40)
	var published string
	for _, b := range shards {
		sum := take(t, f, b)
		if d := f.LastDraws(); sum.Draws != 102 || d.S != 102 || d.Chains != 2 { // 101, rounded up to two chains
			t.Fatalf("%d draws, %+v", sum.Draws, d)
		}
		published = fmt.Sprintf("%+v", *sum)
	}
	if f.SelfDescribing() {
		t.Error("a sampled model cannot describe itself")
	}
	if _, err := f.Update(&cdf.Batch{}); !errors.Is(err, cdf.ErrSchema) && !errors.Is(err, cdf.ErrShard) {
		t.Errorf("an empty batch gave %v", err)
	}
	if sum, err := f.Summary(); err != nil || fmt.Sprintf("%+v", *sum) != published {
		t.Errorf("after a refused shard the summary is\n%+v (%v), want\n%s", sum, err, published)
	}
	if f.LastDraws() != nil {
		t.Error("draws outlived the next call")
	}
	snap := state(t, f)
	take(t, f, shards[0])
	if err := f.UnmarshalBinary(snap); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Summary(); !errors.Is(err, errors.ErrUnsupported) || f.LastDraws() != nil {
		t.Errorf("a restored sampled model gave %v, draws %v", err, f.LastDraws())
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	shards := cdftest.LineShards(1, 60)
	f := cdf.NewFilter(cdftest.Line(), "a key")
	take(t, f, shards...)
	var snap []byte
	i := 0
	n := testing.AllocsPerRun(200, func() {
		i++
		take(t, f, shards[i%len(shards)])
		var err error
		if snap, err = f.AppendBinary(snap[:0]); err != nil {
			t.Fatal(err)
		}
	})
	if n > 0 {
		t.Errorf("%g allocations per shard", n)
	}
}

func BenchmarkUpdate(b *testing.B) {
	shards := cdftest.LineShards(1, 60)
	f := cdf.NewFilter(cdftest.Line(), "a key")
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		take(b, f, shards[i%len(shards)])
		i++
	}
}
