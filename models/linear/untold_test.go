package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
	"gonum.org/v1/gonum/mat"
)

// untoldDense returns the mean over rows of x'S P S x, over that of s2 + x'S x, where S is the inverse of X'X/s2 + P.
func untoldDense(t *testing.T, m *Model, sh *cdf.Shard) float64 {
	t.Helper()
	p, s2 := m.P, m.plugin()
	precision := mat.NewSymDense(p, nil)
	for i := range p {
		for j := i; j < p; j++ {
			v := 0.0
			for k := range i + 1 {
				row := m.r[lin.PackedRow(p+1, k):]
				v += row[i-k] * row[j-k]
			}
			precision.SetSym(i, j, v/s2)
		}
	}
	w := m.work()
	defer m.scratch.Put(w)
	for j, sd := range w.sd {
		precision.SetSym(j, j, precision.At(j, j)+1/(sd*sd))
	}
	var chol mat.Cholesky
	if !chol.Factorize(precision) {
		t.Fatal("no factor")
	}
	untold, variance := 0.0, 0.0
	for i := range sh.Rows {
		x := mat.NewVecDense(p, lin.Row(sh.X, p, i))
		var v mat.VecDense
		if err := chol.SolveVecTo(&v, x); err != nil {
			t.Fatal(err)
		}
		variance += s2 + mat.Dot(x, &v)
		for j, sd := range w.sd {
			untold += v.AtVec(j) * v.AtVec(j) / (sd * sd)
		}
	}
	return untold / variance
}

// What is the prior's of a prediction is that of the dense formula, by the form and in series, and falls with the rows.
func TestUntold(t *testing.T) {
	series := 0
	for _, p := range []int{1, 2, 5, 30, seriesColumns, 90} {
		m := newTest(t, p)
		d := modeltest.Stepper{Model: m}
		r := rand.New(rand.NewPCG(97, uint64(p)))
		shard := func(rows int) *cdf.Shard { return modeltest.RegressionShard(r, rows, p, true) }
		last := 1.0
		for _, rows := range []int{1, 1 + p/2, p, 2 * p, 4 * p, 3 * p / 2} {
			d.Must(t, shard(rows), .999)
			next := shard(40)
			got, err := m.Score(next, nil)
			if err != nil || !m.early() {
				t.Fatal(m.n, err)
			}
			want, bound := untoldDense(t, m, next), 1e-9
			if m.inSeries() {
				series++
				bound = 1e-4 // s0 is near the plug-in
			}
			if !(math.Abs(got.Untold-want) <= bound*want) {
				t.Errorf("p=%d n=%v: %v, by the dense formula %v", p, m.n, got.Untold, want)
			}
			if p > 5 && !(got.Untold < last) {
				t.Errorf("p=%d n=%v: %v, with fewer rows %v", p, m.n, got.Untold, last)
			}
			last = got.Untold
		}
	}
	if series == 0 {
		t.Error("no posterior was a series")
	}
}
