package draft

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/models"
)

// What names one thing is left out, and what only looks like it is not.
func TestIDs(t *testing.T) {
	for _, c := range []struct {
		column cdf.Column
		why    string // "" where it is none
	}{
		{texts("u", func(i int) string { return fmt.Sprintf("%08X-1111-4222-8333-%012x", i/2*7919, i/2) }), ""}, // each twice
		{texts("u", func(i int) string { return fmt.Sprintf("%08X-1111-4222-8333-%012x", i/3*7919, i-i%3/2) }), "looks like an id: UUIDs, 40 different texts in 60 rows"},
		{texts("mail", func(i int) string { return fmt.Sprintf("a%d@b.example", i*2/3) }), "looks like an id: mail addresses, 40 different texts in 60 rows"},
		{texts("page", func(i int) string { return fmt.Sprintf("https://b.example/%d", i) }), "looks like an id: addresses of pages, 60 different texts in 60 rows"},
		{texts("h", func(i int) string { return fmt.Sprintf("%016x", uint64(i)*0x9e3779b97f4a7c15) }), "looks like an id: hexadecimal digests, 60 different texts in 60 rows"},
		{texts("plz", func(i int) string { return fmt.Sprintf("%05d", i*1601) }), "looks like an id: numbers with leading zeros, 60 different texts in 60 rows"},
		{texts("call", func(i int) string { return fmt.Sprintf("+49 (30) 555-%04d", i*2/3) }), "looks like an id: phone numbers, 40 different texts in 60 rows"},
		{texts("name", func(i int) string { return fmt.Sprint("Mr ", i) }), "looks like an id: 60 different texts in 60 rows"},
		{texts("name", func(i int) string { return fmt.Sprint("Mr ", i/2) }), ""},
		{wholes("orderid", func(i int) int { return 1e6 + i*i }), "looks like an id: 60 different numbers in 60 rows"},
		{wholes("PassengerId", func(i int) int { return i + 1 }), "looks like an id: 60 different numbers in 60 rows"},
		{wholes("phone", func(i int) int { return 5550000000 + i*37 }), "looks like a number to dial or to look up: 60 different ones in 60 rows"},
		{wholes("account", func(i int) int { return i * 37 }), ""},
		{wholes("paid", func(i int) int { return i*i + 3 }), ""},
		{wholes("n", func(i int) int { return i + 5 }), "counts the rows: 5 to 64"},
		{floats("id", func(i int) float64 { return float64(i) + .5 }), ""},
	} {
		if got := profileOf(c.column).columns[0].id(); got != c.why {
			t.Errorf("%s %v: %q, want %q", c.column.Name, c.column.Levels, got, c.why)
		}
	}
}

// TestSpanTellsItsEndsApart has ranges whose ends agree in the usual digits.
func TestSpanTellsItsEndsApart(t *testing.T) {
	for want, ends := range map[string][2]float64{
		"4.088 to 17.68":                   {4.0881, 17.6812},
		"5 to 5":                           {5, 5},
		"1,760,000,000 to 1,760,017,940":   {1760000000, 1760017940},
		"-1,760,000,100 to -1,760,000,000": {-1760000100, -1760000000},
		"1.00001 to 1.00002":               {1.00001, 1.00002},
	} {
		if got := span(ends[0], ends[1]); got != want {
			t.Errorf("%v: %q, want %q", ends, got, want)
		}
	}
}

// A column that never falls is a feature where columns are listed, and left out where a formula
// does not name it; a baseline that no row has is refused, and one that some row has is not.
func TestTableOfAFormula(t *testing.T) {
	year := wholes("year", func(i int) int { return 2007 + i/20 })
	for text, use := range map[string]string{"": "feature", "y ~ color": "left out: the formula does not name it", "y ~ color + year": "feature", "y ~ .": "feature"} {
		p := profileOf(year, color, y)
		m, err := p.Suggest(models.Kinds(), Wish{Formula: text, Kind: "linear", Response: "y"})
		if err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(m.table("", p)[strings.Index(m.table("", p), `"year"`):], "\n")
		if !strings.Contains(line, use) {
			t.Errorf("%s: %s, want %s", text, line, use)
		}
	}
	for baseline, refused := range map[string]bool{"red": false, "rad": true} {
		p := newProfile()
		p.Of = 60
		p.Add("k", &cdf.Batch{Rows: 60, Columns: []cdf.Column{color, y}})
		f, err := formula.Parse("y ~ C(color, baseline=" + baseline + ")")
		if err != nil {
			t.Fatal(err)
		}
		k, _ := models.Kinds().Lookup("linear")
		spec, err := k.Spec("", f.Roles(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.check(spec); (err != nil) != refused {
			t.Errorf("baseline %s: %v", baseline, err)
		}
	}
}

func TestTable(t *testing.T) {
	gaps := floats("gaps\tof", func(i int) float64 { return []float64{1, math.NaN(), 3}[i%3] * float64(1+i%7) })
	mail := texts("mail", func(i int) string { return fmt.Sprintf("a%d@b.example", i) })
	p := profileOf(mail, color, yes, day, gaps, y, wholes("doors", func(i int) int { return 3 + i%3 }))
	p.skipped = []cdf.Skipped{{Name: "blob", Type: "binary"}}
	m, err := p.Suggest(models.Kinds(), Wish{Response: "y", Dates: []string{"trend", "month"}})
	if err != nil {
		t.Fatal(err)
	}
	p.Of = 61
	got := m.table("shop", p)
	for _, want := range []string{
		"\"shop\"\t-\t1 key in the sample\t-\tkey: each value gets a model\n",
		"\"mail\"\ttext\t60 levels: \"a0@b.example\", \"a10@b.example\", \"a11@b.example\", ...\t-\tleft out: looks like an id: mail addresses, 60 different texts in 60 rows\n",
		"\"color\"\ttext\t3 levels: \"red\", \"blue\", \"green\"\t-\tfeature, an effect per level\n",
		"\"day\"\tdates\t1970-01-01 to 1970-03-01\t-\tfeatures: trend, month\n",
		"\"gaps?of\"\tnumbers\t1 to 21\t20 (33%)\tleft out: its name cannot stand in a formula, which --dates makes; rename it\n",
		"\"doors\"\tintegers\t3 to 5\t-\tfeature; --text doors makes its values levels\n",
		"\"bought\"\tintegers\t0 to 1\t-\tfeature\n",
		"\tresponse\n", "\"blob\"\tbinary\t-\t-\tleft out: the type is not read\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("does not say %q:\n%s", want, got)
		}
	}
	if got := fmt.Sprint(m.Baselines()); got != "[red of color jan of month(day)]" {
		t.Errorf("baselines %s", got)
	}
	long, err := profileOf(texts("s", func(i int) string { return strings.Repeat("a", 100) + fmt.Sprint(i%2) }), x, y).Suggest(models.Kinds(), Wish{Response: "y"})
	if got := fmt.Sprint(long.Baselines()); err != nil || got != "[aaaaaaaaaaaaaaaaaaa… of s]" {
		t.Errorf("%v, baselines %s", err, got)
	}
	if _, err := p.Suggest(models.Kinds(), Wish{Response: "y", Kind: "dlm", Dates: []string{"month"}}); err == nil || !strings.HasSuffix(err.Error(), "name a kind of linear, probit, compressed, poisson") {
		t.Errorf("parts of dates of dlm: %v", err)
	}
	for i, line := range strings.Split(strings.TrimSpace(got), "\n") {
		if strings.Count(line, "\t") != 4 {
			t.Errorf("line %d has not five cells: %q", i, line)
		}
	}
}

// Of hundreds of columns the others are counted by what they serve as.
func TestTableIsBounded(t *testing.T) {
	columns := []cdf.Column{y}
	for i := range 300 {
		columns = append(columns, floats(fmt.Sprint("w", i), func(j int) float64 { return float64(i%2) * math.Sin(float64((i+1)*j)) }))
	}
	p := profileOf(columns...)
	m, err := p.Suggest(models.Kinds(), Wish{})
	if err != nil {
		t.Fatal(err)
	}
	got := m.table("", p)
	if n := strings.Count(got, "\n"); n > mostListed+5 || !strings.Contains(got, "and 121 more\t\t\t\tfeature\nand 120 more\t\t\t\tleft out\n") {
		t.Errorf("%d lines: %s", n, got)
	}
}

func TestDatesThatAreNone(t *testing.T) {
	for _, c := range []struct {
		columns []cdf.Column
		wish    Wish
		says    string
	}{
		{[]cdf.Column{x, y}, Wish{Dates: []string{"trend"}}, "no column holds dates or times"},
		{[]cdf.Column{day, y}, Wish{Kind: "dlm", Dates: []string{"trend"}}, "kind dlm takes no features"},
	} {
		if _, err := profileOf(c.columns...).Suggest(models.Kinds(), c.wish); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %s", err, c.says)
		}
	}
	for word, says := range map[string]string{"fortnight": `"fortnight" is none of: trend, weekday`, "trend": "trend is there twice"} {
		if err := (&Wish{Dates: []string{"trend", word}}).CheckDates(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

// Shards of a topic that lack a column of the model are refused, be it of nulls elsewhere: what many lack is left out, and of the
// others the table says so. An event that lacks it has a null.
func TestColumnsOfSomeShards(t *testing.T) {
	const shards = 30
	typed := func(i int) cdf.Column {
		if i < 3 {
			return texts("y", func(int) string { return "none" })
		}
		return y
	}
	for _, c := range []struct {
		name    string
		shard   func(i int) []cdf.Column
		events  bool
		want    string
		refused int
	}{
		{"half lack z", func(i int) []cdf.Column { return []cdf.Column{x, y, counts}[:2+i%2] }, false, "left out: 50% of the rows are in shards that have no such column, which are refused", 0},
		{"one lacks z", func(i int) []cdf.Column { return []cdf.Column{x, y, counts}[:2+min(i, 1)] }, false, "feature; 3% of the rows are in shards that have no such column, which are refused", 1},
		{"one lacks town", func(i int) []cdf.Column {
			return []cdf.Column{x, y, texts("band", func(i int) string { return fmt.Sprint(i % 3) })}[:2+min(i, 1)]
		}, false, "effect per level; 3% of the rows are in", 1},
		{"half lack y", func(i int) []cdf.Column { return []cdf.Column{x, counts, y}[:2+i%2] }, false, "response; 50% of the rows are in shards", shards / 2},
		{"y is text in some", func(i int) []cdf.Column { return []cdf.Column{x, typed(shards - 1 - i)} }, false, "response; it has another type in some shards, which are refused", 3},
		{"events lack z", func(i int) []cdf.Column { return []cdf.Column{x, y, counts}[:2+i%2] }, true, "feature; rows without it are left out", -1},
	} {
		p := newProfile()
		p.Events = c.events
		for i := range shards {
			p.Add("k", &cdf.Batch{Rows: sampleRows, Columns: c.shard(i)})
		}
		spec, m, _ := drafted(t, p)
		if table := m.table("", p); !strings.Contains(table, c.want) {
			t.Errorf("%s: no %q:\n%s", c.name, c.want, table)
		}
		filter, refused := cdf.NewFilter(spec, ""), 0
		for i := range shards {
			if _, err := filter.Update(&cdf.Batch{Rows: sampleRows, Columns: c.shard(i)}); err != nil {
				refused++
			}
		}
		if c.refused >= 0 && refused != c.refused {
			t.Errorf("%s: %d shards are refused, want %d", c.name, refused, c.refused)
		}
	}
}
