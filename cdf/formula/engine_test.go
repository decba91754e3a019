package formula_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/cdf/quantity"
	"github.com/credence-stream/credence/internal/isatest"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models"
)

var update = flag.Bool("update", false, "write golden files that do not exist yet")

// spec returns a model of a kind whose columns a formula says.
func spec(t testing.TB, kind, text string) *cdf.Spec {
	t.Helper()
	f, err := formula.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return of(t, kind, f.Roles())
}

func of(t testing.TB, kind string, roles cdf.Roles) *cdf.Spec {
	t.Helper()
	k, ok := models.Kinds().Lookup(kind)
	if !ok {
		t.Fatal(kind)
	}
	s, err := k.Spec("", roles, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shards returns rows of every type, from a seed.
func shards(n, rows int) []*cdf.Batch {
	rng := rand.New(rand.NewPCG(7, 15))
	var list []*cdf.Batch
	for range n {
		b := &cdf.Batch{Rows: rows}
		number := func(name string, t cdf.ColumnType, f func() float64) {
			c := cdf.Column{Name: name, Type: t}
			for range rows {
				v := f()
				c.Number, c.Int = append(c.Number, v), append(c.Int, int64(v))
			}
			if t != cdf.Integer {
				c.Int = nil
			}
			b.Columns = append(b.Columns, c)
		}
		number("y", cdf.Integer, func() float64 { return float64(rng.IntN(20)) })
		number("x", cdf.Float, func() float64 { return 5 + 3*rng.NormFloat64() })
		number("n", cdf.Float, func() float64 { return 1 + 10*rng.Float64() })
		number("on", cdf.Bool, func() float64 { return float64(rng.IntN(2)) })
		number("at", cdf.Time, func() float64 { return float64(rng.IntN(2e9)) })
		number("shop", cdf.Integer, func() float64 { return float64(rng.IntN(4)) })
		sex := cdf.Column{Name: "sex", Type: cdf.Text, Levels: []string{"m", "f", "x"}}
		for i := range rows {
			sex.Code = append(sex.Code, int32((i+rng.IntN(2))%3))
		}
		b.Columns = append(b.Columns, sex)
		list = append(list, b)
	}
	return list
}

// state takes a filter through the shards and returns its snapshot.
func state(t testing.TB, f *cdf.Filter, list []*cdf.Batch) []byte {
	t.Helper()
	for _, b := range list {
		if _, err := f.Update(b); err != nil {
			t.Fatal(err)
		}
	}
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A formula that lists columns leads to the state of the same features, but for the
// fingerprint and the checksum: before and after the constants are fixed. The levels of a feature
// are columns to a formula, so that the same shard is remembered otherwise.
func TestListedColumnsAreFeatures(t *testing.T) {
	features := []cdf.Feature{{Name: "x"}, {Name: "sex", LevelsFirst: true}, {Name: "n"}, {Name: "on"}, {Name: "shop"}}
	for _, c := range []struct {
		kind, formula string
		roles         cdf.Roles
	}{
		{"linear", "y ~ x + sex + n + on + shop", cdf.Roles{Response: cdf.Feature{Name: "y"}, Features: features, Intercept: true}},
		{"linear", "y ~ 0 + x + n", cdf.Roles{Response: cdf.Feature{Name: "y"}, Features: []cdf.Feature{{Name: "x"}, {Name: "n"}}}},
		{"probit", "on ~ x + sex", cdf.Roles{Response: cdf.Feature{Name: "on"}, Features: features[:2], Intercept: true}},
		{"compressed", "y ~ x + n + on", cdf.Roles{Response: cdf.Feature{Name: "y"}, Features: []cdf.Feature{{Name: "x"}, {Name: "n"}, {Name: "on"}}}},
		{"anova", "y ~ (1 | sex)", cdf.Roles{Response: cdf.Feature{Name: "y"}, Groups: []cdf.Group{{Column: "sex"}}}},
		{"dlm", "y ~ 1", cdf.Roles{Response: cdf.Feature{Name: "y"}}},
		{"poisson", "y ~ x + offset(log(n)) + (1 + x | shop) + (1 | sex)", cdf.Roles{Response: cdf.Feature{Name: "y"}, Features: features[:1], Exposure: "n", Intercept: true,
			Groups: []cdf.Group{{Column: "shop", Slopes: []string{"x"}}, {Column: "sex"}}}},
	} {
		for _, n := range []int{1, 5} {
			list := shards(n, 15)
			ours := state(t, cdf.NewFilter(spec(t, c.kind, c.formula), "k"), list)
			want := state(t, cdf.NewFilter(of(t, c.kind, c.roles), "k"), list)
			as := sealed(append(bytes.Clone(want[:37]), ours[37:len(ours)-4]...))
			same := bytes.Equal
			if slices.ContainsFunc(c.roles.Features, func(f cdf.Feature) bool { return f.LevelsFirst }) {
				same = of(t, c.kind, c.roles).SameSums
			}
			if !same(as, want) {
				t.Errorf("%s, %d shards: %s is not the features written out", c.kind, n, c.formula)
			}
		}
	}
}

// The point stands for all columns but times and those of response, groups and offset.
func TestPointLeavesOutWhatServesOtherwise(t *testing.T) {
	for text, want := range map[string]string{
		"y ~ . - sex + offset(log(n)) + (1 | shop)": "[x on]",
		"y ~ . - sex + (1 | shop)":                  "[x n on]",
		"n ~ . - sex":                               "[y x on shop]",
	} {
		d, err := spec(t, "poisson", text).Columns.Formula.Begin(shards(1, 15)[0], 0, false)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range d.Features() {
			names = append(names, f.Name)
		}
		if got := fmt.Sprint(names); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

const rich = "log(y + 1) ~ sex * I(x / 2) + log(n) + C(shop):on + poly(x, 2) + season(at, 24h, 1) + weekday(at)"

// The posterior is that of the columns that the formula makes, and predictions of raw
// rows are those of these columns.
func TestPosteriorIsThatOfMadeColumns(t *testing.T) {
	list := shards(6, 20)
	s := spec(t, "linear", rich)
	f := cdf.NewFilter(s, "k")
	d, err := s.Columns.Formula.Begin(list[0], 0, false)
	if err != nil {
		t.Fatal(err)
	}
	plain := cdf.NewFilter(of(t, "linear", cdf.Roles{Response: cdf.Feature{Name: "log(y + 1)"}, Features: d.Features(), Intercept: true}), "k")
	var room any
	for _, b := range list {
		sum, err := f.Update(b)
		if err != nil {
			t.Fatal(err)
		}
		made, err := d.Derive(b, &room)
		if err != nil {
			t.Fatal(err)
		}
		want, err := plain.Update(made)
		if err != nil {
			t.Fatal(err)
		}
		rows := slices.DeleteFunc(slices.Clone(want.Rows), func(r cdf.Row) bool {
			return r.Variable == "beta[sex[T.__other__]]" // a column of zeros, known as a level by the formula alone
		})
		if fmt.Sprint(sum.Rows) != fmt.Sprint(rows) {
			t.Fatalf("%v\n%v", sum.Rows, rows)
		}
		if i := slices.IndexFunc(sum.Rows, func(r cdf.Row) bool { return r.Variable == "beta[sex[T.m]:I(x / 2)]" }); i < 0 {
			t.Fatalf("%v", sum.Rows)
		}
	}
	asked := *list[0]
	asked.Columns = asked.Columns[1:] // without a response
	got, err := f.Predict(&asked)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(got)
	made, _ := d.Derive(&asked, &room)
	if want, err := plain.Predict(made); err != nil || text != fmt.Sprint(want) {
		t.Errorf("%v: %s\n%v", err, text, want)
	}
}

// A state goes on from its snapshot as if nothing had happened, also in a workspace
// that has seen other keys, and says the same inputs.
func TestSnapshotKeepsWhatWasSettled(t *testing.T) {
	for _, text := range []string{rich, "y ~ . - at", "y ~ I(x > 5) + n", "y ~ C(sex, [m, f], other=drop) * x", "y ~ C(sex, missing=level) * x"} {
		list := shards(8, 12)
		s := spec(t, "linear", text)
		whole := state(t, cdf.NewFilter(s, "k"), list)
		w := cdf.NewWorkspace()
		other, f := w.NewFilter(s, "other"), w.NewFilter(s, "k")
		swapped := *list[0]
		swapped.Columns = slices.Clone(swapped.Columns)
		swapped.Columns[6].Levels = []string{"m", "z", "q"}
		for i, b := range list {
			if _, err := other.Update(&swapped); err != nil {
				t.Fatal(err)
			}
			part := state(t, f, []*cdf.Batch{b})
			f = w.NewFilter(s, "k")
			if err := f.UnmarshalBinary(part); err != nil {
				t.Fatal(err)
			}
			if i == len(list)-1 && !bytes.Equal(part, whole) {
				t.Errorf("%s: another state after snapshots", text)
			}
		}
		undisturbed := cdf.NewFilter(s, "k")
		state(t, undisturbed, list)
		if a, b := fmt.Sprintf("%+v", f.Inputs()), fmt.Sprintf("%+v", undisturbed.Inputs()); a != b {
			t.Errorf("%s: inputs %s, before %s", text, a, b)
		}
	}
}

// The levels that a key learnt stay its own when it was opened from its snapshot: a key that
// begins after it in the same workspace learns those of its own first shard.
func TestLevelsOfARestoredKeyAreItsOwn(t *testing.T) {
	for _, text := range []string{rich, "y ~ . - at", "y ~ sex", "y ~ C(sex, baseline=m) * x"} {
		list := shards(2, 12)
		s := spec(t, "linear", text)
		w := cdf.NewWorkspace()
		f := w.NewFilter(s, "k")
		if err := f.UnmarshalBinary(state(t, cdf.NewFilter(s, "k"), list[:1])); err != nil {
			t.Fatal(err)
		}
		state(t, f, list[1:])
		swapped := *list[0]
		swapped.Columns = slices.Clone(swapped.Columns)
		swapped.Columns[6].Levels = []string{"m", "z", "q"}
		began := []*cdf.Batch{&swapped, list[1]}
		if a, b := state(t, w.NewFilter(s, "other"), began), state(t, cdf.NewFilter(s, "other"), began); !bytes.Equal(a, b) {
			t.Errorf("%s: a key begins with the levels of another", text)
		}
	}
}

// Keys of one schema share a design where the first shard settled nothing.
func TestKeysBeginAlike(t *testing.T) {
	s := spec(t, "linear", "y ~ log(n) + I(x ** 2) + on:x")
	w, list := cdf.NewWorkspace(), shards(1, 60)
	state(t, w.NewFilter(s, "a"), list)
	second := state(t, w.NewFilter(s, "b"), list)
	if alone := state(t, cdf.NewFilter(s, "b"), list); !bytes.Equal(second, alone) {
		t.Error("a second key begins otherwise than a first")
	}
}

// Rows are counted by the column of the shard that is to blame, or by what cannot be
// computed of it.
func TestDropsNameColumns(t *testing.T) {
	nan := math.NaN()
	b := shards(1, 20)[0]
	x, n, at, shop := b.Columns[1].Number, b.Columns[2].Number, b.Columns[4].Number, &b.Columns[5]
	x[0], n[1], n[2], at[3] = nan, nan, -1, nan
	b.Columns[6].Code[4], b.Columns[6].Code[5] = -1, 2
	x[6], x[7], n[7] = 1e200, nan, nan
	shop.Number[8] = nan
	for i := range b.Columns[6].Code[6:] {
		b.Columns[6].Code[6+i] %= 2
	}
	for i := range b.Columns[6].Code[:4] {
		b.Columns[6].Code[i] = 0
	}
	s := spec(t, "poisson", "y ~ log(n) * x + weekday(at) + C(sex, [m, f], other=drop) + offset(log(I(x ** 2))) + (1 + sqrt(n) | shop)")
	f := cdf.NewFilter(s, "k")
	sum, err := f.Update(b)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, d := range sum.Drops {
		got += fmt.Sprintf("%s %s %d, ", d.Column, d.Reason, d.Rows)
	}
	if want := "I(x ** 2) undefined 1, at missing 1, log(n) undefined 1, n missing 2, sex missing 1, sex unlisted 1, shop missing 1, x missing 1, "; got != want || sum.N != 11 {
		t.Errorf("%s and %d rows, want %s", got, sum.N, want)
	}
}

// What is not finite is missing: the row is dropped, or the shard refused. Infinite
// values are refused as everywhere.
func TestMissingAndRefused(t *testing.T) {
	one := func(change func(b *cdf.Batch)) *cdf.Batch {
		b := shards(1, 20)[0]
		change(b)
		return b
	}
	for _, c := range []struct {
		formula string
		change  func(b *cdf.Batch)
		dropped int64
		says    string // of the error
	}{
		{"y ~ log(n)", func(b *cdf.Batch) { b.Columns[2].Number[3] = 0; b.Columns[2].Number[4] = -1 }, 2, ""},
		{"y ~ I(1 / n) + x", func(b *cdf.Batch) { b.Columns[2].Number[3] = 0 }, 1, ""},
		{"y ~ exp(n)", func(b *cdf.Batch) { b.Columns[2].Number[3] = 1e6 }, 1, ""},
		{"y ~ x:n", func(b *cdf.Batch) { b.Columns[2].Number[3], b.Columns[1].Number[3] = 1e200, 1e200 }, 1, ""},
		{"y ~ sex * x", func(b *cdf.Batch) { b.Columns[6].Code[0] = -1; b.Columns[1].Number[5] = math.NaN() }, 2, ""},
		{"y ~ bs(x, lower_bound=5, upper_bound=6)", func(b *cdf.Batch) {
			copy(b.Columns[1].Number, slices.Repeat([]float64{5.5}, 20))
			b.Columns[1].Number[7] = 7
		}, 1, ""},
		{"y ~ bs(x, lower_bound=5, upper_bound=6, extrapolation=raise)", func(b *cdf.Batch) {
			copy(b.Columns[1].Number, slices.Repeat([]float64{5.5}, 20))
			b.Columns[1].Number[7] = 7
		}, 0, "out of its bounds in row 8"},
		{"y ~ C(sex, [m, f], other=drop)", func(*cdf.Batch) {}, 5, ""},
		{"y ~ C(sex, [m, f], other=reject)", func(*cdf.Batch) {}, 0, `level "x" of column "sex" in row`},
		{"y ~ C(sex, [m, f])", func(*cdf.Batch) {}, 0, ""},
		{"y ~ log(n)", func(b *cdf.Batch) { b.Columns[2].Number[3] = math.Inf(1) }, 0, `column "n" is infinite in row 4`},
		{"y ~ n:x", func(b *cdf.Batch) { b.Columns[2].Number[3] = math.Inf(1) }, 0, `column "n" is infinite in row 4`},
		{"y ~ n", func(b *cdf.Batch) { b.Columns[2].Number[3] = math.Inf(-1) }, 0, `column "n" is infinite in row 4`},
		{"y ~ log(z)", func(*cdf.Batch) {}, 0, `feature column "z" is missing`},
		{"log(z) ~ x", func(*cdf.Batch) {}, 0, `response column "log(z)" is missing`},
		{"y ~ log(sex)", func(*cdf.Batch) {}, 0, `feature column "sex" holds text`},
		{"y ~ log(n)", func(b *cdf.Batch) { b.Columns[1].Name = "n" }, 0, `two columns are named "n"`},
		{"y ~ C(x)", func(*cdf.Batch) {}, 0, `holds numbers with fractions`},
		{"y ~ C(sex, [m, f])", func(b *cdf.Batch) {
			b.Columns[6] = cdf.Column{Name: "sex", Number: slices.Repeat([]float64{math.NaN()}, 20)}
		}, 20, ""},
		{"y ~ C(sex, [m, f])", func(b *cdf.Batch) {
			b.Columns[6] = cdf.Column{Name: "sex", Type: cdf.Time, Number: slices.Repeat([]float64{9e18}, 20)}
		}, 0, `column "sex" has a time without a date in row 1`},
		{"y ~ x + y", func(*cdf.Batch) {}, 0, `two columns would be named "y"`},
		{"y ~ log(n)", func(b *cdf.Batch) { b.Columns[2].Number = b.Columns[2].Number[:3] }, 0, `column "n" has 3 values for 20 rows`},
		{"y ~ sex", func(b *cdf.Batch) { b.Columns[6].Code = b.Columns[6].Code[:3] }, 0, `column "sex" has 3 values for 20 rows`},
	} {
		for _, missing := range []string{"drop", "reject"} {
			s := spec(t, "linear", c.formula)
			s.Missing = missing
			f := cdf.NewFilter(s, "k")
			_, err := f.Update(one(c.change))
			says := c.says
			if says == "" && c.dropped > 0 && missing == "reject" {
				says = "in row"
			}
			switch {
			case says != "" && (err == nil || !strings.Contains(err.Error(), says) || !errors.Is(err, cdf.ErrShard) && !errors.Is(err, cdf.ErrSchema)):
				t.Errorf("%s: want %q, got %v", c.formula, says, err)
			case says == "" && (err != nil || f.N() != 20-c.dropped):
				t.Errorf("%s: %v, %d rows of 20", c.formula, err, f.N())
			}
		}
	}
}

// A state has what a formula has settled: the levels of its factors. It loads for ever.
func TestSettledGolden(t *testing.T) {
	list, alike := shards(8, 20), isatest.SameBits(t)
	const newest = "testdata/snapshot_v4_linear_formula_levels.bin"
	s := spec(t, "linear", rich)
	f := cdf.NewFilter(s, "golden")
	snap := state(t, f, list[:7])
	if _, err := os.Stat(newest); *update && os.IsNotExist(err) {
		if err := os.WriteFile(newest, snap, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	if alike && !bytes.Equal(snap, golden) {
		t.Error("the same shards now have other bytes: raise cdf's Arithmetic, or the version")
	}
	old := cdf.NewFilter(s, "golden")
	if err := old.UnmarshalBinary(golden); err != nil {
		t.Fatal(err)
	}
	if now, then := state(t, f, list[7:]), state(t, old, list[7:]); alike && !bytes.Equal(now, then) {
		t.Error("the state goes on to another one")
	}
	// Those of before have products of columns as they are, or levels that are not alike, and are refused for that alone.
	for _, part := range []string{"v1_linear_formula", "v4_linear_formula", "v4_linear_formula_curved", "v4_linear_formula_untold", "v4_linear_formula_uneven", "v4_linear_formula_bound", "v4_linear_formula_products"} {
		before, err := os.ReadFile("testdata/snapshot_" + part + ".bin")
		if err != nil {
			t.Fatal(err)
		}
		g := cdf.NewFilter(s, "golden")
		if err := g.UnmarshalBinary(before); !errors.Is(err, cdf.ErrSnapshot) || !strings.Contains(err.Error(), "configuration") {
			t.Errorf("%s: %v", part, err)
		}
		if err := g.UnmarshalBinary(sealed(slices.Concat(before[:5], snap[5:37], before[37:len(before)-4]))); err != nil {
			t.Errorf("%s, as of this configuration: %v", part, err)
		}
	}
}

// sealed appends the checksum of a snapshot.
func sealed(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	list := shards(8, 60)
	f := cdf.NewFilter(spec(t, "linear", rich), "k")
	state(t, f, list)
	i := 0
	modeltest.NoAllocations(t, 50, func() {
		i++
		if _, err := f.Update(list[i%8]); err != nil {
			t.Fatal(err)
		}
	})
}

// A quantity that predicts is asked with the columns of the formula, as Predict is.
func TestQuantityOfAFormula(t *testing.T) {
	s := spec(t, "linear", "y ~ log(n) * sex")
	s.Publish.Quantities = []quantity.Quantity{
		{Name: "at 3", Kind: quantity.KindPrediction, Cells: []quantity.Cell{{Column: "n", Text: "3"}, {Column: "sex", Text: "m"}}},
		{Name: "nowhere", Kind: quantity.KindPrediction, Cells: []quantity.Cell{{Column: "n", Text: "3"}}},
	}
	f := cdf.NewFilter(s, "k")
	var sum *cdf.Summary
	for _, b := range shards(4, 20) {
		var err error
		if sum, err = f.Update(b); err != nil {
			t.Fatal(err)
		}
	}
	got := sum.Rows[0]
	if told := sum.Quantities; got.Variable != "at 3" || told[0].Absent != "" || !strings.Contains(told[1].Absent, "sex is missing") {
		t.Fatalf("%+v, %+v", told, got)
	}
	row := &cdf.Batch{Rows: 1, Columns: []cdf.Column{
		{Name: "n", Number: []float64{3}}, {Name: "sex", Type: cdf.Text, Code: []int32{0}, Levels: []string{"m"}},
	}}
	mean := got.Mean // of the summary, which the next call writes over
	want, err := f.Predict(row)
	if err != nil || want[0].Mean != mean {
		t.Errorf("%v, %v; want %+v", err, mean, want)
	}
}
