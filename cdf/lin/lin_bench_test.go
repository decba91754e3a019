package lin

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/credence-stream/credence/cdf/isa"
)

// What a shard of linear regression costs beside its rows.
func BenchmarkReductions(b *testing.B) {
	for _, n := range []int{6, 21, 51, 100, 150, 501} {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		src, a, v, d := random(r, n*BidiagonalStride(n)), make([]float64, n*BidiagonalStride(n)), make([]float64, n*n), make([]float64, 3*n)
		work := make([]float64, max(BidiagonalWork(n), RidgeWork(n)))
		b.Run(fmt.Sprintf("Bidiagonal/%d", n), func(b *testing.B) {
			for b.Loop() {
				copy(a, src)
				Bidiagonal(n, a, d[:n], d[n:2*n], d[2*n:], work)
			}
		})
		b.Run(fmt.Sprintf("RightVectors/%d", n), func(b *testing.B) {
			for b.Loop() {
				RightVectors(n, a, d[2*n:], v, work)
			}
		})
		factor := random(r, PackedLen(n+1))
		b.Run(fmt.Sprintf("Ridge/%d", n), func(b *testing.B) {
			for b.Loop() {
				copy(a, factor)
				Ridge(n, a, work)
			}
		})
		b.Run(fmt.Sprintf("InvertPacked/%d", n), func(b *testing.B) {
			for b.Loop() {
				InvertPacked(n, a, v)
			}
		})
	}
}

func BenchmarkUpdateQR(b *testing.B) {
	for _, c := range []struct{ n, rows int }{{6, 10}, {6, 100}, {6, 1000}, {11, 100}, {21, 100}, {51, 10}, {51, 100}, {51, 1000}, {501, 10}, {501, 100}, {501, 1000}} {
		b.Run(fmt.Sprintf("n=%d/rows=%d", c.n, c.rows), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			x, y := random(r, c.rows*(c.n-1)), random(r, c.rows)
			factor, block := make([]float64, PackedLen(c.n)), make([]float64, BlockLen(PanelRows, c.n))
			for b.Loop() {
				for from := 0; from < c.rows; from += PanelRows {
					to := min(from+PanelRows, c.rows)
					PutRows(block, x[from*(c.n-1):to*(c.n-1)], y[from:to])
					UpdateQR(factor, c.n, block, to-from)
				}
			}
		})
	}
}

// A row's spread alone and four at a time.
func BenchmarkSpread(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 8))
	for _, n := range []int{6, 51} {
		x, w, c, dot, square := random(r, 64*n), random(r, n*n), random(r, n), make([]float64, 64), make([]float64, 64)
		b.Run(fmt.Sprintf("one/%d", n), func(b *testing.B) {
			for b.Loop() {
				for i := range square {
					dot[i], square[i] = Dot(c, Row(x, n, i)), SumSquares(w, Row(x, n, i))
				}
			}
		})
		b.Run(fmt.Sprintf("four/%d", n), func(b *testing.B) {
			for b.Loop() {
				Spread(64, n, x, w, c, dot, square)
			}
		})
	}
}

// rates measures the work, of so many operations, with all instructions and, as
// the alternative, by gonum.
func rates(b *testing.B, name string, operations int, ours, gonum func()) {
	run := func(set string, work func()) {
		b.Run(name+"/"+set, func(b *testing.B) {
			for b.Loop() {
				work()
			}
			b.ReportMetric(float64(operations)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GF/s")
		})
	}
	run("gonum", gonum)
	for set := range isa.AVX512 + 1 {
		if set <= isa.Best() {
			before := with
			with = set
			run(set.String(), ours)
			with = before
		}
	}
}

// The two products of a sweep of 16 chains over 48 rows of the window.
func BenchmarkSweep(b *testing.B) {
	const h, k = 48, 16
	r := rand.New(rand.NewPCG(1, 9))
	for _, p := range []int{10, 50, 100, 500} {
		x, beta, latent, sum := random(r, h*p), random(r, p*k), random(r, h*k), random(r, p*k)
		general := func(rows, cols int, data []float64) blas64.General {
			return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
		}
		rates(b, fmt.Sprintf("x beta/p=%d", p), 2*h*k*p, func() { Mul(h, k, p, x, beta, latent) }, func() {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general(h, p, x), general(p, k, beta), 0, general(h, k, latent))
		})
		rates(b, fmt.Sprintf("x't/p=%d", p), 2*h*k*p, func() { AddTMul(h, p, k, x, latent, sum) }, func() {
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, general(h, p, x), general(h, k, latent), 1, general(p, k, sum))
		})
	}
}

// Of n p (p + 1) operations, as many as the lower triangle needs.
func BenchmarkGram(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 10))
	for _, s := range []struct{ n, p int }{{10, 6}, {50, 24}, {300, 48}, {100, 100}, {300, 500}, {300, 512}} {
		x, c := random(r, s.n*s.p), random(r, s.p*s.p)
		rates(b, fmt.Sprintf("%dx%d", s.n, s.p), s.n*s.p*(s.p+1), func() { AddGram(s.n, s.p, x, x, c) }, func() {
			blas64.Syrk(blas.Trans, 1, blas64.General{Rows: s.n, Cols: s.p, Stride: s.p, Data: x}, 1,
				blas64.Symmetric{Uplo: blas.Lower, N: s.p, Stride: s.p, Data: c})
		})
	}
}

// The passes of a reduction over n rows and columns, by the loops for few columns too.
func BenchmarkPasses(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 16))
	for _, n := range []int{16, 50, 200, 500} {
		a, x, u, v, y := random(r, n*n), make([]float64, n), random(r, n), random(r, n), make([]float64, n)
		general, vector := blas64.General{Rows: n, Cols: n, Stride: n, Data: a}, func(x []float64) blas64.Vector {
			return blas64.Vector{N: n, Inc: 1, Data: x}
		}
		rates(b, fmt.Sprintf("n=%d", n), 8*n*n, func() {
			subSum(n, n, n, a, x, u, v, y)
			subDot(n, n, n, a, x, u, v, y)
		}, func() {
			blas64.Ger(-1, vector(x), vector(u), general)
			blas64.Gemv(blas.Trans, 1, general, vector(v), 1, vector(y))
			blas64.Ger(-1, vector(x), vector(u), general)
			blas64.Gemv(blas.NoTrans, 1, general, vector(v), 0, vector(y))
		})
		b.Run(fmt.Sprintf("n=%d/loops", n), func(b *testing.B) {
			for b.Loop() {
				narrowSum(n, n, n, a, x, u, v, y)
				narrowDot(n, n, n, a, x, u, v, y)
			}
		})
	}
}

// What a score needs: x'beta of 24 rows at 500 draws.
func BenchmarkMulT(b *testing.B) {
	const h, s = 24, 500
	r := rand.New(rand.NewPCG(1, 11))
	for _, p := range []int{10, 50, 500} {
		x, draws, lines := random(r, h*p), random(r, s*p), random(r, h*s)
		rates(b, fmt.Sprintf("p=%d", p), 2*h*s*p, func() { MulT(h, s, p, x, draws, lines) }, func() {
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, blas64.General{Rows: h, Cols: p, Stride: p, Data: x},
				blas64.General{Rows: s, Cols: p, Stride: p, Data: draws}, 0, blas64.General{Rows: h, Cols: s, Stride: s, Data: lines})
		})
	}
}

// Of n^3 / 3 operations, row after row too.
func BenchmarkCholesky(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 17))
	for _, n := range []int{24, 50, 100, 200, 500} {
		src, a := definite(r, n), make([]float64, n*n)
		rates(b, fmt.Sprintf("n=%d", n), n*n*n/3, func() {
			copy(a, src)
			Cholesky(n, a)
		}, func() {
			copy(a, src)
			lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: a})
		})
		b.Run(fmt.Sprintf("n=%d/rows", n), func(b *testing.B) {
			for b.Loop() {
				copy(a, src)
				choleskyRows(n, a)
			}
		})
	}
}

// Of 2 n^3 / 3 operations, by Cholesky and InvertLower too.
func BenchmarkFactorInverse(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 12))
	for _, n := range []int{24, 50, 100, 500} {
		src := definite(r, n)
		a, dst := make([]float64, n*n), make([]float64, n*n)
		apart := func() {
			copy(a, src)
			Cholesky(n, a)
			InvertLower(n, a, dst)
		}
		rates(b, fmt.Sprintf("n=%d", n), 2*n*n*n/3, func() {
			copy(a, src)
			FactorInverse(n, a, dst)
		}, func() {
			copy(a, src)
			l, _ := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: a})
			lapack64.Trtri(l)
		})
		b.Run(fmt.Sprintf("n=%d/apart", n), func(b *testing.B) {
			for b.Loop() {
				apart()
			}
		})
	}
}

// Of n p (n + 1) operations, by MulT too.
func BenchmarkGramT(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 19))
	for _, s := range []struct{ n, p int }{{50, 50}, {111, 500}, {211, 500}} {
		x, c := random(r, s.n*s.p), make([]float64, s.n*s.n)
		rates(b, fmt.Sprintf("%dx%d", s.n, s.p), s.n*s.p*(s.n+1), func() { GramT(s.n, s.p, x, c) }, func() {
			MulT(s.n, s.n, s.p, x, x, c)
		})
	}
}

// Of m^2 n operations, by Mul too.
func BenchmarkMulLower(b *testing.B) {
	const n = 48
	r := rand.New(rand.NewPCG(1, 20))
	for _, m := range []int{111, 211} {
		l, x, c := random(r, m*m), random(r, m*n), make([]float64, m*n)
		rates(b, fmt.Sprint(m), m*m*n, func() { MulLower(m, n, l, x, c) }, func() { Mul(m, n, m, l, x, c) })
	}
}

func BenchmarkMirror(b *testing.B) {
	const n = 500
	a := make([]float64, n*n)
	b.Run("entries", func(b *testing.B) {
		for b.Loop() {
			for i := range n {
				for j := range i {
					a[j*n+i] = a[i*n+j]
				}
			}
		}
	})
	b.Run("rows", func(b *testing.B) {
		for b.Loop() {
			Mirror(n, a)
		}
	})
}
