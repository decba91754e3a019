package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/internal/dist"
)

// What is published by the nodes of a bend is that of twelve times as many, from one row a
// column on and with rows far from all others.
func TestBendsAgainstQuadrature(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	worst, sigma, evidence, bent, all := 0.0, 0.0, 0.0, 0, 0
	for _, c := range [][2]int{{3, 1}, {5, 1}, {5, 2}, {5, 4}, {10, 3}, {10, 6}, {10, 8}, {20, 6}, {20, 8}, {40, 6}, {20, 20}, {100, 20}, {190, 20}} {
		rows, p := c[0], c[1]
		for trial := range 20 {
			m, err := New(Defaults(), cdf.Dims{Columns: modeltest.Columns(p), Intercept: true})
			if err != nil {
				t.Fatal(err)
			}
			sh := modeltest.RegressionShard(r, rows, p, true)
			for i := range sh.Y {
				switch trial % 4 {
				case 1:
					sh.Y[i] += r.NormFloat64() / math.Sqrt(0.3*r.ExpFloat64())
				case 2:
					sh.Y[i] *= 0.05
				case 3:
					sh.Y[i] *= 20
				}
			}
			d := modeltest.Stepper{Model: m}
			d.Must(t, sh, 1)
			w := m.work()
			m.mixNodes(w)
			if all++; w.nodes.bend == nil {
				continue
			}
			bent++
			name := fmt.Sprintf("%d rows, %d columns, trial %d", rows, p, trial)
			if k := len(w.mix.W); k > 36 {
				t.Errorf("%s: %d components", name, k)
			}
			dense, found := newDense(m), modeltest.Summarize(t, m, modeltest.Coefficients(p))
			for j, row := range found {
				at := func(float64) (float64, float64) { return 0, 0 }
				if j < p {
					at = dense.law(lin.Row(m.post.m, p, j), false)
				}
				for k, q := range []float64{row.Q025, row.Q05, row.Q25, row.Median, row.Q75, row.Q95, row.Q975} {
					level := dist.Levels[k]
					if j == p {
						sd := row.Q75 - row.Q25
						if !(math.Abs(q-dense.sigma2(level)) < 1e-10*sd) {
							t.Errorf("%s, sigma2: the %v quantile is off by %.2g sd", name, level, math.Abs(q-dense.sigma2(level))/sd)
						}
						sigma = max(sigma, math.Abs(q-dense.sigma2(level))/sd)
						continue
					}
					below, density := at(q)
					off := math.Abs(below-level) / density / row.SD
					if worst = max(worst, off); !(off < 2e-10) {
						t.Errorf("%s, coefficient %d: the %v quantile is off by %.2g sd", name, j, level, off)
					}
				}
			}
			total := 0.0
			for _, l := range dense.l {
				total += math.Exp(m.logJoint(l) - dense.top)
			}
			off := math.Abs(math.Log(total*dense.h) - math.Log(w.nodes.total*w.nodes.h))
			if evidence = max(evidence, off); !(off < 2e-12) {
				t.Errorf("%s: log evidence off by %.2g", name, off)
			}
		}
	}
	t.Logf("%d of %d bent; off by at most %.2g sd, quantiles of sigma2 by %.2g, log evidence by %.2g", bent, all, worst, sigma, evidence)
	if bent < all*3/4 {
		t.Errorf("%d of %d laws are bent", bent, all)
	}
}

// The weights of sums to a node have room for all.
func TestBendsHaveWeights(t *testing.T) {
	for _, class := range bends() {
		for _, b := range class {
			if len(b.at) >= mostBent {
				t.Errorf("%d nodes of spacing %v, r %v", len(b.at), b.h, b.r)
			}
		}
	}
	// Si(pi) and Si(2 pi), to 16 digits.
	for k, si := range []float64{0, 1.851937051982466, 1.418151576132628} {
		if want := 0.5 + si/math.Pi; math.Abs(sincSums()[mostBent-k]-want) > 1e-15 || math.Abs(sincSums()[mostBent+k]+want-1) > 1e-15 {
			t.Errorf("weights %d cells on and back: %v and %v, want %v", k, sincSums()[mostBent-k], sincSums()[mostBent+k], want)
		}
	}
}
