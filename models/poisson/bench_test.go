package poisson

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// newWork returns a model of p columns that knows all groups, a shard of the
// given rows, and the functionals of the coefficients, the variance and the
// groups touched.
func newWork(t testing.TB, groups, rows, p int) *modeltest.Work {
	columns := append([]string{"intercept"}, modeltest.Columns(p-1)...)
	m := newTest(t, Defaults(), columns, "group")
	r := rand.New(rand.NewPCG(5, 6))
	u := make([]float64, groups)
	for g := range u {
		u[g] = 0.5 * r.NormFloat64()
	}
	shard := func(rows int, group func(i int) int) *cdf.Shard {
		sh := &cdf.Shard{Rows: rows, Cols: p, X: make([]float64, rows*p), Y: make([]float64, rows), Group: [][]int32{make([]int32, rows)}}
		for i := range rows {
			g, eta := group(i), 0.5
			sh.X[i*p] = 1
			for j := 1; j < p; j++ {
				sh.X[i*p+j] = r.NormFloat64()
				eta += 0.2 * sh.X[i*p+j] / math.Sqrt(float64(p))
			}
			sh.Group[0][i] = int32(g)
			sh.Y[i] = simulate.Count(r, math.Exp(eta+u[g]))
		}
		return sh
	}
	d := modeltest.Stepper{Model: m}
	for lo := 0; lo < groups; lo += 2000 {
		d.Must(t, shard(min(2000, groups-lo), func(i int) int { return lo + i }), 1)
	}
	w := &modeltest.Work{Model: m, Step: cdf.Step{Shard: shard(rows, func(int) int { return r.IntN(groups) }), Forget: 1, RNG: r}}
	for j := range p {
		w.Functionals = append(w.Functionals, effect(j))
	}
	touched := map[int32]bool{}
	for _, g := range w.Step.Shard.Group[0] {
		if !touched[g] {
			touched[g] = true
			w.Functionals = append(w.Functionals, effect(p+int(g)))
		}
	}
	w.Functionals = append(w.Functionals, effect(p+groups))
	return w
}

func TestAllocates(t *testing.T) { newWork(t, 50, 100, 4).AllocatesNothing(t, 1, 20) }

// newAlone returns a model without groups that has seen a shard of the rows, with
// counts of mean e^level whose effects have sd tau, and another such shard.
func newAlone(t testing.TB, s Settings, rows int, level, tau float64) *modeltest.Work {
	r := rand.New(rand.NewPCG(5, 7))
	d := modeltest.Stepper{Model: newTest(t, s, []string{"intercept", "x"})}
	d.Must(t, lognormalRows(r, rows, level, tau), 1)
	return &modeltest.Work{
		Model:       d.Model,
		Step:        cdf.Step{Shard: lognormalRows(r, rows, level, tau), Forget: 1, RNG: r},
		Functionals: []cdf.Functional{effect(0), effect(1)},
	}
}

// Shards without groups, with and without rows' own effects: what these cost.
func BenchmarkAlone(b *testing.B) {
	for _, c := range []struct {
		rows       int
		level, tau float64
	}{{50, 1, 0}, {50, 1, .7}, {50, -3, 0}, {50, 9, 0}, {200, 1, 0}} {
		for _, s := range []Settings{Defaults(), plain()} {
			b.Run(fmt.Sprintf("rows=%d/level=%g/tau=%g/%s", c.rows, c.level, c.tau, s.Overdispersion), func(b *testing.B) {
				newAlone(b, s, c.rows, c.level, c.tau).Bench(b, 1)
			})
		}
	}
}

// One shard with score, update and a summary of what it touched.
func BenchmarkShard(b *testing.B) {
	for _, c := range []struct{ groups, rows, p int }{
		{100, 10, 3}, {100, 200, 3}, {100, 200, 20}, {1000, 200, 3}, {10_000, 200, 3}, {100_000, 200, 3},
	} {
		b.Run(fmt.Sprintf("groups=%d/rows=%d/p=%d", c.groups, c.rows, c.p), func(b *testing.B) {
			newWork(b, c.groups, c.rows, c.p).Bench(b, 1)
		})
	}
}

func BenchmarkParts(b *testing.B) {
	for _, groups := range []int{100, 100_000} {
		w := newWork(b, groups, 200, 3)
		w.Run(b)
		m, rows, state := w.Model.(*Model), make([]cdf.Row, len(w.Functionals)), []byte(nil)
		at := fmt.Sprintf("groups=%d/", groups)
		modeltest.Part(b, at+"score", func() { _, _ = m.Score(w.Step.Shard, w.Step.RNG) })
		modeltest.Part(b, at+"update", func() { w.Update(b) })
		modeltest.Part(b, at+"summarize", func() { _ = m.Summarize(w.Functionals, rows) })
		modeltest.Part(b, at+"snapshot", func() { state, _ = m.AppendBinary(state[:0]) })
	}
}

// A thousand draws, made together and one after the other, by levels and slopes of the first factor and levels of the
// second. The least of three turns on one core of an EPYC without AVX-512, beside other work, in ms:
//
//	levels   slopes   second   one after the other   together
//	1,000    0        0        59                    16 (3.8 x)
//	10,000   0        0        606                   178 (3.4 x)
//	1,000    1        0        131                   21 (6.3 x)
//	3,000    1        0        469                   65 (7.2 x)
//	10,000   1        0        1,900                 221 (8.6 x)
//	10,000   2        0        3,170                 376 (8.4 x)
//	1,000    1        30       204                   35 (5.8 x)
//
// Of the 10 ns or so of an effect with slopes, two fifths are its normal and a third is its way to its row.
func BenchmarkDraw(b *testing.B) {
	for _, c := range []struct{ levels, slopes, second int }{
		{1000, 0, 0}, {10_000, 0, 0}, {1000, 1, 0}, {3000, 1, 0}, {10_000, 1, 0}, {10_000, 2, 0}, {1000, 1, 30},
	} {
		b.Run(fmt.Sprintf("levels=%d/slopes=%d/second=%d", c.levels, c.slopes, c.second), func(b *testing.B) {
			m := &drawModel(b, c.levels, c.slopes, c.second).base
			w, s := m.work(), drawStep(m, 1000)
			modeltest.Part(b, "together", func() { _ = m.draw(s, w) })
			modeltest.Part(b, "apart", func() { drawsApart(m, s, w) })
		})
	}
}
