package compressed

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
)

// realData is one of the two real sets: scaled by the training rows, as the
// reference was computed. The order of the training rows may be shuffled.
type realData struct {
	names      []string
	train, fit *cdf.Shard
}

func readReal(t testing.TB, set string) realData {
	t.Helper()
	file, err := os.Open(accept.Shared(t, "data/"+set+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // only read
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	response, first := 0, 1
	if set == "nirsoil" {
		response, first = 1, 4
	}
	var y []float64
	var x [][]float64
	for _, line := range lines[1:] {
		v, err := strconv.ParseFloat(line[response], 64)
		if err != nil {
			continue
		}
		if set == "nirsoil" {
			v = math.Log(v)
		}
		row := make([]float64, 0, len(line)-first)
		for _, text := range line[first:] {
			u, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatalf("%s: %v", set, err)
			}
			row = append(row, u)
		}
		y, x = append(y, v), append(x, row)
	}
	n := len(y) * 4 / 5
	center, scale := standardise(y[:n])
	for i := range y {
		y[i] = (y[i] - center) / scale
	}
	var out realData
	var keep []int
	column := make([]float64, n)
	for j := range x[0] {
		for i := range n {
			column[i] = x[i][j]
		}
		center, scale := standardise(column)
		if scale == 0 {
			continue
		}
		for i := range x {
			x[i][j] = (x[i][j] - center) / scale
		}
		keep = append(keep, j)
		out.names = append(out.names, lines[0][first+j])
	}
	all := &cdf.Shard{Rows: len(y), Cols: len(keep), Y: y}
	for _, row := range x {
		for _, j := range keep {
			all.X = append(all.X, row[j])
		}
	}
	out.train, out.fit = modeltest.Cut(all, 0, n), modeltest.Cut(all, n, len(y))
	return out
}

func standardise(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean)
	}
	if sd < 1e-20 {
		return mean, 0
	}
	return mean, math.Sqrt(sd / float64(len(v)-1))
}

// shuffled returns the rows in an order of the seed, 0 for the file's.
func shuffled(sh *cdf.Shard, seed uint64) *cdf.Shard {
	if seed == 0 {
		return sh
	}
	out := &cdf.Shard{Rows: sh.Rows, Cols: sh.Cols}
	for _, i := range rand.New(rand.NewPCG(seed, 1)).Perm(sh.Rows) {
		out.Y = append(out.Y, sh.Y[i])
		out.X = append(out.X, lin.Row(sh.X, sh.Cols, i)...)
	}
	return out
}

// feed takes the model through the rows, rows at a time (0: all at once).
func feed(t testing.TB, m cdf.Model, sh *cdf.Shard, rows int) {
	t.Helper()
	if rows == 0 {
		rows = sh.Rows
	}
	d := modeltest.Stepper{Model: m}
	for i := 0; i < sh.Rows; i += rows {
		d.Must(t, modeltest.Cut(sh, i, min(i+rows, sh.Rows)), 1)
	}
}

func testScore(t testing.TB, m cdf.Model, sh *cdf.Shard) (mspe, coverage float64) {
	t.Helper()
	score, err := m.(cdf.Predictor).Score(sh, nil)
	if err != nil {
		t.Fatal(err)
	}
	return score.RMSE * score.RMSE, score.Coverage95
}
