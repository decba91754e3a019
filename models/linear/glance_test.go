package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/internal/modeltest"
)

// Rows as far as a glance lets pass have more than a millionth on both sides, and sigma2 the probability that it says, whatever the
// rows before: other scales, wild ones among them, more columns than rows tell.
func TestGlanceIsSure(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 104))
	const all = 3000
	passed := 0
	for range all {
		p, rows := 1+r.IntN(8), 3+r.IntN(70)
		m := newTest(t, p)
		seen, sh := modeltest.RegressionShard(r, rows, p, true), modeltest.RegressionShard(r, 1, p, true)
		scale, wide := math.Exp(2*r.NormFloat64()*float64(r.IntN(2))), math.Exp(2*r.NormFloat64()*float64(r.IntN(2)))
		for i := range seen.Y {
			if seen.Y[i] *= scale; r.IntN(30) == 0 {
				seen.Y[i] *= wide
			}
			for j := 1; j < p; j++ {
				seen.X[i*p+j] *= wide
			}
		}
		for j := 1; j < p; j++ {
			sh.X[j] *= wide
		}
		d := modeltest.Stepper{Model: m}
		d.Must(t, seen, 1)
		w := m.work()
		if err := m.prepare(w); err != nil {
			t.Fatal(err)
		}
		if m.early() {
			passed += checkGlance(t, r, m, w, sh.X)
		}
		m.scratch.Put(w)
	}
	if t.Logf("%d of %d passed", passed, all); 2*passed < all {
		t.Errorf("%d of %d rows passed", passed, all)
	}
}

// checkGlance returns 1 if a glance lets the farthest row at x pass that it may.
func checkGlance(t *testing.T, r *rand.Rand, m *Model, w *work, x []float64) int {
	mean, side := 0., float64(2*r.IntN(2)-1)
	for j, v := range x {
		mean += v * m.post.beta[j]
	}
	row := func(sds float64) float64 { return mean + side*sds*math.Sqrt(m.s2) }
	sh := modeltest.RegressionShard(r, 1, m.P, true)
	copy(sh.X, x)
	near, far := 0., 8.
	for far-near > .01 {
		if sh.Y[0] = row((near + far) / 2); m.glance(w, sh) {
			near = (near + far) / 2
		} else {
			far = (near + far) / 2
		}
	}
	if near == 0 {
		return 0
	}
	m.mixFar(w)
	m.rowsAt(1, x, w.block)
	m.mixRows(&w.mix, 1, w.block)
	w.mix.take(0, 0, true)
	pit, _ := w.mix.At(row(near))
	if tail := min(pit, 1-pit); tail < 5e-6 {
		t.Errorf("%v columns, %v rows: a row with %v beyond it passed, at %.2f sds", m.P, m.n, tail, near)
	}
	m.fillFar(&w.far, 1)
	sum := 0.
	for i, s := range w.far.s {
		if s >= m.s2 && s <= above*m.s2 {
			sum += w.far.weight(i)
		}
	}
	// The nodes at the ends may count or not.
	if has, bound := sum/w.far.total, m.within(above); has < .8*bound {
		t.Errorf("%v columns, %v rows: sigma2 is there with %v, not with %v", m.P, m.n, has, bound)
	}
	return 1
}
