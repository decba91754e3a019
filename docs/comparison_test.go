package docs

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// cells returns the trimmed cells of the lines of all tables of a page.
func cells(page string) [][]string {
	var rows [][]string
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			continue
		}
		row := strings.Split(strings.Trim(line, "|"), "|")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		rows = append(rows, row)
	}
	return rows
}

// measured returns the ratios of the table of performance.md by their items.
func measured(t *testing.T) map[string]float64 {
	t.Helper()
	ratios := map[string]float64{}
	for _, row := range cells(read(t, "performance.md")) {
		if len(row) < 5 {
			continue
		}
		if ratio, err := strconv.ParseFloat(row[4], 64); err == nil {
			ratios[row[0]] = ratio
		}
	}
	return ratios
}

// agree reports whether a figure that a page gives is the measured one within
// a sixth: a run of make bench on the same code moves it by less.
func agree(says, ratio float64) bool { return math.Abs(math.Log(says/ratio)) <= math.Log(7./6) }

// TestReadmeIsMeasured finds what README.md says of speed and performance.md
// does not.
func TestReadmeIsMeasured(t *testing.T) {
	readme := strings.Join(strings.Fields(read(t, "../README.md")), " ")
	ratios := measured(t)
	for words, row := range map[string]struct {
		item string
		says float64
	}{
		"a twenty-fourth of the processor time of river's Bayesian regression with 5 columns": {"linear p=5, n=100 against river BayesianLinearRegression.learn_many", 24},
		"and a sixth with 50.":                                {"linear p=50, n=100 against river BayesianLinearRegression.learn_many", 6},
		"takes a ninth of the time of the same job in Python": {"consumer run against a job in Python (confluent-kafka, pyarrow, numpy, Redis)", 9},
		"7 times as long for shards of 10 rows and 5 columns": {"linear p=5, n=10 against numpy", 7},
		"twice as long for 1,000 rows.":                       {"linear p=5, n=1000 against numpy", 2},
	} {
		if !strings.Contains(readme, words) {
			t.Errorf("README.md no longer says %q", words)
		}
		if ratio := ratios[row.item]; !agree(row.says, ratio) {
			t.Errorf("README.md says %q, performance.md %g", words, ratio)
		}
	}
	for item, ratio := range ratios {
		large := strings.Contains(item, ", n=10000 ")
		switch {
		case strings.HasSuffix(item, " against numpy") && (ratio > 1) == large, strings.HasSuffix(item, " that scores") && ratio <= 1:
			t.Errorf("README.md says that numpy takes longer, but for shards of 10,000 rows that it does not score; %s: %g", item, ratio)
		}
	}
}

// TestComparisonIsMeasured finds figures of comparison.md that are not those
// of a row of performance.md.
func TestComparisonIsMeasured(t *testing.T) {
	ratios := measured(t)
	_, table, found := strings.Cut(read(t, "comparison.md"), "\n## Measured\n")
	if !found {
		t.Fatal("comparison.md has no heading Measured")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	compared := 0
	for _, row := range cells(table)[2:] {
		says, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			t.Errorf("%s: %v", row[0], err)
			continue
		}
		switch ratio, ok := ratios[row[0]]; {
		case !ok:
			t.Errorf("performance.md has no row %q", row[0])
		case !agree(says, ratio):
			t.Errorf("%s: the page says %g, performance.md %g", row[0], says, ratio)
		}
		compared++
	}
	if compared < 10 {
		t.Errorf("only %d rows are compared", compared)
	}
}
