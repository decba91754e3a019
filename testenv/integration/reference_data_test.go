//go:build unix

package integration

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// table is the content of a CSV file.
type table struct {
	header []string
	lines  [][]string
	path   string // of file, once made
}

func readTable(t *testing.T, name string) *table {
	t.Helper()
	f, err := os.Open(data(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return &table{header: lines[0], lines: lines[1:]}
}

// at returns the place of a column.
func (d *table) at(t *testing.T, column string) int {
	t.Helper()
	i := slices.Index(d.header, column)
	if i < 0 {
		t.Fatalf("no column %s in %q", column, d.header)
	}
	return i
}

// only returns a table of some of the columns.
func (d *table) only(t *testing.T, columns ...string) *table {
	t.Helper()
	out := &table{header: columns}
	at := make([]int, len(columns))
	for i, c := range columns {
		at[i] = d.at(t, c)
	}
	for _, line := range d.lines {
		short := make([]string, len(at))
		for i, j := range at {
			short[i] = line[j]
		}
		out.lines = append(out.lines, short)
	}
	return out
}

// without returns the rows that have none of the texts in any column.
func (d *table) without(texts ...string) *table {
	out := &table{header: d.header}
	for _, line := range d.lines {
		if !slices.ContainsFunc(line, func(f string) bool { return slices.Contains(texts, f) }) {
			out.lines = append(out.lines, line)
		}
	}
	return out
}

func (d *table) numbers(t *testing.T, column string) []float64 {
	t.Helper()
	j, out := d.at(t, column), make([]float64, len(d.lines))
	for i, line := range d.lines {
		v, err := strconv.ParseFloat(line[j], 64)
		if err != nil {
			t.Fatalf("column %s: %v", column, err)
		}
		out[i] = v
	}
	return out
}

// file writes the table to a file, the first time, and returns its path.
func (d *table) file(t *testing.T) string {
	t.Helper()
	if d.path != "" {
		return d.path
	}
	dir, err := os.MkdirTemp(binaries, "data-*")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "rows.csv")
	f, err := os.Create(path) //nolint:gosec // a folder of our own
	if err != nil {
		t.Fatal(err)
	}
	w := csv.NewWriter(f)
	if err := w.WriteAll(append([][]string{d.header}, d.lines...)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	d.path = path
	return path
}

// standard returns the mean and the standard deviation (n - 1).
func standard(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean) / float64(len(v)-1)
	}
	return mean, math.Sqrt(sd)
}

// scaled is a column in a configuration, with its centre and scale.
func (d *table) scaled(t *testing.T, column string) string {
	t.Helper()
	center, scale := standard(d.numbers(t, column))
	return fmt.Sprintf("{name: %s, center: %v, scale: %v}", column, center, scale)
}

// moments are a parameter's in a reference.
type moments struct {
	param    string
	mean, sd float64
}

// readReference reads the lines of a file of references that begin with the
// given fields. The parameter's name is the field after them; the columns
// called mean and sd are as told.
func readReference(t *testing.T, file, mean, sd string, begin ...string) []moments {
	t.Helper()
	d := readTable(t, "reference/"+file)
	var out []moments
	number := func(line []string, column string) float64 {
		v, err := strconv.ParseFloat(line[d.at(t, column)], 64)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		return v
	}
	for _, line := range d.lines {
		if slices.Equal(line[:len(begin)], begin) {
			out = append(out, moments{line[len(begin)], number(line, mean), number(line, sd)})
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s has nothing about %q", file, begin)
	}
	return out
}

// limits say how far a posterior may be from a reference: means in posterior
// sds, and between which factors of the reference's sds lie.
type limits struct{ mean, least, most float64 }

// within are limits with the same room for an sd on either side.
func within(mean, sd float64) limits { return limits{mean, 1 - sd, 1 + sd} }

// close holds the variables that the parameters of a reference are called
// against it, and prints the worst of them.
func (p posterior) close(t *testing.T, what string, ref []moments, limit limits, variable func(param string) (string, bool)) {
	t.Helper()
	worst, least, most, n := 0.0, math.Inf(1), 0.0, 0
	for _, want := range ref {
		name, ok := variable(want.param)
		if !ok {
			continue
		}
		n++
		got, ok := p.variable[name]
		if !ok {
			t.Errorf("no variable %s", name)
			continue
		}
		off, factor := math.Abs(got.mean-want.mean)/want.sd, got.sd/want.sd
		if !(off <= limit.mean) || !(limit.least <= factor && factor <= limit.most) {
			t.Errorf("%s is %.6g (%.4g), want %.6g (%.4g)", name, got.mean, got.sd, want.mean, want.sd)
		}
		worst, least, most = max(worst, off), min(least, factor), max(most, factor)
	}
	if n == 0 {
		t.Errorf("%s: nothing was compared", what)
	}
	t.Logf("%s: means within %.2g sd (limit %.3g), sds %.4g to %.4g times (limits %.3g, %.3g), of %d", what, worst, limit.mean, least, most, limit.least, limit.most, n)
}

// named takes one parameter under the name of a variable.
func named(param, variable string) func(string) (string, bool) {
	return func(p string) (string, bool) { return variable, p == param }
}
