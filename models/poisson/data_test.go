package poisson

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/accept"
)

// mixedData is a regression of counts with one factor, and its reference
// posterior by long MCMC runs.
type mixedData struct {
	columns   []string
	x         [][]float64
	y         []float64
	group     []int32
	label     []string // per group
	reference map[string]reference
}

type reference struct{ mean, sd, glmer, glmerSE float64 }

func readTable(t testing.TB, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(accept.Shared(t, path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range all[1:] {
		row := map[string]string{}
		for j, name := range all[0] {
			row[name] = line[j]
		}
		rows = append(rows, row)
	}
	return rows
}

// maybeNumber reads a number, NaN where there is none.
func maybeNumber(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// readMixed reads the data set; h is a column over 100.
func readMixed(t testing.TB, set string, columns []string) mixedData {
	t.Helper()
	d := mixedData{columns: append([]string{"intercept"}, columns...), reference: map[string]reference{}}
	level := map[string]int32{}
	for _, row := range readTable(t, "data/"+set+".csv") {
		x := []float64{1}
		for _, c := range columns {
			if c == "h" {
				x = append(x, maybeNumber(row["cheight"])/100)
			} else {
				x = append(x, maybeNumber(row[c]))
			}
		}
		g, ok := level[row["group"]]
		if !ok {
			g = int32(len(level))
			level[row["group"]] = g
			d.label = append(d.label, row["group"])
		}
		d.x, d.y, d.group = append(d.x, x), append(d.y, maybeNumber(row["y"])), append(d.group, g)
	}
	for _, row := range readTable(t, "data/reference/poisson_"+set+".csv") {
		d.reference[row["param"]] = reference{maybeNumber(row["mean"]), maybeNumber(row["sd"]), maybeNumber(row["glmer"]), maybeNumber(row["glmer_se"])}
	}
	return d
}

// shards cuts the rows, in file order.
func (d *mixedData) shards(rows int) []*cdf.Shard {
	var out []*cdf.Shard
	for lo := 0; lo < len(d.y); lo += rows {
		hi := min(lo+rows, len(d.y))
		sh := &cdf.Shard{Rows: hi - lo, Cols: len(d.columns), Y: d.y[lo:hi], Group: [][]int32{d.group[lo:hi]}}
		for _, x := range d.x[lo:hi] {
			sh.X = append(sh.X, x...)
		}
		out = append(out, sh)
	}
	return out
}
