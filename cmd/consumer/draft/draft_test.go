package draft

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
)

// Columns of 60 rows; value gives each of them from the row's number.
const sampleRows = 60

func floats(name string, value func(i int) float64) cdf.Column {
	c := cdf.Column{Name: name}
	for i := range sampleRows {
		c.Number = append(c.Number, value(i))
	}
	return c
}

func wholes(name string, value func(i int) int) cdf.Column {
	c := floats(name, func(i int) float64 { return float64(value(i)) })
	c.Type = cdf.Integer
	for _, v := range c.Number {
		c.Int = append(c.Int, int64(v))
	}
	return c
}

func texts(name string, value func(i int) string) cdf.Column {
	c := cdf.Column{Name: name, Type: cdf.Text}
	at := map[string]int32{}
	for i := range sampleRows {
		v := value(i)
		if _, ok := at[v]; !ok {
			at[v] = int32(len(c.Levels))
			c.Levels = append(c.Levels, v)
		}
		c.Code = append(c.Code, at[v])
	}
	return c
}

func times(name string, f func(int) float64) cdf.Column {
	c := floats(name, f)
	c.Type = cdf.Time
	return c
}

var (
	x      = floats("x", func(i int) float64 { return math.Sin(float64(i)) })
	y      = floats("y", func(i int) float64 { return 10 + 3*math.Cos(float64(i)) })
	yes    = wholes("bought", func(i int) int { return i % 2 })
	counts = wholes("visits", func(i int) int { return i * 7 % 11 })
	store  = wholes("store", func(i int) int { return i % 5 })
	town   = texts("town", func(i int) string { return fmt.Sprint("t", i%25) })
	color  = texts("color", func(i int) string { return []string{"red", "green", "blue", "red"}[i%4] })
	year   = wholes("year", func(i int) int { return 1900 + i })
	day    = times("day", func(i int) float64 { return 86400 * float64(i) })
	hour   = times("hour", func(i int) float64 { return 3600 * float64(i) })
	// of the same week
	weekday = times("weekday", func(i int) float64 { return 86400 * float64(i%7) })
)

func profileOf(columns ...cdf.Column) *Profile {
	p := newProfile()
	p.Add("k", &cdf.Batch{Rows: sampleRows, Columns: columns})
	return p
}

func TestSuggest(t *testing.T) {
	wideColumns := []cdf.Column{y}
	for i := range 1000 {
		wideColumns = append(wideColumns, floats(fmt.Sprint("w", i), func(j int) float64 { return math.Sin(float64((i + 1) * j)) }))
	}
	for _, c := range []struct {
		name    string
		columns []cdf.Column
		wish    Wish
		kind    string
		says    []string // somewhere in the draft
	}{
		{"regression", []cdf.Column{x, y}, Wish{}, "linear", []string{"because y is a number with", `response: "y"  # 7`, "chosen for its name", "- x  # -1 to 0.9", "or {name: x, center: 0", "dlm (a level that drifts"}},
		{"last number", []cdf.Column{y, x}, Wish{Response: "x"}, "linear", []string{"response: x  # ", `- "y"  #`}},
		{"yes or no", []cdf.Column{x, yes}, Wish{}, "probit", []string{"because bought is 0 or 1", "0 or 1, 50% ones", "could also be: linear"}},
		{"counts of groups", []cdf.Column{store, x, counts}, Wish{}, "poisson", []string{"visits counts (whole numbers from 0 to 10) and store names groups", "group: store  # 5 levels", "linear (regression on the features); anova"}},
		{"counts without groups", []cdf.Column{x, counts}, Wish{}, "linear", []string{"poisson (counts, with effects of groups)"}},
		{"one group", []cdf.Column{town, y}, Wish{}, "anova", []string{"town is the only other column of use", "group: town  # 25 levels"}},
		{"one group of few", []cdf.Column{color, y}, Wish{}, "anova", []string{"group: color  # 3 levels, most often red (50%)"}},
		{"a time in whole numbers", []cdf.Column{year, y}, Wish{}, "dlm", []string{"year says when, and there is no feature", "time: year  # 1900 to 1959"}},
		{"dates", []cdf.Column{day, y}, Wish{}, "dlm", []string{"time: day  # 1970-01-01 to 1970-03-01;"}},
		{"times of day", []cdf.Column{hour, y}, Wish{}, "dlm", []string{"hour: a time; kind dlm takes each row as a step"}},
		{"groups by day", []cdf.Column{weekday, x, counts}, Wish{Group: "weekday"}, "poisson", []string{"group: weekday  # 7 levels, most often 1970-01-01"}},
		{"many columns", wideColumns, Wish{}, "compressed", []string{"there are 1000 features", "features: [  # 1000 of them", "w0, w1,"}},
		{"hundreds of columns", wideColumns[:400], Wish{}, "linear", []string{"because y is a number with", "compressed (regression on a random projection"}},
		{"categories", []cdf.Column{color, x, y}, Wish{}, "linear", []string{"- {name: color, levels: [red, blue, green], baseline: red}  # 3 levels, most often red (50%)"}},
		{"few groups as categories", []cdf.Column{store, x, y}, Wish{}, "linear", []string{`- {name: store, levels: ["0", "1", "2", "3", "4"], baseline: "0"}`}},
		{"many groups", []cdf.Column{town, x, y}, Wish{}, "linear", []string{"#   town: names 25 groups, and each would be a coefficient"}},
		{"a time that comes again", []cdf.Column{wholes("month", func(i int) int { return 5 + i/12 }), x, y}, Wish{}, "linear", []string{"- month  # 5 to 9"}},
		{"trend", []cdf.Column{year, day, x, y}, Wish{}, "linear", []string{"#   year: it never falls and would be a trend", "#   day: a time, which is not a feature unless"}},
		{"exposure", []cdf.Column{store, floats("population", func(i int) float64 { return float64(1000 + i%7) }), counts}, Wish{}, "poisson", []string{"# exposure: population"}},
		{"asked for", []cdf.Column{town, x, y}, Wish{Kind: "anova"}, "anova", []string{"anova, because asked for; linear would have been suggested", "#   x: kind anova takes no features"}},
		{"formula", []cdf.Column{color, x, y}, Wish{Formula: "y ~ x * color"}, "linear", []string{"because y is a number with", "formula: y ~ x * color\n", "# y: 7"}},
		{"formula of a computed response", []cdf.Column{x, y}, Wish{Formula: "log(y) ~ poly(x, 2) + {x > 1}"}, "linear", []string{"formula: 'log(y) ~ poly(x, 2) + {x > 1}'"}},
		{"formula with groups", []cdf.Column{store, x, counts}, Wish{Formula: "visits ~ x + (1 | store)"}, "poisson", []string{"formula: visits ~ x + (1 | store)"}},
		{"formula where columns would be another kind", []cdf.Column{town, y}, Wish{Formula: "y ~ town"}, "linear", []string{"formula: y ~ town"}},
		{"formula without the groups that there are", []cdf.Column{store, x, counts}, Wish{Formula: "visits ~ x"}, "linear", []string{"formula: visits ~ x"}},
		{"formula of a time", []cdf.Column{day, y}, Wish{Formula: "y ~ weekday(day)"}, "linear", []string{"because the formula has terms", "formula: y ~ weekday(day)"}},
		{"formula of a level over time", []cdf.Column{day, y}, Wish{Formula: "y ~ 1"}, "dlm", []string{"formula: y ~ 1", "columns: {time: day}"}},
		{"parts of dates", []cdf.Column{color, day, x, y}, Wish{Dates: []string{"weekday", "trend", "hour"}}, "linear", []string{
			"formula: '`y` ~ C(`color`, [\"red\", \"blue\", \"green\"]) + trend(`day`) + weekday(`day`) + `x`'",
		}},
		{"parts of times, with groups", []cdf.Column{store, hour, counts}, Wish{Dates: []string{"hour", "season"}}, "poisson", []string{
			"formula: '`visits` ~ (1 | `store`) + season(`hour`, 1y, 2) + C(hour(`hour`))'",
		}},
		{"a number that follows", []cdf.Column{floats("gross", func(i int) float64 { return 100 + 10*math.Sin(float64(i)) }), floats("net", func(i int) float64 { return (100 + 10*math.Sin(float64(i))) / 1.25 }), y}, Wish{}, "linear", []string{
			"- gross", "#   net: follows from gross (0.8 gross), in all 60 rows looked at: its effect would be part of theirs",
		}},
		{"a coarse factor that follows", []cdf.Column{texts("country", func(i int) string { return fmt.Sprint("c", i%6/3) }), texts("place", func(i int) string { return fmt.Sprint("p", i%6) }), x, y}, Wish{}, "linear", []string{
			"- {name: place, levels:", "#   country: follows from place, each value of which has one country, in all 60 rows looked at",
		}},
		{"the same in a formula", []cdf.Column{texts("country", func(i int) string { return fmt.Sprint("c", i%6/3) }), texts("place", func(i int) string { return fmt.Sprint("p", i%6) }), y}, Wish{Formula: "y ~ country + place"}, "linear", []string{
			"formula: y ~ country + place", "    # country follows from place, each value of which has one country, in all 60 rows looked at: whose the effect is cannot be told there",
		}},
		{"a response that follows", []cdf.Column{x, floats("y", func(i int) float64 { return 3 - 2*math.Sin(float64(i)) })}, Wish{}, "linear", []string{
			"- x  #", "    # the response y follows from x (-2 x + 3), in all 60 rows looked at: that says all about it",
		}},
		{"groups that were asked for", []cdf.Column{town, x, y}, Wish{Group: "town"}, "anova", []string{
			"anova, because groups were asked for, and linear takes none", "group: town  # 25 levels", "#   x: kind anova takes no features",
		}},
		{"an amount in cities", []cdf.Column{wholes("MPG.city", func(i int) int { return 15 + i*7%20 }), x, y}, Wish{}, "linear", []string{"- MPG.city  # 15 to 34"}},
		{"asked for a group", []cdf.Column{town, color, y}, Wish{Kind: "anova", Group: "color"}, "anova", []string{"group: color", "#   town: another column names the groups"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := profileOf(c.columns...).Suggest(models.Kinds(), c.wish)
			if err != nil {
				t.Fatal(err)
			}
			text := string(m.appendYAML(nil))
			if m.Kind.Name != c.kind || !strings.Contains(text, "kind: "+c.kind+"\n") {
				t.Errorf("kind %s, want %s", m.Kind.Name, c.kind)
			}
			for _, s := range c.says {
				if !strings.Contains(text, s) {
					t.Errorf("does not say %q:\n%s", s, text)
				}
			}
		})
	}
}

// TestMissingLevels: gaps of a categorical column are a level where there are some,
// be they most of it, and no level where there are none.
func TestMissingLevels(t *testing.T) {
	sex := func(i int) string { return []string{"f", "m"}[i%2] }
	for gaps, want := range map[int]bool{0: false, 1: true, 50: true} {
		c := texts("sex", sex)
		for i := range gaps {
			c.Code[i] = -1
		}
		m, err := profileOf(x, c, y).Suggest(models.Kinds(), Wish{Response: "y"})
		if err != nil {
			t.Fatal(err)
		}
		text := string(m.appendYAML(nil))
		if got := strings.Contains(text, "missing: level"); got != want || !strings.Contains(text, "{name: sex, levels: [") {
			t.Errorf("%d gaps: %s", gaps, text)
		}
	}
}

// TestDatesKeepMissingLevels: --dates drops no rows that the columns would keep.
func TestDatesKeepMissingLevels(t *testing.T) {
	gappy := texts("sex", func(i int) string { return []string{"f", "m"}[i%2] })
	gappy.Code[4] = -1
	p := profileOf(day, gappy, color, x, y)
	m, err := p.Suggest(models.Kinds(), Wish{Response: "y", Dates: []string{"trend"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := string(m.appendYAML(nil)); !strings.Contains(text, `C(`+"`sex`"+`, ["m", "f"], missing=level) + C(`+"`color`"+`, ["red", "blue", "green"]) + `) {
		t.Error(text)
	}
	if table := m.table("", p); !strings.Contains(table, "feature, an effect per level; a missing one is a level\n") {
		t.Error(table)
	}
	if m, err = p.Suggest(models.Kinds(), Wish{Formula: "y ~ sex + x"}); err != nil {
		t.Fatal(err)
	}
	if table := m.table("", p); !strings.Contains(table, "rows without it are left out; C(sex, missing=level) keeps them\n") {
		t.Error(table)
	}
	for _, w := range []Wish{{Response: "y", Group: "sex", Kind: "poisson"}, {Formula: "visits ~ x + (1 | sex)"}, {Response: "visits", Group: "sex", Dates: []string{"trend"}}} {
		p := profileOf(day, gappy, x, counts, wholes("y", func(i int) int { return i % 5 }))
		m, err := p.Suggest(models.Kinds(), w)
		if err != nil {
			t.Fatal(err)
		}
		if text, table := string(m.appendYAML(nil)), m.table("", p); !strings.Contains(text, "    missing: level  #") || !strings.Contains(table, "names groups; rows without it are a group\n") {
			t.Errorf("%+v\n%s%s", w, text, table)
		}
	}
}

func TestColumnsThatAreLeftOut(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	marked := texts("sold_out", func(int) string { return "x" })
	marked.Code[7] = -1
	p := profileOf(y, x,
		wholes("customer_id", func(i int) int { return 7 * (i*37%61 + 1) }),
		wholes("n", func(i int) int { return i + 5 }),
		texts("note", func(i int) string { return fmt.Sprint("note ", i) }),
		texts("currency", func(int) string { return "EUR" }),
		floats("zero", func(int) float64 { return 0 }),
		marked,
		floats("seldom", func(i int) float64 {
			if i%3 == 0 {
				return float64(i)
			}
			return nan
		}),
		floats("never", func(int) float64 { return nan }),
		floats("wild", func(i int) float64 {
			if i == 7 {
				return inf
			}
			return float64(i % 9)
		}))
	p.Add("k", &cdf.Batch{Rows: 1, Columns: []cdf.Column{{Name: "x", Number: []float64{1}}, {Name: "y", Number: []float64{2}}},
		Skipped: []cdf.Skipped{{Name: "tags", Type: "list"}}})
	m, err := p.Suggest(models.Kinds(), Wish{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(m.appendYAML(nil))
	_, out, _ := strings.Cut(text, "# Left out:\n")
	for _, want := range []string{
		"customer_id: looks like an id: 60 different numbers in 60 rows", "n: counts the rows: 5 to 64",
		"note: looks like an id: 60 different texts in 60 rows", "currency: constant: EUR in every row", "zero: constant: 0 in every row",
		"sold_out: constant: x in every row that has a value; if an empty field says something too, write what",
		"seldom: 67% of its values are missing", "never: no value in any row", "wild: 1 value is infinite", "tags: type list is not read",
	} {
		if !strings.Contains(out, "      #   "+want) {
			t.Errorf("does not say %q:\n%s", want, text)
		}
	}
	var doc struct {
		Models []struct {
			Columns struct{ Features []string }
		}
	}
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || fmt.Sprint(doc.Models[0].Columns.Features) != "[x]" {
		t.Errorf("features %v, error %v", doc.Models[0].Columns.Features, err)
	}
}

// Where every column is left out the draft says that there is no feature: without the key all of
// them would be.
func TestNoFeatureIsLeft(t *testing.T) {
	for name, columns := range map[string][]cdf.Column{
		"linear":  {y, wholes("n", func(i int) int { return 5 + i }), floats("never", func(int) float64 { return math.NaN() })},
		"poisson": {counts, wholes("n", func(i int) int { return 5 + i })},
	} {
		m, err := profileOf(columns...).Suggest(models.Kinds(), Wish{Kind: name, Response: columns[0].Name})
		if err != nil {
			t.Fatal(err)
		}
		if text := string(m.appendYAML(nil)); strings.Count(text, "\n      features: []  #") != 1 || !strings.Contains(text, "      #   n: counts the rows") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// TestColumnsWithinKeys: what is the same in all rows of a key has no effect there, and steps
// that each key goes through are a feature where the kind has no time.
func TestColumnsWithinKeys(t *testing.T) {
	p := newProfile()
	for key := range 20 {
		p.Add(fmt.Sprint("chick", key), &cdf.Batch{Rows: 12, Columns: []cdf.Column{
			wholes("weight", func(i int) int { return 40 + i*i + key }), wholes("week", func(i int) int { return i }),
			wholes("diet", func(int) int { return 1 + key/5 }), texts("breed", func(int) string { return fmt.Sprint("b", key%3) }),
			texts("food", func(i int) string { return fmt.Sprint("f", (i+key)%2) }),
		}})
	}
	for _, c := range []struct {
		wish Wish
		kind string
		says []string
	}{
		{Wish{Response: "weight"}, "linear", []string{
			"- week  # 0 to 11", "- {name: food, levels:", "#   diet: the same in all rows of a key", "#   breed: the same in all rows of a key",
		}},
		{Wish{Response: "weight", Kind: "dlm"}, "dlm", []string{"time: week  # 0 to 11"}},
	} {
		m, err := p.Suggest(models.Kinds(), c.wish)
		if err != nil {
			t.Fatal(err)
		}
		text := string(m.appendYAML(nil))
		for _, want := range c.says {
			if m.Kind.Name != c.kind || !strings.Contains(text, want) {
				t.Errorf("%+v: kind %s, does not say %q:\n%s", c.wish, m.Kind.Name, want, text)
			}
		}
	}
	m, err := p.Suggest(models.Kinds(), Wish{Formula: "weight ~ diet + week"})
	if err != nil {
		t.Fatal(err)
	}
	if left := strings.Join(m.LeftOut(), "\n"); strings.Contains(left, "diet") || !strings.Contains(left, "breed: ") {
		t.Errorf("left out, of which the formula names diet:\n%s", left)
	}
	for _, c := range profileOf(color, x, y).columns {
		if c.keyed() {
			t.Errorf("%s differs in rows of the key", c.name)
		}
	}
}

// Rows in the order of the response are no sample of what comes next.
func TestSortedRows(t *testing.T) {
	for name, c := range map[string]struct {
		rows int
		y    func(i int) float64
		want bool
	}{
		"sorted": {100, func(i int) float64 { return float64(i/3) + .5 }, true}, "in two parts": {200, func(i int) float64 { return float64(i%150) + .5 }, true},
		"in ten":   {200, func(i int) float64 { return float64(i%20) + .5 }, false},
		"few rows": {60, func(i int) float64 { return float64(i) + .5 }, false},
	} {
		b := &cdf.Batch{Rows: c.rows, Columns: []cdf.Column{{Name: "x"}, {Name: "y"}}}
		for i := range c.rows {
			b.Columns[0].Number, b.Columns[1].Number = append(b.Columns[0].Number, math.Sin(float64(i))), append(b.Columns[1].Number, c.y(i))
		}
		p := newProfile()
		p.Add("k", b)
		m, err := p.Suggest(models.Kinds(), Wish{})
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(string(m.appendYAML(nil)), "# the rows come in the order of y"); said != c.want {
			t.Errorf("%s: said %t", name, said)
		}
	}
}

func TestRefusedWishes(t *testing.T) {
	p := profileOf(x, y, yes, color, town)
	for _, c := range []struct {
		profile *Profile
		wish    Wish
		want    string
	}{
		{newProfile(), Wish{}, "no rows"},
		{p, Wish{Response: "Bought"}, `no column "Bought" for the response, did you mean "bought"; the columns are`},
		{p, Wish{Response: "z"}, `no column "z" for the response; the columns are x, y, bought, color, town`},
		{p, Wish{Response: "color"}, `the response "color" is text, and every kind takes numbers; of 3 classes kind probit explains one at a time: add a column that is 1 where color is "`},
		{p, Wish{Response: "town"}, `the response "town" is text, and every kind takes numbers`},
		{profileOf(x, texts("won", func(i int) string { return []string{"no", "yes"}[i%2] })), Wish{Response: "won"}, `recoded: 0 for "no", 1 for "yes"`},
		{profileOf(color, town), Wish{}, "name one with --response"},
		{p, Wish{Response: "y", Kind: "probit"}, "kind probit takes a response of 0 and 1"},
		{p, Wish{Response: "y", Kind: "poisson"}, "kind poisson takes counts"},
		{profileOf(x, y), Wish{Kind: "anova"}, "name one with --group"},
		{p, Wish{Group: "z"}, `no column "z" for the group`},
		{p, Wish{Group: "x"}, "groups are named by text"},
		{p, Wish{Formula: "y ~ z"}, `no column "z" for the formula; the columns are x, y, bought, color, town`},
		{p, Wish{Formula: "y ~ lgo(x)"}, "no function is named \"lgo\""},
		{p, Wish{Formula: "color ~ x"}, `the response "color" is text`},
		{p, Wish{Formula: "I(1) ~ x"}, "the response has no column"},
		{p, Wish{Response: "y", Group: "y"}, "can't be response and group"},
	} {
		if _, err := c.profile.Suggest(models.Kinds(), c.wish); !errors.Is(err, ErrDraft) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.wish, err, c.want)
		}
	}
}

// Names and levels may hold anything: they must come back from the YAML as
// they were, and none may end a comment.
func TestHostileNames(t *testing.T) {
	names := []string{"a: b", "# c", "d, e", "{f}", "g\nkind: probit", "'h'", `"i"`, "null", "~", "1.5", "é\u2028j", " k ", "-", "yes", "@l", "%m", "!n", "&o", "*p", "|", ">", strings.Repeat("long ", 60)}
	columns := []cdf.Column{y}
	for i, name := range names {
		columns = append(columns, floats(name, func(j int) float64 { return math.Sin(float64((i + 2) * j)) }))
	}
	columns = append(columns, texts("levels", func(i int) string { return names[i%20] }))
	columns = append(columns, texts("\nkind: dlm", func(int) string { return "constant\nkind: anova" }))
	m, err := profileOf(columns...).Suggest(models.Kinds(), Wish{Response: "y"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(m.appendYAML(nil))
	var doc struct {
		Models []struct {
			Kind    string
			Columns struct{ Features []yaml.Node }
		}
	}
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if doc.Models[0].Kind != "linear" || len(doc.Models[0].Columns.Features) != len(names)+1 {
		t.Fatalf("kind %s, %d features", doc.Models[0].Kind, len(doc.Models[0].Columns.Features))
	}
	for i, f := range doc.Models[0].Columns.Features[:len(names)] {
		if f.Value != names[i] || f.Tag != "!!str" {
			t.Errorf("%q comes back as %s %q", names[i], f.Tag, f.Value)
		}
	}
	var levels feature
	if err := doc.Models[0].Columns.Features[len(names)].Decode(&levels); err != nil || len(levels.Levels) != 20 {
		t.Errorf("levels %q, error %v", levels.Levels, err)
	}
	for _, l := range levels.Levels {
		if !strings.Contains(strings.Join(names, "\x00"), l) {
			t.Errorf("level %q was never there", l)
		}
	}
}

func TestHint(t *testing.T) {
	for _, c := range []struct {
		mean, spread float64
		want         string
	}{
		{1013.2591, 5.94, "center: 1013.3, scale: 5.9}"}, {1.7e-8, .746, "center: 0, scale: 0.75}"}, {190000, 106300, "center: 190000, scale: 110000}"},
	} {
		col := newColumnOf(c.mean, c.spread)
		if got := new(Model).hint(col); !strings.HasSuffix(got, c.want) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// newColumnOf has three values with the mean and the standard deviation.
func newColumnOf(mean, sd float64) *column {
	c := &column{name: "x", exact: map[float64]int{}}
	for _, v := range []float64{mean - sd, mean, mean + sd} {
		c.number(v)
	}
	return c
}
