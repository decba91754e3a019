package qr

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

// sample returns rows whose columns have a common part of the given weight, in units of scale, and a response that follows from them
// but for noise.
func sample(r *rand.Rand, rows, p int, common, scale, noise float64) *cdf.Shard {
	sh := &cdf.Shard{Rows: rows, Cols: p}
	for range rows {
		u, y := r.NormFloat64(), 0.0
		for range p {
			x := common*u + r.NormFloat64()
			y += x / math.Sqrt(float64(p))
			sh.X = append(sh.X, scale*x)
		}
		sh.Y = append(sh.Y, y+noise*r.NormFloat64())
	}
	return sh
}

// reflected folds a shard in by reflections alone.
func reflected(r []float64, p int, sh *cdf.Shard) {
	var w Work
	w.reflect(r, p, make([]float64, BlockLen(p)), sh)
}

// The factor by Gram matrices and the one by reflections of the same shards: the same to 1e-12 of a column's length, with factors of
// inflation to the largest, discounted as shards come and over many of them.
func TestGram(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 121))
	for _, c := range []struct {
		p, shards     int
		common, noise float64
	}{{32, 3, 0, 1}, {50, 3, 1, 1}, {50, 200, 1, 1}, {50, 3, 9, 1}, {50, 3, 1, .3}, {100, 3, 3, 1}, {130, 4, 8, 1}} {
		n := c.p + 1
		got, want, block := make([]float64, lin.PackedLen(n)), make([]float64, lin.PackedLen(n)), make([]float64, BlockLen(c.p))
		var w Work
		by := 0
		for i := range c.shards {
			sh := sample(r, max(1000, 9*c.p), c.p, c.common, math.Exp(20*r.NormFloat64()), c.noise)
			if i > 0 {
				sh = sample(r, max(1000, 9*c.p), c.p, c.common, 1, c.noise)
			}
			lin.Scale(.99, got)
			lin.Scale(.99, want)
			if i > 0 && w.byGram(got, c.p, block, sh) > 0 {
				by++
			} else {
				w.reflect(got, c.p, block, sh)
			}
			reflected(want, c.p, sh)
		}
		if by < c.shards/2 {
			t.Errorf("%+v: %d of %d shards by their Gram matrix", c, by, c.shards)
		}
		worst := difference(got, want, n)
		t.Logf("%+v: %.1e of a column's length", c, worst)
		if !(worst <= 1e-12) || !SameRounded(got, want, n) {
			t.Errorf("%+v: differs by %v of a column's length", c, worst)
		}
		for _, i := range []int{0, 1, n, len(got) - 2, len(got) - 1} {
			v := got[i]
			if got[i] += 1e-6 * math.Abs(got[0]); SameRounded(got, want, n) {
				t.Errorf("%+v: number %d may be another", c, i)
			}
			got[i] = v
		}
	}
}

// Where a Gram matrix would lose digits reflections take its place: columns or a response that follow from others, columns of
// zeros, numbers whose squares are too small or too large.
func TestReflectionsWhereGramLosesDigits(t *testing.T) {
	const p, rows = 33, 1000
	r := rand.New(rand.NewPCG(1, 122))
	for name, change := range map[string]func(sh *cdf.Shard){
		"collinear": func(sh *cdf.Shard) { each(sh, func(x []float64, _ *float64) { x[7] = x[3] + 1e-2*x[7] }) },
		"follows": func(sh *cdf.Shard) {
			each(sh, func(x []float64, y *float64) { *y = x[0] + 1e-2*x[1]; x[1] = 0.5 * r.NormFloat64() })
		},
		"all together": func(sh *cdf.Shard) { each(sh, func(x []float64, _ *float64) { x[p-1] = 1e-2*x[p-1] - sum(x[:p-1]) }) },
		"by both neighbours": func(sh *cdf.Shard) { // each follows from those before it alone with a factor of 60
			each(sh, func(x []float64, _ *float64) {
				for j := 1; j < p; j++ {
					x[j] = .99163*x[j-1] + .129*r.NormFloat64()
				}
			})
		},
		"zeros":        func(sh *cdf.Shard) { each(sh, func(x []float64, _ *float64) { x[4] = 0 }) },
		"no response":  func(sh *cdf.Shard) { each(sh, func(_ []float64, y *float64) { *y = 0 }) },
		"small":        func(sh *cdf.Shard) { each(sh, func(x []float64, _ *float64) { x[4] *= 1e-110 }) },
		"large":        func(sh *cdf.Shard) { each(sh, func(x []float64, _ *float64) { x[4] *= 1e110 }) },
		"one is large": func(sh *cdf.Shard) { sh.X[4] = 1e120 },
	} {
		got, want, block := make([]float64, lin.PackedLen(p+1)), make([]float64, lin.PackedLen(p+1)), make([]float64, BlockLen(p))
		var w Work
		for range 3 {
			sh := sample(r, rows, p, .5, 1, 1)
			change(sh)
			w.Fold(got, p, block, sh)
			reflected(want, p, sh)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: not by reflections", name)
		}
	}
}

func each(sh *cdf.Shard, f func(x []float64, y *float64)) {
	for i := range sh.Y {
		f(lin.Row(sh.X, sh.Cols, i), &sh.Y[i])
	}
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

func BenchmarkGram(b *testing.B) {
	for _, c := range []struct{ p, rows int }{{32, 1000}, {50, 1000}, {50, 10_000}, {100, 1000}, {100, 10_000}, {500, 4000}, {500, 10_000}} {
		sh := sample(rand.New(rand.NewPCG(1, 2)), c.rows, c.p, .3, 1, 1)
		start, r, block := make([]float64, lin.PackedLen(c.p+1)), make([]float64, lin.PackedLen(c.p+1)), make([]float64, BlockLen(c.p))
		reflected(start, c.p, sh)
		var w Work
		b.Run(fmt.Sprintf("%dx%d/reflections", c.p, c.rows), func(b *testing.B) {
			for range b.N {
				copy(r, start)
				w.reflect(r, c.p, block, sh)
			}
		})
		b.Run(fmt.Sprintf("%dx%d/gram", c.p, c.rows), func(b *testing.B) {
			for range b.N {
				copy(r, start)
				if w.byGram(r, c.p, block, sh) == 0 {
					b.Fatal("by reflections")
				}
			}
		})
	}
}
