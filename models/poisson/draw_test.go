package poisson

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// drawsApart fills the draws as draw says, one after the other: its definition.
func drawsApart(m *base, s *cdf.Step, w *work) bool {
	st, effects := &m.stats, m.stats.effects()
	b := make([]float64, st.c)
	w.block.size(st.q, st.c)
	for k := range s.Draws.S {
		l := 0.0
		for t := range m.post.vars {
			l = m.post.vars[t].quantile(s.RNG.Float64())
			s.Draws.Row(m.k + effects + t)[k] = math.Exp(l)
		}
		g := &m.post.gauss[m.post.normalAt(l, s.RNG)]
		for i := range b {
			b[i] = s.RNG.NormFloat64()
		}
		lin.SolveLowerT(st.c, g.l, b)
		lin.Axpy(1, g.b, b)
		for j := range m.k {
			s.Draws.Row(j)[k] = b[j]
		}
		row := m.k
		for f, factor := range m.factors {
			n := st.levels(f)
			for level := range n {
				var u []float64
				if f > 0 || !st.arrow {
					u = b[st.at[f][level]:][:factor.q]
				} else {
					rb, ra, rh := st.record(level)
					if !w.block.load(g.m, rb, ra, rh) {
						return false
					}
					u = w.block.h
					for j := range u {
						u[j] += s.RNG.NormFloat64() - lin.Dot(lin.Row(w.block.f, st.c, j), b)
					}
					lin.SolveLowerT(st.q, w.block.l, u)
				}
				for j, v := range u {
					s.Draws.Row(row + j*n + level)[k] = v
				}
			}
			row += n * factor.q
		}
	}
	return true
}

// drawModel is a model that has seen two rows of each level: of a first factor with so
// many levels and slopes, 0 none, and of a second with so many levels and an intercept.
func drawModel(t testing.TB, levels, slopes, second int) *Model {
	t.Helper()
	d := cdf.Dims{Columns: []string{"intercept"}, Intercept: true}
	var names []string
	for j := range max(slopes, 1) {
		names = append(names, fmt.Sprintf("x%d", j))
	}
	d.Columns = append(d.Columns, names...)
	if levels > 0 {
		d.Groups = append(d.Groups, cdf.Group{Column: "a", Slopes: names[:slopes]})
	}
	if second > 0 {
		d.Groups = append(d.Groups, cdf.Group{Column: "b"})
	}
	m, err := New(Defaults(), d)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(levels), uint64(slopes)))
	u := make([]float64, (slopes+1)*max(levels, 1))
	for i := range u {
		u[i] = .4 * r.NormFloat64()
	}
	rows := 2*levels + 40
	sh := &cdf.Shard{Rows: rows, Cols: len(d.Columns), Group: make([][]int32, len(d.Groups)), Slopes: make([][]float64, slopes)}
	for i := range rows {
		a := i % max(levels, 1)
		sh.X = append(sh.X, 1)
		eta := .8 + u[a*(slopes+1)]
		for j := range names {
			x := r.NormFloat64()
			sh.X = append(sh.X, x)
			if eta += .1 * x; j < slopes {
				eta += u[a*(slopes+1)+1+j] * x
				sh.Slopes[j] = append(sh.Slopes[j], x)
			}
		}
		if levels > 0 {
			sh.Group[0] = append(sh.Group[0], int32(a))
		}
		if second > 0 {
			f := len(sh.Group) - 1
			sh.Group[f] = append(sh.Group[f], int32(r.IntN(second)))
		}
		sh.Y = append(sh.Y, simulate.Count(r, math.Exp(eta)))
	}
	step := cdf.Step{Shard: sh, T: 1, Forget: 1, RNG: r}
	m.Absorb(&step)
	if err := m.Sample(&step); err != nil {
		t.Fatal(err)
	}
	return m
}

// drawStep has room for draws of the model, and numbers of a seed.
func drawStep(m *base, draws int) *cdf.Step {
	source := rand.NewPCG(3, uint64(draws))
	rows := m.k + m.stats.effects() + m.terms
	return &cdf.Step{RNG: rand.New(source), Source: source, Draws: &cdf.Draws{S: draws, Chains: 1, Data: make([]float64, rows*draws)}}
}

// sameDraws fails if the draws, or the random numbers that they take, are not those of draws one after the other.
func sameDraws(t *testing.T, m *base, draws int) {
	t.Helper()
	w := m.work()
	defer m.scratch.Put(w)
	got, want := drawStep(m, draws), drawStep(m, draws)
	if err := m.draw(got, w); err != nil {
		t.Fatal(err)
	}
	if !drawsApart(m, want, w) {
		t.Fatal("not positive definite")
	}
	for i, v := range want.Draws.Data {
		if math.Float64bits(v) != math.Float64bits(got.Draws.Data[i]) {
			t.Fatalf("parameter %d, draw %d: %v, want %v", i/draws, i%draws, got.Draws.Data[i], v)
		}
	}
	if got.RNG.Uint64() != want.RNG.Uint64() {
		t.Error("another number of random numbers")
	}
}

// Levels and slopes of the first factor, levels of the second, and draws: cores of two to fourteen
// entries, one normal and a mixture, a draw, draws that are fewer than a line, and more than are made together.
func TestDrawsTogether(t *testing.T) {
	for _, c := range []struct{ levels, slopes, second, draws int }{
		{0, 0, 0, 300}, {40, 0, 0, 1100}, {40, 0, 5, 513}, {40, 1, 0, 700}, {40, 2, 0, 512}, {30, 1, 12, 520},
		{30, 3, 4, 31}, {30, 1, 1, 100}, {20, 0, 0, 1}, {3, 1, 0, 8},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			m := &drawModel(t, c.levels, c.slopes, c.second).base
			if mixed := len(m.post.gauss) > 1; mixed != (m.terms > 0) {
				t.Fatalf("%d normals of %d terms", len(m.post.gauss), m.terms)
			}
			sameDraws(t, m, c.draws)
		})
	}
}

// So many levels that normals of fewer draws are taken before, the last of one: those that
// have no row yet are enough. Scratch has the bound that it is said to have.
func TestDrawsOfManyLevels(t *testing.T) {
	m := &drawModel(t, 20, 1, 0).base
	for _, c := range []struct{ levels, together int }{{16_384, 8}, {16_385, 4}, {40_000, 2}, {140_000, 1}} {
		m.stats.grow(&m.shape, 0, c.levels)
		if got := drawnTogether(m.stats.g * m.stats.q); got != c.together {
			t.Errorf("%d levels: normals of %d draws, want %d", c.levels, got, c.together)
		}
		w := m.work()
		if err := m.draw(drawStep(m, 5), w); err != nil {
			t.Fatal(err)
		}
		if most := max(normalsMost, len(m.stats.records)/2); len(w.drawing.z) > most {
			t.Errorf("%d levels: %d normals, want %d at most", c.levels, len(w.drawing.z), most)
		}
		m.scratch.Put(w)
		sameDraws(t, m, 5)
	}
}

// A level that is not positive definite is an error, and scratch keeps nothing of draws.
func TestDrawsEnd(t *testing.T) {
	for _, slopes := range []int{0, 1} {
		m := &drawModel(t, 20, slopes, 0).base
		w, s := m.work(), drawStep(m, 600)
		modeltest.NoAllocations(t, 3, func() {
			if err := m.draw(s, w); err != nil {
				t.Fatal(err)
			}
		})
		_, a, _ := m.stats.record(7)
		a[0] = -1e6
		if err := m.draw(s, w); !errors.Is(err, cdf.ErrNumeric) {
			t.Errorf("%d slopes: %v", slopes, err)
		}
		for _, row := range w.drawing.rows {
			if row != nil {
				t.Error("scratch keeps draws")
			}
		}
	}
}
