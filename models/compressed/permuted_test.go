package compressed

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/compressed/projection"
)

// permuteBlocks returns a with its blocks of k numbers in the order of perm.
func permuteBlocks(perm []int, k int, a []float64) []float64 {
	out := make([]float64, len(a))
	for j, from := range perm {
		copy(lin.Row(out, k, j), lin.Row(a, k, from))
	}
	return out
}

// permuteColumns returns the shard with its columns in the order of perm.
func permuteColumns(perm []int, sh *cdf.Shard) *cdf.Shard {
	out := modeltest.Cut(sh, 0, sh.Rows)
	out.X = nil
	for i := range sh.Rows {
		out.X = append(out.X, permuteBlocks(perm, 1, lin.Row(sh.X, sh.Cols, i))...)
	}
	return out
}

// The sketch treats its columns alike: in another order they get the same
// coefficients and sds, also where curvature is given up.
func TestSketchPermutes(t *testing.T) {
	const p = 30
	r := rand.New(rand.NewPCG(56, 1))
	perm := r.Perm(p)
	for _, rank := range []int{8, 40} {
		sh := modeltest.RegressionShard(r, 200, p, false)
		a, b := newTestSketch(t, p, rank), newTestSketch(t, p, rank)
		feed(t, a, sh, 20)
		feed(t, b, permuteColumns(perm, sh), 20)
		x, y := modeltest.Summarize(t, a, modeltest.Coefficients(p)), modeltest.Summarize(t, b, modeltest.Coefficients(p))
		for j, from := range perm {
			if math.Abs(y[j].Mean-x[from].Mean) > 1e-8*x[from].SD || modeltest.Relative(y[j].SD, x[from].SD) > 1e-8 {
				t.Errorf("rank %d: column %d is %v (%v), elsewhere %v (%v)", rank, from, x[from].Mean, x[from].SD, y[j].Mean, y[j].SD)
			}
		}
		if modeltest.Relative(y[p].Mean, x[p].Mean) > 1e-8 {
			t.Errorf("rank %d: sigma2 %v and %v", rank, x[p].Mean, y[p].Mean)
		}
	}
}

// permutedLearned is a model whose Phi0 has its columns in the order of perm.
func permutedLearned(m *Learned, perm []int) *Learned {
	plain := newLearnedScratch()
	m.scratch = &sync.Pool{New: func() any {
		c := *m
		c.scratch = plain
		w := c.work()
		w.phi0 = permuteBlocks(perm, m.m, projection.Orthonormal(m.settings.ProjectionSeed, m.m, m.P))
		return w
	}}
	m.phi = permuteBlocks(perm, m.m, m.phi)
	return m
}

// centers returns the conditional means of Phi given K.
func centers(t *testing.T, m *Learned, kappa []float64) []float64 {
	t.Helper()
	w := m.work()
	w.sweep.begin(m)
	step := cdf.Step{RNG: rand.New(rand.NewPCG(58, 1))}
	if !w.sweep.run(m, w, &step, append([]float64(nil), kappa...)) {
		t.Fatal("not positive definite")
	}
	return w.center
}

// Columns that are permuted together with those of Phi0 permute the law: the
// statistics, the conditional means given K and, with the same estimates of
// Phi and K, what is published, all to rounding. The estimates themselves come
// from a chain whose random numbers meet other columns; over 8 runs of it the
// means agree within 5 of their standard errors.
func TestLearnedPermutes(t *testing.T) {
	const p, k, shards = 12, 3, 6
	r := rand.New(rand.NewPCG(57, 1))
	perm := r.Perm(p)
	all := modeltest.RegressionShard(r, 20*shards, p, false)
	for _, statistics := range []string{"packed", "lean"} {
		model := func() *Learned {
			return newTest(t, "", "{dimension: 3, statistics: "+statistics+"}", modeltest.Columns(p)).(*Learned)
		}
		a, b := model(), permutedLearned(model(), perm)
		same := func(what string, got, want []float64) {
			t.Helper()
			for i, v := range want {
				if math.Abs(got[i]-v) > 1e-9*(1+math.Abs(v)) {
					t.Fatalf("%s: %s is %v, want %v", statistics, what, got, want)
				}
			}
		}
		da, db := modeltest.Stepper{Model: a}, modeltest.Stepper{Model: b, Seed: 1}
		for i := range shards {
			sh := modeltest.Cut(all, 20*i, 20*(i+1))
			da.Must(t, sh, 1)
			db.Must(t, permuteColumns(perm, sh), 1)
			same("C11", b.c11, a.c11)
			same("C12", b.c12, a.c12)
			same("C21", b.c21, permuteBlocks(perm, a.width21(), a.c21))
			same("C22", b.c22, permuteBlocks(perm, a.width22(), a.c22))
			b.phi, b.ready = permuteBlocks(perm, k, a.phi), false
			copy(b.kappa, a.kappa)
			copy(b.chain, a.chain)
			x, y := modeltest.Summarize(t, a, modeltest.Coefficients(p)), modeltest.Summarize(t, b, modeltest.Coefficients(p))
			for j, from := range perm {
				same("mean and sd", []float64{y[j].Mean, y[j].SD}, []float64{x[from].Mean, x[from].SD})
			}
			same("conditional mean", centers(t, b, a.chain), permuteBlocks(perm, k, centers(t, a, a.chain)))
		}

		const runs = 8
		var sum, square [2][2 * p]float64
		for run := range uint64(runs) {
			a, b := model(), permutedLearned(model(), perm)
			da, db := modeltest.Stepper{Model: a, Seed: 100 + run}, modeltest.Stepper{Model: b, Seed: 200 + run}
			for i := range shards {
				sh := modeltest.Cut(all, 20*i, 20*(i+1))
				da.Must(t, sh, 1)
				db.Must(t, permuteColumns(perm, sh), 1)
			}
			x, y := modeltest.Summarize(t, a, modeltest.Coefficients(p)), modeltest.Summarize(t, b, modeltest.Coefficients(p))
			for j, from := range perm {
				for c, row := range []cdf.Row{x[from], y[j]} {
					for i, v := range []float64{row.Mean, row.SD} {
						sum[c][2*j+i] += v / runs
						square[c][2*j+i] += v * v / runs
					}
				}
			}
		}
		for i := range sum[0] {
			variance := 0.
			for c := range sum {
				variance += (square[c][i] - sum[c][i]*sum[c][i]) / (runs - 1)
			}
			z := (sum[1][i] - sum[0][i]) / math.Sqrt(variance)
			if math.Abs(z) > 5 {
				t.Errorf("%s: column %d: %v, permuted %v", statistics, perm[i/2], sum[0][i], sum[1][i])
			}
		}
	}
}
