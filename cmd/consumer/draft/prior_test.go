package draft

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/models"
)

// made is a table of random rows.
type made struct {
	rows   int
	noise  float64
	effect [3]float64 // of a, b and of a level that one row in rare has
	rare   int
	sort   string // "", y or a
}

// columns are a, b, level and y.
func (m made) columns(seed uint64) []cdf.Column {
	r := rand.New(rand.NewPCG(seed, 96))
	type row struct {
		a, b, y float64
		rare    bool
	}
	var all []row
	for i := range m.rows {
		x := row{a: 50 + 10*r.NormFloat64(), b: 1e-3 * r.NormFloat64(), rare: m.rare > 0 && i%m.rare == m.rare-1}
		x.y = 1000 + m.effect[0]*x.a + m.effect[1]*x.b + m.noise*r.NormFloat64()
		if x.rare {
			x.y += m.effect[2]
		}
		all = append(all, x)
	}
	by := map[string]func(row) float64{"y": func(x row) float64 { return x.y }, "a": func(x row) float64 { return x.a }}[m.sort]
	if by != nil {
		slices.SortFunc(all, func(x, y row) int { return cmp.Compare(by(x), by(y)) })
	}
	a, b, level, y := cdf.Column{Name: "a"}, cdf.Column{Name: "b"}, cdf.Column{Name: "level", Type: cdf.Text, Levels: []string{"often", "rare"}}, cdf.Column{Name: "y"}
	for _, x := range all {
		a.Number, b.Number, y.Number = append(a.Number, x.a), append(b.Number, x.b), append(y.Number, x.y)
		code := int32(0)
		if x.rare {
			code = 1
		}
		level.Code = append(level.Code, code)
	}
	if m.rare == 0 {
		return []cdf.Column{a, b, y}
	}
	return []cdf.Column{a, b, level, y}
}

// drafted is the configuration that a file of these columns gets, sent in shards of 20 rows.
func drafted(t *testing.T, p *Profile) (*cdf.Spec, *Model, string) {
	t.Helper()
	return draftedAs(t, p, Wish{Response: "y"})
}

func draftedAs(t *testing.T, p *Profile, w Wish) (*cdf.Spec, *Model, string) {
	t.Helper()
	a := &app.App{Kinds: models.Kinds()}
	f := draftFlags{input: "rows.csv", by: "try", shard: 20, records: config.Input{Format: config.FormatArrow}, wish: w}
	if err := f.settle(a.Kinds); err != nil {
		t.Fatal(err)
	}
	text, m, err := f.draft(a, &look{profile: p})
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := config.Parse(config.Source{Kinds: a.Kinds, File: "the draft"}, text)
	if err != nil {
		t.Fatal(err)
	}
	return c.Models[0].Spec, m, string(text)
}

// TestADraftLearnsWhatLeastSquaresSay: within a fifth of a standard error, and of the width,
// whatever defaults would make of the rows; and the defaults stay where they do as well.
func TestADraftLearnsWhatLeastSquaresSay(t *testing.T) {
	for _, c := range []struct {
		name string
		made
		own bool
	}{
		{"ordinary", made{rows: 500, noise: 30, effect: [3]float64{2, 1e4}}, false},
		{"nothing but noise", made{rows: 500, noise: 30}, false},
		{"ordinary, with a level", made{rows: 500, noise: 30, effect: [3]float64{2, 1e4, 20}, rare: 5}, false},
		{"few rows and little noise", made{rows: 12, noise: .1, effect: [3]float64{2, 1e4}}, true},
		{"as few as may be", made{rows: 9, noise: 3, effect: [3]float64{2, 1e4}}, true},
		{"few rows, all noise", made{rows: 12, noise: 3}, false},
		{"hundreds of rows and hardly any noise", made{rows: 400, noise: .3, effect: [3]float64{30, 5e3}}, true},
		{"no noise", made{rows: 60, effect: [3]float64{2, 1e4}}, true},
		{"sorted by the response", made{rows: 800, noise: 10, effect: [3]float64{20, 1e4}, sort: "y"}, true},
		{"sorted by a column", made{rows: 800, noise: 10, effect: [3]float64{20, 1e4}, sort: "a"}, true},
		{"a rare large effect", made{rows: 1000, noise: 1, effect: [3]float64{.1, 1e3, 500}, rare: 300}, true},
		{"a rare large effect, sorted", made{rows: 1000, noise: 1, effect: [3]float64{.1, 1e3, 5000}, rare: 100, sort: "y"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProfile()
			p.Add("k", &cdf.Batch{Rows: c.rows, Columns: c.columns(1)})
			spec, m, text := drafted(t, p)
			if got := strings.Contains(text, "    settings: {prior: {"); got != c.own || got != (m.own != nil) {
				t.Errorf("priors of the sample %v, want %v", got, c.own)
			}
			if c.own && !strings.Contains(text, "# centre, scale and priors are those of the sample: the default ones would ") {
				t.Error("the reason is not there")
			}
			all := m.samples(spec)
			if len(all) != 1 {
				t.Fatal("no least squares")
			}
			for _, shard := range []int{7, 50, 2000} {
				if d, ok := all[0].distance(spec, shard); c.own && (!ok || d.material(offMost)) {
					t.Errorf("in shards of %d: %+v", shard, d)
				}
			}
		})
	}
}

// TestDraftsThatKeepDefaults: what least squares of all rows would not be the answer to.
func TestDraftsThatKeepDefaults(t *testing.T) {
	little := made{rows: 12, noise: .1, effect: [3]float64{2, 1e4}}.columns(1)
	batch := &cdf.Batch{Rows: 12, Columns: little}
	few, keys := newProfile(), newProfile()
	few.Add("k", part(batch, 0, 8))
	for i := range 5 {
		keys.Add(strconv.Itoa(i), part(batch, 0, 8))
	}
	for i, p := range []*Profile{few, keys} {
		if _, m, text := drafted(t, p); m.own != nil || strings.Contains(text, "settings:") {
			t.Errorf("%d: %s", i, text)
		}
	}
}

// TestFalseAlarmsOfPriors: of tables of 40 rows and more for each coefficient, with effects and noise of
// usual sizes, no draft takes priors of the sample.
func TestFalseAlarmsOfPriors(t *testing.T) {
	taken := 0
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		c := made{rows: 200 + 100*int(seed%4), noise: 20 + 20*r.Float64(), effect: [3]float64{r.NormFloat64(), 1e4 * r.NormFloat64(), 10}, rare: 3}
		p := newProfile()
		p.Add("k", &cdf.Batch{Rows: c.rows, Columns: c.columns(seed)})
		if _, m, _ := drafted(t, p); m.own != nil {
			taken++
			t.Logf("seed %d, %d rows: %s", seed, c.rows, m.own.why)
		}
	}
	if taken > 1 {
		t.Errorf("%d of 30 drafts take priors of the sample", taken)
	}
}

func TestFold(t *testing.T) {
	for x, want := range map[float64]string{.31: "0.31", 1.234: "1.2", 9.96: "10", 26.4: "26", 12345: "12,345", math.Pi: "3.1"} {
		if got := fold(x); got != want {
			t.Errorf("fold(%v) = %q, want %q", x, got, want)
		}
	}
}
