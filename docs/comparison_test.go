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

// TestComparisonIsMeasured finds figures of comparison.md that are not those
// of a row of performance.md, within a sixth: a run of make bench on the same
// code moves them by less.
func TestComparisonIsMeasured(t *testing.T) {
	measured := map[string]float64{}
	for _, row := range cells(read(t, "performance.md")) {
		if len(row) < 5 {
			continue
		}
		if ratio, err := strconv.ParseFloat(row[4], 64); err == nil {
			measured[row[0]] = ratio
		}
	}
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
		switch ratio, ok := measured[row[0]]; {
		case !ok:
			t.Errorf("performance.md has no row %q", row[0])
		case math.Abs(math.Log(says/ratio)) > math.Log(7./6):
			t.Errorf("%s: the page says %g, performance.md %g", row[0], says, ratio)
		}
		compared++
	}
	if compared < 10 {
		t.Errorf("only %d rows are compared", compared)
	}
}
