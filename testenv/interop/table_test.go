//go:build unix

package interop

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// statistics are the columns of numbers of a posterior.
var statistics = []string{
	"mean", "sd", "median", "q2.5", "q5", "q25", "q75", "q95", "q97.5", "mcse_mean", "ess_bulk", "ess_tail", "r_hat",
}

// posterior is one message as a client has read it.
type posterior struct {
	key  string
	t, n int64
	rows []row
}

// row is one variable; a statistic that is not defined is NaN.
type row struct {
	variable string
	numbers  map[string]float64
}

// parseJSON reads lines of JSON, each with at least the fields key, t, n and
// posterior.
func parseJSON(t *testing.T, text string) []posterior {
	t.Helper()
	var all []posterior
	for line := range strings.Lines(text) {
		var message struct {
			Key       string           `json:"key"`
			T         *int64           `json:"t"`
			N         *int64           `json:"n"`
			Posterior []map[string]any `json:"posterior"`
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil || message.T == nil || message.N == nil {
			t.Fatalf("no posterior (%v): %.300s", err, line)
		}
		p := posterior{key: message.Key, t: *message.T, n: *message.N}
		for _, fields := range message.Posterior {
			name, _ := fields["variable"].(string)
			r := row{name, map[string]float64{}}
			for column, value := range fields {
				switch v := value.(type) {
				case float64:
					r.numbers[column] = v
				case nil:
					r.numbers[column] = math.NaN()
				}
			}
			p.rows = append(p.rows, r)
		}
		all = append(all, p)
	}
	return all
}

// parseTable reads lines of text, one per variable, below a header with at
// least the columns key, t, n and variable; an empty entry is not defined.
func parseTable(t *testing.T, text string, comma rune) []posterior {
	t.Helper()
	var all []posterior
	for _, line := range parseLines(t, text, comma) {
		p := posterior{key: line["key"], t: integer(t, line["t"]), n: integer(t, line["n"])}
		r := row{line["variable"], map[string]float64{}}
		for column, entry := range line {
			switch column {
			case "key", "t", "n", "variable":
			default:
				r.numbers[column] = number(t, entry)
			}
		}
		if k := len(all) - 1; k < 0 || all[k].key != p.key || all[k].t != p.t {
			all = append(all, p)
		}
		of := &all[len(all)-1]
		of.rows = append(of.rows, r)
	}
	return all
}

// parseLines returns the lines below a header by its names.
func parseLines(t *testing.T, text string, comma rune) []map[string]string {
	t.Helper()
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.LazyQuotes = comma, comma == '\t'
	lines, err := reader.ReadAll()
	if err != nil || len(lines) < 2 {
		t.Fatalf("no table: %v\n%.500s", err, text)
	}
	var all []map[string]string
	for _, line := range lines[1:] {
		named := map[string]string{}
		for i, entry := range line {
			named[lines[0][i]] = entry
		}
		all = append(all, named)
	}
	return all
}

func integer(t *testing.T, entry string) int64 {
	t.Helper()
	v, err := strconv.ParseInt(entry, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func number(t *testing.T, entry string) float64 {
	t.Helper()
	if entry == "" {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(entry, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// same fails unless got are the posteriors of want, each once, those of a key
// in order, and every number is the same float64.
func same(t *testing.T, got, want []posterior) {
	t.Helper()
	if d := difference(got, want); d != "" {
		t.Fatal(d)
	}
}

// difference returns the first difference, "" for none.
func difference(got, want []posterior) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d posteriors, want %d", len(got), len(want))
	}
	reached := map[string]int64{}
	for _, g := range got {
		if g.t <= reached[g.key] {
			return fmt.Sprintf("key %s: t %d after t %d", g.key, g.t, reached[g.key])
		}
		reached[g.key] = g.t
		i := slices.IndexFunc(want, func(p posterior) bool { return p.key == g.key && p.t == g.t })
		if i < 0 {
			return fmt.Sprintf("key %q, t %d was not published", g.key, g.t)
		}
		if d := g.difference(want[i]); d != "" {
			return fmt.Sprintf("key %s, t %d: %s", g.key, g.t, d)
		}
	}
	return ""
}

func (p posterior) difference(want posterior) string {
	if p.n != want.n {
		return fmt.Sprintf("n is %d, want %d", p.n, want.n)
	}
	if len(p.rows) != len(want.rows) || len(p.rows) == 0 {
		return fmt.Sprintf("%d variables, want %d", len(p.rows), len(want.rows))
	}
	for i, r := range p.rows {
		w := want.rows[i]
		if r.variable != w.variable || len(r.numbers) != len(statistics) {
			return fmt.Sprintf("variable %d is %q with %d statistics, want %q with %d", i, r.variable, len(r.numbers), w.variable, len(statistics))
		}
		for _, name := range statistics {
			g, ok := r.numbers[name]
			if !ok || !equal(g, w.numbers[name]) {
				return fmt.Sprintf("%s of %s is %v, want %v", name, r.variable, g, w.numbers[name])
			}
		}
	}
	return ""
}

// equal reports whether two numbers have the same bits, or are both not
// defined.
func equal(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}
