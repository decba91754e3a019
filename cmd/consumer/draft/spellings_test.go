package draft

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
)

// TestNotesOfIntake: what a column may not be what it looks like.
func TestNotesOfIntake(t *testing.T) {
	const wide = 1<<53 + 2
	city := func(all ...string) cdf.Column {
		return texts("city", func(i int) string { return all[i%len(all)] })
	}
	big := func(name string, different int) cdf.Column {
		c := wholes(name, func(i int) int { return i % different })
		for i := range c.Int {
			c.Int[i] += wide
			c.Number[i] = float64(c.Int[i])
		}
		return c
	}
	shuffled := func(name string) cdf.Column { return wholes(name, func(i int) int { return i * 7 % sampleRows }) }
	for _, c := range []struct {
		name    string
		columns []cdf.Column
		want    []string // of the draft
		not     string
	}{
		{"spellings", []cdf.Column{city("Rome", "Berlin", "berlin "), x, y}, []string{`# column city has levels that differ in spelling alone, each with an effect of its own: "Berlin", "berlin "; make them one`}, ""},
		{"forms of Unicode", []cdf.Column{city("Z\u00fcrich", "Zu\u0308rich"), x, y}, []string{`: "Zu\u0308rich", "Zürich"; make`}, ""},
		{"characters that are not seen", []cdf.Column{city("Bern\x02", "Bern"), x, y}, []string{`: "Bern", "Bern\x02"; make`}, ""},
		{"zeros", []cdf.Column{city("007", "7", "a"), x, y}, []string{`: "007", "7"; make them one`}, ""},
		{"blanks around levels", []cdf.Column{city(" Rome", " Bern"), x, y}, []string{`most often " `}, ""},
		{"names", []cdf.Column{city("Rome", "Berlin", "Bern"), x, y}, nil, "spelling"},
		{"days as numbers", []cdf.Column{wholes("shipped", func(i int) int { return 20240101 + i*11%28 + 100*(i%12) }), x, y}, []string{"# column shipped looks like dates that are written as numbers (20240101 is a day)", "- shipped  #"}, ""},
		{"months as numbers", []cdf.Column{wholes("shipped", func(i int) int { return 202401 + i%12 }), x, y}, []string{"(202401 is a month)"}, ""},
		{"days as numbers that never fall", []cdf.Column{wholes("date", func(i int) int { return 20240101 + i%30 + 100*(i/30) }), x, y}, []string{"# column date looks like dates that are written as numbers (20240101 is a day): write them as 2024-01-31 to have times of them", "#   date: it never falls"}, ""},
		{"days as numbers that are the time", []cdf.Column{wholes("date", func(i int) int { return 20240101 + i%30 + 100*(i/30) }), y}, []string{"kind: dlm", "# column date looks like dates"}, ""},
		{"steps", []cdf.Column{wholes("step", func(i int) int { return i }), x, y}, nil, "looks like dates"},
		{"the largest numbers of 4 bytes", []cdf.Column{floats("depth", func(i int) float64 { return []float64{-math.MaxFloat32, float64(i * 7 % 40)}[min(i%20, 1)] }), x, y}, []string{"# column depth is -3.403e+38 in 3 of 60 rows"}, ""},
		{"the largest numbers of 8 bytes", []cdf.Column{floats("depth", func(i int) float64 { return []float64{math.MaxFloat64, float64(i * 7 % 40)}[min(i%20, 1)] }), x, y},
			[]string{"#   depth: its values go to 1.798e+308, whose square no number holds: it needs another unit; if it means missing, send null instead"}, "- depth"},
		{"tiny numbers", []cdf.Column{town, floats("mass", func(i int) float64 { return 1e-200 * float64(1+i*7%11) }), x, y}, []string{"#   mass: its values differ by less than 1e-150"}, "follows from"},
		{"amounts", []cdf.Column{wholes("shipped", func(i int) int { return 20240101 + 777*(i*7%60) }), x, y}, nil, "looks like dates"},
		{"years", []cdf.Column{wholes("built", func(i int) int { return 1950 + i*7%60 }), x, y}, nil, "looks like dates"},
		{"nines", []cdf.Column{wholes("depth", func(i int) int { return map[bool]int{true: -999, false: i * 7 % 40}[i%20 == 3] }), x, y}, []string{"# column depth is -999 in 3 of 60 rows, and from 0 to 39 in the others: if it means missing, "}, ""},
		{"nines at both ends", []cdf.Column{wholes("depth", func(i int) int { return []int{-99, 9999, i % 7}[min(i%20, 2)] }), x, y}, []string{"column depth is -99 in 3 of 60", "column depth is 9999 in 3 of 60"}, ""},
		{"nines that are near", []cdf.Column{wholes("depth", func(i int) int { return []int{99, 40 + i*7%40}[min(i%20, 1)] }), x, y}, nil, "missing"},
		{"nines once", []cdf.Column{wholes("depth", func(i int) int { return []int{999, i % 40}[min(i, 1)] }), x, y}, nil, "missing"},
		{"nines in a tail", []cdf.Column{wholes("price", func(i int) int { return []int{999, 49 + i*11%400}[min(i%20, 1)] }), x, y}, nil, "missing"},
		{"names in two spellings", []cdf.Column{floats("width", func(i int) float64 { return map[bool]float64{true: math.NaN(), false: 1}[i%2 == 0] * float64(i*7%11) }),
			floats("Width ", func(i int) float64 { return map[bool]float64{true: math.NaN(), false: 1}[i%2 == 1] * float64(i*7%11) }), y}, []string{`# columns differ in spelling alone, and hardly a row has more than one of them: "width", "Width "; make`}, ""},
		{"names that differ by case", []cdf.Column{x, floats("X", func(i int) float64 { return float64(i * 7 % 11) }), y}, nil, "spelling"},
		{"a constant response", []cdf.Column{x, floats("y", func(int) float64 { return 4 })}, []string{"# the response y is constant: 4 in every row that has one: there is nothing to learn.", "# linear, because y is a number with one value in the sample"}, ""},
		{"classes of 1 and 2", []cdf.Column{x, wholes("y", func(i int) int { return 1 + i%2 })}, []string{"# the response y has two values, 1 and 2: if they are classes, send 0 and 1, which kind probit explains"}, ""},
		{"classes of 0 and 1", []cdf.Column{x, wholes("y", func(i int) int { return i % 2 })}, []string{"kind: probit"}, "has two values"},
		{"three values", []cdf.Column{x, wholes("y", func(i int) int { return 1 + i%3 })}, nil, "has two values"},
		{"tiny responses", []cdf.Column{x, floats("y", func(i int) float64 { return 1e-300 * float64(1+i*7%11) })}, []string{"# the values of the response y differ by less than 1e-150, whose square"}, "follows from"},
		{"small responses", []cdf.Column{x, floats("y", func(i int) float64 { return 1e-140 * float64(1+i*7%11) })}, nil, "differ by less"},
		{"seconds", []cdf.Column{wholes("created_at", func(i int) int { return 1_700_000_000 + i*7919%100_000 }), x, y}, []string{"# column created_at looks like dates that are written as numbers (1700000000 is 2023-11-14 in seconds since 1970)"}, ""},
		{"thousandths", []cdf.Column{wholes("ts", func(i int) int { return 1_700_000_000_000 + i*7919%100_000 }), x, y}, []string{"(1700000000000 is 2023-11-14 in thousandths of a second since 1970)"}, ""},
		{"days of a spreadsheet", []cdf.Column{wholes("order date", func(i int) int { return 45_292 + i*7%60 }), x, y}, []string{"(45292 is 2024-01-01 in days of a spreadsheet)"}, ""},
		{"amounts of that size", []cdf.Column{wholes("salary", func(i int) int { return 45_292 + i*7%60 }), x, y}, nil, "looks like dates"},
		{"groups with fractions of 0", []cdf.Column{floats("store_id", func(i int) float64 { return float64(i * 7 % 5) }), x, y}, []string{"# column store_id has whole numbers with a fraction of 0"}, ""},
		{"amounts with fractions of 0", []cdf.Column{floats("store_visits", func(i int) float64 { return float64(i * 7 % 5) }), x, y}, nil, "fraction of 0"},
		{"groups of more than 63 bits", []cdf.Column{floats("store_id", func(i int) float64 { return 1e22 + 1e7*float64(i*7%5) }), x, y}, nil, "fraction of 0"},
		{"ids of more than 63 bits", []cdf.Column{floats("id", func(i int) float64 { return 1e22 + 1e7*float64(i*7%60) }), x, y}, []string{"#   id: looks like an id: 60 different numbers in 60 rows"}, "- id"},
		{"large amounts", []cdf.Column{floats("stars", func(i int) float64 { return 1e22 + 1e7*float64(i*7%60) }), x, y}, []string{"- stars  #"}, "like an id"},
		{"an index", []cdf.Column{shuffled("Unnamed: 0"), x, y}, []string{"#   Unnamed: 0: looks like the index that pandas writes"}, "- 'Unnamed: 0'"},
		{"a column as an index", []cdf.Column{shuffled("rank"), x, y}, []string{"- rank  #"}, "pandas"},
		{"wide levels", []cdf.Column{big("code", 4), x, y}, []string{"- {name: code, levels: ["}, ""},
		{"wide numbers", []cdf.Column{big("code", 25), x, y}, []string{"#   code: "}, "- code"},
	} {
		m, err := profileOf(c.columns...).Suggest(models.Kinds(), Wish{Response: "y"})
		if err != nil {
			t.Fatal(err)
		}
		text := string(m.appendYAML(nil))
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q:\n%s", c.name, want, text)
			}
		}
		if c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s: %q:\n%s", c.name, c.not, text)
		}
	}
	if _, err := profileOf(x, big("amount", 60)).Suggest(models.Kinds(), Wish{Response: "amount"}); err == nil || !strings.Contains(err.Error(), "beyond 2^53") {
		t.Errorf("a response of names: %v", err)
	}
	far := floats("y", func(i int) float64 { return []float64{-math.MaxFloat64, float64(i)}[min(i%20, 1)] })
	if _, err := profileOf(x, far).Suggest(models.Kinds(), Wish{Response: "y"}); err == nil || !strings.Contains(err.Error(), `the values of the response "y" go to -1.798e+308, whose square no number holds`) {
		t.Errorf("a response beyond numbers: %v", err)
	}
	m, err := profileOf(x, times("due", func(i int) float64 { return float64(1_700_000_000 + 86_400*(i*7%60)) })).Suggest(models.Kinds(), Wish{Response: "due"})
	if notes := fmt.Sprint(m.Notes()); err != nil || !strings.Contains(notes, "the response due is a time, which is learnt as the seconds since 1970") {
		t.Errorf("a response of times: %v %s", err, notes)
	}
	of := newProfile()
	for i := range 3 {
		of.Add(fmt.Sprint("k", i), &cdf.Batch{Rows: sampleRows, Columns: []cdf.Column{x, floats("y", func(int) float64 { return float64(i) })}})
	}
	m, err = of.Suggest(models.Kinds(), Wish{Response: "y"})
	if notes := fmt.Sprint(m.Notes()); err != nil || !strings.Contains(notes, "the response y is the same in all rows of a key, whose model has nothing to learn") {
		t.Errorf("a response of keys: %v %s", err, notes)
	}
	p := profileOf(x, y)
	for i, key := range []string{"Shop", "shop", "store"} {
		p.Add(key, &cdf.Batch{Rows: sampleRows, Columns: []cdf.Column{floats("x", func(j int) float64 { return float64(j * (i + 2) % 17) }), y}})
	}
	m, err = p.Suggest(models.Kinds(), Wish{Response: "y"})
	if notes := fmt.Sprint(m.Notes()); err != nil || !strings.Contains(notes, `keys differ in spelling alone, each with a model of its own: "Shop", "shop"; make`) {
		t.Errorf("%v %s", err, notes)
	}
}
