package compressed

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

func newTestSketch(t testing.TB, p, rank int) *Sketch {
	t.Helper()
	s := Defaults()
	s.Rank = rank
	s, err := s.Complete("")
	if err != nil {
		t.Fatal(err)
	}
	m, err := newSketch(s, cdf.Dims{Columns: modeltest.Columns(p)}, newSketchScratch())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// solveDense solves a x = b by Gaussian elimination with pivoting, and
// destroys both.
func solveDense(n int, a, b []float64) []float64 {
	for i := range n {
		k := i
		for r := i; r < n; r++ {
			if math.Abs(a[r*n+i]) > math.Abs(a[k*n+i]) {
				k = r
			}
		}
		for c := range n {
			a[i*n+c], a[k*n+c] = a[k*n+c], a[i*n+c]
		}
		b[i], b[k] = b[k], b[i]
		for r := i + 1; r < n; r++ {
			f := a[r*n+i] / a[i*n+i]
			for c := i; c < n; c++ {
				a[r*n+c] -= f * a[i*n+c]
			}
			b[r] -= f * b[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for c := i + 1; c < n; c++ {
			b[i] -= a[i*n+c] * b[c]
		}
		b[i] /= a[i*n+i]
	}
	return b
}

// With the rank above p the posterior is that of conjugate regression on all
// rows at once, with the same kappa, by a program of another kind: normal
// equations of the centred and scaled rows, solved densely.
func TestSketchEqualsConjugateRegression(t *testing.T) {
	const p, n = 7, 90
	r := rand.New(rand.NewPCG(40, 1))
	sh := modeltest.RegressionShard(r, n, p, false)
	for i := range sh.X {
		sh.X[i] = 3*sh.X[i] + float64(i%p)
	}
	m := newTestSketch(t, p, 20)
	feed(t, m, sh, 11)

	mean, sd, ybar := make([]float64, p), make([]float64, p), 0.
	for i := range n {
		ybar += sh.Y[i] / n
		for j := range p {
			mean[j] += sh.X[i*p+j] / n
		}
	}
	for i := range n {
		for j := range p {
			e := sh.X[i*p+j] - mean[j]
			sd[j] += e * e / (n - 1)
		}
	}
	kappa := math.Exp(m.logKappa)
	gram, xy, yy := make([]float64, p*p), make([]float64, p), 0.
	for i := range n {
		u := sh.Y[i] - ybar
		yy += u * u
		for j := range p {
			z := (sh.X[i*p+j] - mean[j]) / math.Sqrt(sd[j])
			xy[j] += z * u
			for k := range p {
				gram[j*p+k] += z * (sh.X[i*p+k] - mean[k]) / math.Sqrt(sd[k])
			}
		}
	}
	for j := range p {
		gram[j*p+j] += 1 / kappa
	}
	solve := func(b []float64) []float64 {
		return solveDense(p, append([]float64(nil), gram...), append([]float64(nil), b...))
	}
	g := solve(xy)
	rate := 1 + yy/2
	for j := range p {
		rate -= xy[j] * g[j] / 2
	}
	rows := modeltest.Summarize(t, m, modeltest.Coefficients(p))
	for j := range p {
		unit := make([]float64, p)
		unit[j] = 1
		s := math.Sqrt(sd[j])
		want := math.Sqrt(rate/(1+n/2.-1)*solve(unit)[j]) / s
		if d := math.Abs(rows[j].Mean-g[j]/s) / want; !(d < 1e-8) {
			t.Errorf("gamma %d is %v, want %v", j, rows[j].Mean, g[j]/s)
		}
		if d := modeltest.Relative(rows[j].SD, want); !(d < 1e-8) {
			t.Errorf("sd of gamma %d is %v, want %v", j, rows[j].SD, want)
		}
	}
	if d := modeltest.Relative(rows[p].Mean, rate/(n/2.)); !(d < 1e-8) {
		t.Errorf("sigma2 is %v, want %v", rows[p].Mean, rate/(n/2.))
	}
	// kappa maximises the evidence: -1/2 log|I + kappa Z'Z| - a_n log b_n.
	w := m.work()
	if err := m.rotate(w.of2(m)); err != nil {
		t.Fatal(err)
	}
	best := m.evidence(w, m.logKappa)
	for x := -16.; x <= 6; x += .01 {
		if v := m.evidence(w, x); v > best+1e-7 {
			t.Fatalf("log kappa %v has evidence %v, %v has %v", m.logKappa, best, x, v)
		}
	}
}

// of2 makes the rows of the work those of the state.
func (w *sketchWork) of2(m *Sketch) *sketchWork {
	copy(w.m, m.b)
	w.rows = m.rows
	return w
}

// Giving up curvature leaves the mode and the diagonal of S where they were,
// in both forms of the decomposition (fewer and more rows than columns).
func TestTruncationKeepsModeAndDiagonal(t *testing.T) {
	for _, c := range []struct{ p, rank, rows int }{{40, 10, 25}, {12, 6, 60}} {
		r := rand.New(rand.NewPCG(41, 1))
		m := newTestSketch(t, c.p, c.rank)
		w := m.work()
		for shard := range 4 {
			sh := modeltest.RegressionShard(r, c.rows, c.p, false)
			row := 0
			fillRows(sh, &row, c.rows, w.x, w.y)
			if err := m.pass(w, c.rows, 1); err != nil {
				t.Fatal(err)
			}
			// w.m still holds the rows before the truncation.
			if !m.lossy || m.rows != c.rank {
				t.Fatalf("%d rows kept, lossy %v", m.rows, m.lossy)
			}
			for j := range c.p {
				full, kept := 0., m.c[j]
				for i := range w.rows {
					full += w.m[i*c.p+j] * w.m[i*c.p+j]
				}
				for i := range m.rows {
					kept += m.b[i*c.p+j] * m.b[i*c.p+j]
				}
				if shard == 0 && modeltest.Relative(kept, full) > 1e-12 {
					t.Errorf("diagonal %d is %v, was %v", j, kept, full)
				}
			}
			g := make([]float64, c.p)
			if !w.stored.factor(m.rows, c.p, m.b, m.c, math.Exp(m.logKappa)) {
				t.Fatal("not positive definite")
			}
			w.stored.solve(c.p, m.b, m.h, g, w.v1)
			for j := range g {
				if math.Abs(g[j]-m.g[j]) > 1e-9 {
					t.Errorf("p=%d shard %d: mode %d moves from %v to %v", c.p, shard, j, m.g[j], g[j])
				}
			}
		}
	}
}

// Scaling and shifting columns and response leaves the standardised result
// alone: the sketch centres and scales by itself.
func TestSketchIgnoresOriginAndScale(t *testing.T) {
	const p = 30
	r := rand.New(rand.NewPCG(42, 1))
	sh := modeltest.RegressionShard(r, 200, p, false)
	moved := modeltest.Cut(sh, 0, sh.Rows)
	moved.X = append([]float64(nil), sh.X...)
	for i := range moved.X {
		moved.X[i] = 1000 + moved.X[i]*float64(1+i%p)
	}
	moved.Y = append([]float64(nil), sh.Y...)
	for i := range moved.Y {
		moved.Y[i] -= 500
	}
	a, b := newTestSketch(t, p, 8), newTestSketch(t, p, 8)
	feed(t, a, sh, 20)
	feed(t, b, moved, 20)
	x, y := modeltest.Summarize(t, a, modeltest.Coefficients(p)), modeltest.Summarize(t, b, modeltest.Coefficients(p))
	for j := range p {
		if f := float64(1 + j); math.Abs(x[j].Mean-f*y[j].Mean) > 1e-6*x[j].SD || modeltest.Relative(f*y[j].SD, x[j].SD) > 1e-6 {
			t.Errorf("column %d: %v (%v) and %v (%v)", j, x[j].Mean, x[j].SD, y[j].Mean, y[j].SD)
		}
	}
}

// A column that is constant at first is scaled when it begins to vary, also
// after curvature was given up.
func TestSketchTakesALateColumn(t *testing.T) {
	const p = 20
	r := rand.New(rand.NewPCG(43, 1))
	m := newTestSketch(t, p, 5)
	d := modeltest.Stepper{Model: m}
	for shard := range 120 {
		sh := modeltest.RegressionShard(r, 30, p, false)
		for i := range sh.Rows {
			if x := &sh.X[i*p+3]; shard < 40 {
				*x = 7.1
			} else {
				*x = 7.1 + 50*r.NormFloat64()
				sh.Y[i] += .1 * (*x - 7.1)
			}
		}
		d.Must(t, sh, 1)
		if shard == 39 && (m.ss[3] != 0 || m.scale[3] != 1) {
			t.Fatalf("a constant column has %v, %v", m.ss[3], m.scale[3])
		}
	}
	if m.scale[3] < 30 || m.scale[3] > 70 {
		t.Errorf("scale %v", m.scale[3])
	}
	row := modeltest.Summarize(t, m, modeltest.Coefficients(p))[3]
	if math.Abs(row.Mean-.1) > 5*row.SD || row.SD > .005 {
		t.Errorf("gamma %v (%v), want .1", row.Mean, row.SD)
	}
}

// The state is 8(rp + 6p + 11) + 6 bytes, linear in p, from the shard on that
// fills the sketch, and the same shards give the same bits.
func TestSketchStateIsFlat(t *testing.T) {
	const rank = 12
	for _, p := range []int{30, 60} {
		states := make([][]byte, 2)
		for k := range states {
			r := rand.New(rand.NewPCG(44, 1))
			m := newTestSketch(t, p, rank)
			d := modeltest.Stepper{Model: m}
			for range 30 {
				d.Must(t, modeltest.RegressionShard(r, 20, p, false), 1)
				b, err := m.AppendBinary(nil)
				if err != nil {
					t.Fatal(err)
				}
				if want := 8*(rank*p+6*p+11) + 6; len(b) != want {
					t.Fatalf("p=%d, shard %d: %d bytes, want %d", p, d.T, len(b), want)
				}
				states[k] = b
			}
		}
		if !bytes.Equal(states[0], states[1]) {
			t.Errorf("p=%d: two runs differ", p)
		}
	}
}

// A restored state is solved anew, although another one was in the same model.
func TestSketchIsSolvedAfterRestore(t *testing.T) {
	sh := modeltest.RegressionShard(rand.New(rand.NewPCG(45, 1)), 60, 6, false)
	m, fresh := newTestSketch(t, 6, 3), newTestSketch(t, 6, 3)
	feed(t, m, modeltest.Cut(sh, 0, 30), 15)
	old := modeltest.State(t, m)
	feed(t, m, sh, 15)
	modeltest.Published(t, m, sh)
	for _, s := range []*Sketch{m, fresh} {
		if err := s.UnmarshalBinary(old); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := modeltest.Published(t, m, sh), modeltest.Published(t, fresh, sh); got != want {
		t.Errorf("published\n%s\nwant\n%s", got, want)
	}
}
