package collinear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
)

// sample makes rows of a key; a column of text has its labels in value.
type sample struct {
	rows    int
	columns []cdf.Column
}

func (s *sample) number(name string, value func(i int) float64) *sample {
	c := cdf.Column{Name: name}
	for i := range s.rows {
		c.Number = append(c.Number, value(i))
	}
	s.columns = append(s.columns, c)
	return s
}

func (s *sample) text(name string, value func(i int) string) *sample {
	c := cdf.Column{Name: name, Type: cdf.Text}
	for i := range s.rows {
		v := value(i)
		at := slices.Index(c.Levels, v)
		if v != "" && at < 0 {
			at = len(c.Levels)
			c.Levels = append(c.Levels, v)
		}
		c.Code = append(c.Code, int32(at))
	}
	s.columns = append(s.columns, c)
	return s
}

// roles are those of all columns but y.
func (s *sample) roles() *cdf.Roles {
	r := &cdf.Roles{Response: cdf.Feature{Name: "y"}, Features: []cdf.Feature{}, Intercept: true}
	for _, c := range s.columns {
		f := cdf.Feature{Name: c.Name, LevelsFirst: c.Type == cdf.Text}
		if c.Name != "y" {
			r.Features = append(r.Features, f)
		}
	}
	return r
}

// add adds the rows in shards, which may lack nothing that others have.
func (s *sample) add(r *Rows, key string) {
	r.Add(key, &cdf.Batch{Rows: s.rows, Columns: s.columns})
}

func words(all []Found) (text string) {
	for i := range all {
		text += all[i].Column + " " + all[i].Words() + "\n"
	}
	return text
}

func numbers(seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 15))
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

var (
	cities  = []string{"oslo", "bergen", "kiel", "jena", "graz"}
	regions = []string{"north", "north", "mid", "mid", "south"}
)

// What follows is found, with what it follows from; what only nearly follows, or follows by
// chance, is not.
func TestWhatFollows(t *testing.T) {
	const n = 200
	a, b, c := numbers(1, n), numbers(2, n), numbers(3, n)
	cents := func(v float64) float64 { return math.Round(v*100) / 100 }
	gross := func(i int) float64 { return cents(100 + 20*a[i]) }
	city := func(i int) int { return (i*i + i/7 + 4) % 5 } // 4 in the first row
	of := func() *sample { return &sample{rows: n} }
	for name, x := range map[string]struct {
		sample *sample
		want   string
	}{
		"nested factors": {
			of().text("region", func(i int) string { return regions[city(i)] }).text("city", func(i int) string { return cities[city(i)] }).number("a", func(i int) float64 { return a[i] }),
			"region follows from city, each value of which has one region, in all 200 rows looked at\n",
		},
		"names of the same": {
			of().text("code", func(i int) string { return fmt.Sprint("c", city(i)) }).text("city", func(i int) string { return cities[city(i)] }),
			"city follows from code, each value of which has one city, in all 200 rows looked at\n",
		},
		"a number of a level": {
			of().number("size", func(i int) float64 { return 10.5 * float64(city(i)) }).text("city", func(i int) string { return cities[city(i)] }),
			"size follows from city, each value of which has one size, in all 200 rows looked at\n",
		},
		"a multiple": {
			of().number("gross", gross).number("net", func(i int) float64 { return gross(i) / 1.19 }),
			"net follows from gross (0.8403 gross), in all 200 rows looked at\n",
		},
		"a rounded multiple": {
			of().number("gross", gross).number("net", func(i int) float64 { return cents(gross(i) / 1.19) }),
			"net follows from gross (0.84 gross, rounded), in all 200 rows looked at\n",
		},
		"a sum": {
			of().number("a", func(i int) float64 { return a[i] }).number("b", func(i int) float64 { return b[i] }).
				number("c", func(i int) float64 { return c[i] }).number("total", func(i int) float64 { return a[i] + b[i] - 2*c[i] + 5 }),
			"total follows from a, b and c (a + b - 2 c + 5), in all 200 rows looked at\n",
		},
		"far from 0": {
			of().number("a", func(i int) float64 { return 1e9 + a[i] }).number("b", func(i int) float64 { return 1e9 + b[i] }).number("d", func(i int) float64 { return a[i] - b[i] }),
			"d follows from a and b (a - b), in all 200 rows looked at\n",
		},
		"two factors and a number": {
			of().text("city", func(i int) string { return cities[city(i)] }).text("day", func(i int) string { return fmt.Sprint(i % 7) }).
				number("index", func(i int) float64 { return float64(city(i)*city(i)) + 3*float64(i%7) }),
			"index follows from city and day, in all 200 rows looked at\n",
		},
		"gaps are a level":       {of().text("city", func(i int) string { return cities[city(i)] }).text("region", func(i int) string { return []string{"", "x", "x", "z", "z"}[city(i)] }), "region follows from city, each value of which has one region, in all 200 rows looked at\n"},
		"a correlation of .999":  {of().number("a", func(i int) float64 { return a[i] }).number("b", func(i int) float64 { return a[i] + .04*b[i] }), ""},
		"nearly, in integers":    {of().number("a", func(i int) float64 { return math.Round(5 * a[i]) }).number("b", func(i int) float64 { return math.Round(5*a[i] + .3*b[i]) }), ""},
		"all but one row":        {of().text("city", func(i int) string { return cities[city(i)] }).text("region", func(i int) string { return regions[city(i)*btoi(i > 0)] }), ""},
		"crossed factors":        {of().text("city", func(i int) string { return cities[city(i)] }).text("day", func(i int) string { return fmt.Sprint(i % 7) }), ""},
		"rare flags that agree":  {of().number("a", func(i int) float64 { return float64(btoi(i == 7)) }).number("b", func(i int) float64 { return float64(btoi(i == 7)) }), ""},
		"flags that often agree": {of().number("a", func(i int) float64 { return float64(btoi(a[i] > 0)) }).number("b", func(i int) float64 { return float64(btoi(a[i] > 0)) }), "b follows from a (a), in all 200 rows looked at\n"},
		"few rows":               {(&sample{rows: 11}).number("a", func(i int) float64 { return a[i] }).number("b", func(i int) float64 { return 2 * a[i] }), ""},
	} {
		r := new(Rows)
		x.sample.add(r, "k")
		if got := words(r.Find(x.sample.roles(), "level")); got != x.want {
			t.Errorf("%s: %q, want %q", name, got, x.want)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// What follows within each key alone is found there; in a key where it does not, that counts.
func TestWhatFollowsWithinKeys(t *testing.T) {
	for name, c := range map[string]struct {
		tax  []float64
		want string
	}{
		"another rate each":  {[]float64{1.19, 1.25, 1.07}, "net follows from gross, within each of the 3 keys looked at\n"},
		"not in one of them": {[]float64{1.19, 1.25, 0}, "net follows from gross, within 2 of the 3 keys looked at\n"},
		"in none":            {[]float64{0, 0, 0}, ""},
		"the same in all":    {[]float64{1.25, 1.25, 1.25}, "net follows from gross (0.8 gross), in all 120 rows looked at\n"},
	} {
		r := new(Rows)
		var roles *cdf.Roles
		for k, tax := range c.tax {
			gross, noise := numbers(uint64(k), 40), numbers(uint64(9+k), 40)
			s := (&sample{rows: 40}).number("gross", func(i int) float64 { return gross[i] }).number("net", func(i int) float64 {
				if tax == 0 {
					return noise[i]
				}
				return gross[i] / tax
			})
			s.add(r, fmt.Sprint("k", k))
			roles = s.roles()
		}
		if got := words(r.Find(roles, "level")); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Rows that the model drops do not count, those with a gap of a factor only where a gap is no level.
func TestRowsThatAreDropped(t *testing.T) {
	const n = 60
	a, b := numbers(1, n), numbers(2, n)
	s := (&sample{rows: n}).number("y", func(i int) float64 { return []float64{1, 2, 3, math.NaN()}[i%4] }).
		number("a", func(i int) float64 { return a[i] }).
		number("b", func(i int) float64 { return a[i] + b[i]*float64(btoi(i%4 == 3)) }). // only where there is no response
		text("city", func(i int) string { return []string{"x", "z", ""}[i%3] }).
		text("region", func(i int) string { return []string{"north", "south", fmt.Sprint(i % 5)}[i%3] })
	r := new(Rows)
	s.add(r, "k")
	for missing, want := range map[string]string{
		"level": "b follows from a (a), in all 45 rows looked at\ncity follows from region, each value of which has one city, in all 45 rows looked at\n",
		"drop":  "region follows from city, each value of which has one region, in all 30 rows looked at\n",
	} {
		got := words(r.Find(s.roles(), missing))
		if missing == "drop" && !strings.Contains(got, want) || missing == "level" && !strings.Contains(got, "b follows from a (a), in all 45 rows") {
			t.Errorf("%s: %q, want %q", missing, got, want)
		}
	}
}

// Of a formula it is the columns that it makes which follow, each term for itself.
func TestTermsOfAFormula(t *testing.T) {
	const n = 200
	a := numbers(1, n)
	s := (&sample{rows: n}).number("y", func(i int) float64 { return float64(i % 3) }).
		number("gross", func(i int) float64 { return math.Exp(a[i]) }).number("net", func(i int) float64 { return math.Exp(a[i]) / 1.25 }).
		text("city", func(i int) string { return cities[i*i%5] }).text("region", func(i int) string { return regions[i*i%5] })
	r := new(Rows)
	s.add(r, "k")
	for text, want := range map[string]string{
		"y ~ gross + net":           "net follows from gross (0.8 gross), in all 200 rows looked at\n",
		"y ~ log(gross) + net":      "",
		"y ~ log(gross) + log(net)": "log(net) follows from log(gross) (log(gross) - 0.2231), in all 200 rows looked at\n",
		"y ~ region + C(city)":      "region follows from C(city), each value of which has one region, in all 200 rows looked at\n",
		"y ~ region * gross":        "",
	} {
		f, err := formula.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		roles := f.Roles()
		if got := words(r.Find(&roles, "level")); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// Columns may come late, in several types, and in more rows than are kept.
func TestRowsAreKeptAsTheyCome(t *testing.T) {
	r := new(Rows)
	a := numbers(1, 100)
	first := (&sample{rows: 40}).number("a", func(i int) float64 { return a[i] }).text("t", func(i int) string { return fmt.Sprint(i % 2) })
	second := (&sample{rows: 60}).number("t", func(int) float64 { return 1 }).number("b", func(i int) float64 { return 2 * a[40+i] }).number("a", func(i int) float64 { return a[40+i] })
	first.add(r, "k")
	second.add(r, "k")
	first.add(r, "k")
	if len(r.columns) != 2 || len(r.columns[0].Number) != 140 || len(r.columns[1].Number) != 140 {
		t.Fatalf("%+v", r.columns)
	}
	if got, want := words(r.Find(second.roles(), "level")), "a follows from b (0.5 b), in all 60 rows looked at\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for range mostCells/120 + 1 {
		second.add(r, "k")
	}
	if n := len(r.keys) * len(r.columns); n > mostCells {
		t.Errorf("%d cells", n)
	}
}

// Of unrelated columns nothing is said. A claim is wrong with a probability of a millionth at most, and
// 1,000 samples of 8 columns, in all rows and in three keys, are 32,000 claims: a sound rule fails for one
// seed of 30 at most.
func TestUnrelatedColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 2026))
	for range 1000 {
		r, n, levels := new(Rows), 15+rng.IntN(60), 2+rng.IntN(12)
		rare := rng.Float64() * .1
		var roles *cdf.Roles
		for key := range 3 {
			s := (&sample{rows: n}).number("x", func(int) float64 { return rng.NormFloat64() }).number("n", func(int) float64 { return float64(rng.IntN(3)) })
			for _, name := range []string{"f", "g", "h"} {
				s.text(name, func(int) string { return fmt.Sprint(rng.IntN(levels)) }).number(name+"1", func(int) float64 { return float64(btoi(rng.Float64() < rare)) })
			}
			s.add(r, fmt.Sprint(key))
			roles = s.roles()
		}
		if got := words(r.Find(roles, "level")); got != "" {
			t.Errorf("%d rows, %d levels, %.3f: %s", n, levels, rare, got)
		}
	}
}
