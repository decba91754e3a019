package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// many visits models of as many rows as the closed form takes, and more: with
// columns that lie beside each other, are empty or tiny, coefficients that their
// prior does not expect, and little or much noise.
func many(t testing.TB, visit func(name string, m *Model)) {
	for _, rows := range []int{60, 100, 1000, 30_000} {
		for _, noise := range []float64{1e-6, 1e-2, 1, 30} {
			for _, column := range []float64{0, 1e-9, 1e-5, 1e-2, .03, 1, 1e3} {
				for _, shape := range []float64{.5, 1, 20} {
					s := Defaults()
					s.Prior.Sigma2Shape, s.Prior.InterceptVariance = shape, 1
					m, err := New(s, cdf.Dims{Columns: modeltest.Columns(4), Intercept: true})
					if err != nil {
						t.Fatal(err)
					}
					r := rand.New(rand.NewPCG(5, uint64(rows)))
					sh := modeltest.RegressionShard(r, rows, 4, true)
					for i := range rows {
						x := sh.X[4*i : 4*i+4]
						x[2] = x[1] + column*x[2]
						x[3] *= column
						sh.Y[i] = x[1] - 20*x[3]/(column+1e-300) + noise*r.NormFloat64()
					}
					d := modeltest.Stepper{Model: m}
					d.Must(t, sh, 1)
					visit(fmt.Sprintf("%d rows, noise %g, column %g, shape %g", rows, noise, column, shape), m)
				}
			}
		}
	}
}

// The nodes of a peak against those of the search, four times as close. Where prior
// and data disagree there is no peak to be sure of.
func TestEvidenceOfPeaks(t *testing.T) {
	peaks, others, worst := 0, 0, 0.0
	many(t, func(name string, m *Model) {
		w := m.work()
		defer m.scratch.Put(w)
		if m.placePeak(&w.nodes) {
			peaks++
		} else {
			others++
		}
		got := m.logEvidence(w)
		m.fillNodes(&w.nodes)
		n := &w.nodes
		m.layNodes(n, n.l[0], n.l[len(n.l)-1], 4*(len(n.l)-1))
		n.raise(n.top)
		off := math.Abs(got - m.evidence(n))
		worst = max(worst, off/max(1, math.Abs(got)*1e-3))
		if !(off < 5e-12*max(1, math.Abs(got)*1e-3)) {
			t.Errorf("%s: evidence %v is off by %.2g", name, got, off)
		}
	})
	t.Logf("%d peaks, %d others, off by at most %.2g", peaks, others, worst)
	if peaks < 100 || others < 100 {
		t.Errorf("%d peaks and %d others", peaks, others)
	}
}
