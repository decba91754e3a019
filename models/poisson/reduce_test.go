package poisson

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// randomStats are statistics of so many levels with one effect each: of levels
// without rows, of few and of many, and of numbers far apart.
func randomStats(r *rand.Rand, levels, c int) *stats {
	s := &stats{arrow: true, q: 1, g: levels, c: c, h: make([]float64, c), lam: make([]float64, c*c)}
	for range levels {
		size := math.Exp(6 * r.NormFloat64() * float64(r.IntN(2)))
		for range c {
			s.records = append(s.records, size*r.NormFloat64())
		}
		s.records = append(s.records, size*(float64(c)+r.Float64()), size*r.NormFloat64())
	}
	return s
}

// Levels together give the bits that they give one by one.
func TestReduceTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 6))
	for c := 1; c < 6; c++ {
		for _, levels := range []int{0, 1, 3, 4, 5, 8, 11, 500} {
			s := randomStats(r, levels, c)
			var one, four reduced
			one.reset(1, c, false)
			four.reset(1, c, false)
			m := math.Exp(3 * r.NormFloat64())
			if s.reduceScalar(&one, m, nil, false) != s.reduceAll(&four, m) {
				t.Fatal("not the same verdict")
			}
			if one.quad != four.quad || one.logs != four.logs || one.count != four.count || !slices.Equal(one.h, four.h) || !slices.Equal(one.lam, four.lam) {
				t.Errorf("c %d, %d levels: %+v, want %+v", c, levels, four, one)
			}
		}
	}
	s := randomStats(r, 9, 2)
	for _, level := range []int{4, 5} { // of which the product is above 0
		s.records[level*record(1, 2)+2] = -5
	}
	var w reduced
	w.reset(1, 2, false)
	if s.reduceAll(&w, 1) {
		t.Error("a precision below 0 is taken")
	}
}

// A place of a level with few entries of the core has the bits of one with many.
func TestPlaceOfFewEntries(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 7))
	for range 300 {
		c := 1 + r.IntN(3)
		s := randomStats(r, 4, c)
		g := gauss{m: []float64{r.ExpFloat64()}, b: make([]float64, c), l: make([]float64, c*c)}
		a := place{constant: r.NormFloat64(), core: make([]float64, c), level: r.IntN(4), z: []float64{r.NormFloat64()}}
		for i := range c {
			g.b[i], a.core[i] = r.NormFloat64(), float64(r.IntN(2))*r.NormFloat64()
			for j := range i + 1 {
				g.l[i*c+j] = r.NormFloat64()
			}
		}
		xi := slices.Clone(a.core)
		b, lam, h := s.record(a.level)
		inv := 1 / (lam[0] + g.m[0])
		zi := a.z[0] * inv
		mean, variance := a.constant+float64(zi*h[0]), float64(a.z[0]*zi)
		lin.Axpy(-zi, b, xi)
		mean += lin.Dot(xi, g.b)
		lin.SolveLower(c, g.l, xi)
		variance += lin.Dot(xi, xi)
		gotMean, got := g.at(s, &a, make([]float64, c), nil)
		if gotMean != mean || got != variance {
			t.Fatalf("mean %v and variance %v, want %v and %v", gotMean, got, mean, variance)
		}
	}
}

// The normals of the mixture are those that their precisions give.
func TestMixtureOfTheNodes(t *testing.T) {
	for _, groups := range []int{2, 7, 60, 400} {
		d := modeltest.Stepper{Model: newWork(t, groups, 3*groups, 2).Model}
		m := d.Model.(*Model)
		w := m.work()
		if err := m.prepare(w); err != nil {
			t.Fatal(err)
		}
		v := &m.post.vars[0]
		at := 0
		for i := range m.post.gauss {
			g := &m.post.gauss[i]
			for at < nodes && math.Exp(-v.l[at]) != g.m[0] {
				at++
			}
			var want gauss
			if at == nodes || !want.conditional(&m.shape, &m.stats, g.m, w) {
				t.Fatalf("normal %d is at no node", i)
			}
			if !slices.Equal(g.b, want.b) || !slices.Equal(g.l, want.l) || g.log != want.log {
				t.Errorf("normal %d: %+v, want %+v", i, g, want)
			}
		}
		m.scratch.Put(w)
	}
}
