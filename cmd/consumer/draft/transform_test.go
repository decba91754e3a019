package draft

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/kind"
)

// rowsOf makes columns x, z and y of so many rows: x goes from 1 to 100 by its logarithm, z is normal, level is of three.
func rowsOf(seed uint64, rows int, y func(r *rand.Rand, x, z float64, level int) float64) []cdf.Column {
	r := rand.New(rand.NewPCG(seed, 7))
	x, z, response, level := cdf.Column{Name: "x"}, cdf.Column{Name: "z"}, cdf.Column{Name: "y"}, cdf.Column{Name: "sort", Type: cdf.Text, Levels: []string{"a", "b", "c"}}
	for range rows {
		a, b, l := math.Exp(math.Log(100)*r.Float64()), r.NormFloat64(), r.IntN(3)
		x.Number, z.Number, level.Code = append(x.Number, a), append(z.Number, b), append(level.Code, int32(l))
		response.Number = append(response.Number, y(r, a, b, l))
	}
	return []cdf.Column{x, z, level, response}
}

func sampleOf(columns []cdf.Column, rows int) *Profile {
	p := newProfile()
	p.Add("", &cdf.Batch{Rows: rows, Columns: columns})
	return p
}

// unquoted is a note without the quotes of the shell, which differ by system.
func unquoted(note string) string { return strings.NewReplacer("'", "", `"`, "").Replace(note) }

// manySamples leaves out a test with -short: each of its samples is folded a dozen times.
func manySamples(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("many samples: not with -short")
	}
}

// poissonOf draws a Poisson count.
func poissonOf(r *rand.Rand, mean float64) float64 {
	n, left := 0., mean
	for left -= r.ExpFloat64(); left > 0; left -= r.ExpFloat64() {
		n++
	}
	return n
}

type transformedSample struct {
	name, asks string
	rows       int
	y          func(r *rand.Rand, x, z float64, level int) float64
}

// transformed are draws that another form of a column explains, and the note that asks for it.
var transformed = []transformedSample{
	{"effects are factors", "--formula log(y) ~ x + z + sort", 400, func(r *rand.Rand, x, z float64, level int) float64 {
		return math.Exp(2 + .01*x + .3*z + .2*float64(level) + .5*r.NormFloat64())
	}},
	{"a feature by its logarithm", "--formula y ~ log(x) + z + sort", 400, func(r *rand.Rand, x, z float64, level int) float64 {
		return 2*math.Log(x) + .3*z + .2*float64(level) + r.NormFloat64()
	}},
	{"both", "--formula log(y) ~ log(x) + z + sort", 400, func(r *rand.Rand, x, z float64, level int) float64 {
		return math.Exp(2 + .7*math.Log(x) + .3*z + .5*r.NormFloat64())
	}},
	{"both, of which neither alone predicts better", "--formula log(y) ~ log(x) + z + sort", 400, func(r *rand.Rand, x, z float64, level int) float64 {
		return math.Exp(2 + .7*math.Log(x) + .3*z + .1*r.NormFloat64())
	}},
	{"a curve", "--formula y ~ x + poly(z, 2) + sort", 400, func(r *rand.Rand, x, z float64, level int) float64 {
		return .02*x + .3*z + .5*z*z + r.NormFloat64()
	}},
	{"counts", "with kind poisson, if y counts something: --kind poisson", 400, func(r *rand.Rand, x, z float64, level int) float64 {
		return poissonOf(r, math.Exp(1+.02*x+.3*z))
	}},
	{"an exposure", "--kind poisson --formula y ~ exposure(x) + z + sort", 400, func(r *rand.Rand, x, z float64, level int) float64 {
		return poissonOf(r, x*math.Exp(-1+.3*z+.2*float64(level)))
	}},
	{"counts by a power", "--kind poisson --formula y ~ log(x) + z + sort", 400, func(r *rand.Rand, x, z float64, level int) float64 {
		return poissonOf(r, math.Exp(1+.5*math.Log(x)+.3*z))
	}},
	{"a chance by a logarithm", "--formula y ~ log(x) + z + sort", 1500, func(r *rand.Rand, x, z float64, level int) float64 {
		if -2+math.Log(x)+.3*z+r.NormFloat64() > 0 {
			return 1
		}
		return 0
	}},
}

// asIs are draws that the draft explains as the columns came, or that no logarithm explains any better.
var asIs = []struct {
	name string
	y    func(r *rand.Rand, x, z float64, level int) float64
}{
	{"a line", func(r *rand.Rand, x, z float64, level int) float64 { return 60 + .5*x + 3*z + 10*r.NormFloat64() }},
	{"nothing", func(r *rand.Rand, x, z float64, level int) float64 { return 40 + 7*r.NormFloat64() }},
	{"heavy tails", func(r *rand.Rand, x, z float64, level int) float64 {
		return math.Max(1, 60+3*z+5*r.NormFloat64()/math.Sqrt((r.ExpFloat64()+r.ExpFloat64())/2))
	}},
	{"a hundredth far out", func(r *rand.Rand, x, z float64, level int) float64 {
		if r.IntN(100) == 0 {
			return 5000 * r.Float64()
		}
		return 60 + 3*z + 5*r.NormFloat64()
	}},
	{"a chance", func(r *rand.Rand, x, z float64, level int) float64 {
		if -1+.02*x+.3*z+r.NormFloat64() > 0 {
			return 1
		}
		return 0
	}},
}

// Of 50 samples of each all had the note that is meant, but for one of an exposure, which had a logarithm.
func TestTransformed(t *testing.T) {
	manySamples(t)
	for _, c := range transformed {
		for seed := range uint64(6) {
			_, m, text := drafted(t, sampleOf(rowsOf(seed, c.rows, c.y), c.rows))
			if !strings.HasSuffix(unquoted(m.likelier), c.asks) || !slices.Contains(m.Notes(), m.likelier) || !strings.Contains(text, "log density is higher by ") {
				t.Errorf("%s, seed %d: note %q, want %s", c.name, seed, m.likelier, c.asks)
			}
		}
	}
}

// Of 200 samples of each and of 100, 400 and 1,500 rows, one had a note: rows far out, 100 in all.
func TestNothingToTransform(t *testing.T) {
	manySamples(t)
	for _, c := range asIs {
		for _, rows := range []int{100, 400, 1500} {
			for seed := range uint64(5) {
				if _, m, _ := drafted(t, sampleOf(rowsOf(seed, rows, c.y), rows)); m.likelier != "" {
					t.Errorf("%s, %d rows, seed %d: %s", c.name, rows, seed, m.likelier)
				}
			}
		}
	}
}

// Rows with gaps, keys and names that need quotes are tried too; what the user has settled, and a draft of many features, is not.
func TestTransformedDrafts(t *testing.T) {
	const rows = 400
	c := transformed[0]
	columns := func() []cdf.Column { return rowsOf(1, rows, c.y) }
	try := func(columns []cdf.Column, keys int, w Wish) string {
		p := newProfile()
		for key := range keys {
			p.Add(fmt.Sprint(key), part(&cdf.Batch{Rows: rows, Columns: columns}, key*rows/keys, (key+1)*rows/keys))
		}
		_, m, _ := draftedAs(t, p, w)
		return unquoted(m.likelier)
	}
	gaps, quoted := columns(), columns()
	for i := 0; i < rows; i += 7 {
		gaps[0].Number[i], gaps[2].Code[(i+3)%rows], gaps[3].Number[(i+5)%rows] = math.NaN(), -1, math.NaN()
	}
	quoted[0].Name, quoted[3].Name = "unit price", "log"
	for _, c := range []struct{ got, want string }{
		{try(columns(), 1, Wish{Response: "y"}), "--formula log(y) ~ x + z + sort"},
		{try(gaps, 1, Wish{Response: "y"}), "--formula log(y) ~ x + z + C(sort, missing=level)"},
		{try(columns(), 4, Wish{Response: "y"}), "--formula log(y) ~ x + z + sort"},
		{try(quoted, 1, Wish{Response: "log"}), "--formula log(log) ~ `unit price` + z + sort"},
		{try(columns(), 1, Wish{Formula: "y ~ x + z"}), ""},
		{try(columns(), 40, Wish{Response: "y"}), ""}, // too few rows of each
	} {
		if !strings.HasSuffix(c.got, c.want) || c.want == "" && c.got != "" {
			t.Errorf("note %q, want %s", c.got, c.want)
		}
	}
	wide := columns()
	for i := range mostTriedBeside {
		z := wide[1]
		z.Name, z.Number = fmt.Sprint("z", i), slices.Clone(z.Number)
		rand.New(rand.NewPCG(uint64(i), 3)).Shuffle(rows, func(i, j int) { z.Number[i], z.Number[j] = z.Number[j], z.Number[i] })
		wide = append(wide, z)
	}
	if got := try(wide, 1, Wish{Response: "y"}); got != "" {
		t.Errorf("many features: %s", got)
	}
}

// No curve is made of a value that may mean a missing one: another note says so.
func TestStandInsAreNotTransformed(t *testing.T) {
	const rows = 400
	columns := rowsOf(1, rows, func(r *rand.Rand, x, z float64, level int) float64 { return x + .3*z + r.NormFloat64() })
	for i := 0; i < rows; i += 10 {
		columns[0].Number[i] = -999
	}
	if _, m, _ := drafted(t, sampleOf(columns, rows)); m.likelier != "" || !strings.Contains(strings.Join(m.Notes(), "\n"), "column x is -999 in 40 of 400 rows") {
		t.Errorf("%q, notes %q", m.likelier, m.Notes())
	}
}

// Parts of a time are features more where they predict better, also with errors of which each is .6 of that before. Of 40 samples each of the first four had
// the note that is meant, or of a month one of the season; the last none, nor with errors of .9, but hourly ones with a weekday once.
func TestPartsOfTimes(t *testing.T) {
	manySamples(t)
	const rows, perHour = 1000, 3600.
	for _, c := range []struct {
		name, asks string
		step       float64
		y          func(days float64) float64
	}{
		{"weekday", "weekday(at)", perDay, func(days float64) float64 { return 1.5 * weekend(days) }},
		{"hour", "C(hour(at))", perHour, func(days float64) float64 { return 1.5 * math.Sin(2*math.Pi*days) }},
		{"month", "1y, 2)|C(month(at))", perDay, func(days float64) float64 { return 2 * math.Sin(2*math.Pi*days/365) }},
		{"trend", "trend(at)", perHour, func(days float64) float64 { return days / 10 }},
		{"nothing by day", "", perDay, func(float64) float64 { return 0 }},
		{"nothing by hour", "", perHour, func(float64) float64 { return 0 }},
	} {
		for seed := range uint64(4) {
			r := rand.New(rand.NewPCG(seed, 8))
			x, y, at := cdf.Column{Name: "x"}, cdf.Column{Name: "y"}, cdf.Column{Name: "at", Type: cdf.Time}
			e := 0.
			for i := range rows {
				e = .6*e + .8*r.NormFloat64()
				days, a := c.step*float64(i)/perDay, r.NormFloat64()
				x.Number, at.Number = append(x.Number, a), append(at.Number, 1.7e9+days*perDay)
				y.Number = append(y.Number, 10+a+c.y(days)+e)
			}
			_, m, _ := drafted(t, sampleOf([]cdf.Column{x, at, y}, rows))
			asked := slices.ContainsFunc(strings.Split(c.asks, "|"), func(term string) bool { return strings.HasSuffix(unquoted(m.likelier), term) })
			if c.asks == "" && m.likelier != "" || c.asks != "" && !asked {
				t.Errorf("%s, seed %d: note %q, want %s", c.name, seed, m.likelier, c.asks)
			}
		}
	}
}

// A kind for counts that refuses the draft's columns, or the rows, is not tried.
func TestKindsThatRefuse(t *testing.T) {
	c := transformed[slices.IndexFunc(transformed, func(c transformedSample) bool { return c.name == "counts" })]
	refuses := kind.Kind{Name: "refuses", Variants: []string{"only"}, Response: kind.Count, Features: true,
		Configure: func(string, func(any) error) (any, kind.Build, error) {
			return nil, nil, errors.New("not with these columns")
		}}
	for _, kinds := range []kind.Registry{append(models.Kinds(), &refuses), slices.Insert(models.Kinds(), 0, &refuses)} {
		m, err := sampleOf(rowsOf(1, c.rows, c.y), c.rows).Suggest(kinds, Wish{Response: "y"})
		if err != nil {
			t.Fatal(err)
		}
		if m.transform(""); !strings.HasSuffix(unquoted(m.likelier), c.asks) {
			t.Errorf("note %q, want %s", m.likelier, c.asks)
		}
	}
}

// What is tried is bounded, however many levels, groups and columns there are: a draft that would take minutes is compared less, or not.
func TestTriesAreBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	const rows = 1200
	named := func(name string, levels int) cdf.Column {
		c := cdf.Column{Name: name, Type: cdf.Text}
		for l := range levels {
			c.Levels = append(c.Levels, fmt.Sprint("l", l))
		}
		for range rows {
			c.Code = append(c.Code, int32(r.IntN(levels)))
		}
		return c
	}
	y := cdf.Column{Name: "y"}
	columns := []cdf.Column{named("shop", 300)}
	for i := range 8 {
		x := cdf.Column{Name: fmt.Sprint("x", i)}
		for range rows {
			x.Number = append(x.Number, math.Exp(5*r.Float64()))
		}
		columns = append(columns, x)
	}
	for i := range rows {
		y.Number = append(y.Number, poissonOf(r, .1*columns[1].Number[i]))
	}
	for i := range 10 {
		columns = append(columns, named(fmt.Sprint("f", i), 20))
	}
	for _, w := range []Wish{{Response: "y"}, {Response: "y", Group: "shop"}, {Response: "y", Kind: "linear"}} {
		_, m, _ := draftedAs(t, sampleOf(append(slices.Clone(columns), y), rows), w)
		if m.worked > mostWork {
			t.Errorf("%+v: work %.0f, at most %d", w, m.worked, mostWork)
		}
	}
}
