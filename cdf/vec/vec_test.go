package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/isatest"
)

func random(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func identical(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("%s: entry %d of %d is %v, want %v", what, i, len(want), got[i], want[i])
		}
	}
}

func TestFinite(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 50))
		for n := range 70 {
			x := random(r, n+3)
			for from := range 4 {
				if !Finite(x[from : from+n-min(n, 1)]) {
					t.Fatalf("%d numbers are not finite", n)
				}
			}
			for i := range n {
				for _, v := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
					was := x[i]
					x[i] = v
					if Finite(x[:n]) {
						t.Fatalf("%v, number %d of %d, is finite", v, i, n)
					}
					x[i] = was
				}
			}
		}
		x := random(r, 100_003)
		if x[99_999] = math.MaxFloat64; !Finite(x) {
			t.Error("a large number is not finite")
		}
		if x[99_999] = math.Inf(1); Finite(x) {
			t.Error("an infinite number of many is finite")
		}
	})
}

// Quotients without a division are those of division: of all sizes, of numbers
// beside those that divide without a rest and beside halves of a last digit, and of
// what vectors do not take.
func TestStandardize(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 51))
		check := func(v []float64, center, scale float64) {
			t.Helper()
			got, want := make([]float64, len(v)), make([]float64, len(v))
			finite := Standardize(got, v, center, scale)
			for i, x := range v {
				want[i] = (x - center) / scale
			}
			if finite != Finite(want) {
				t.Errorf("%v less %v over %v is finite: %t", v, center, scale, finite)
			}
			identical(t, "quotients", got, want)
			copy(got, v)
			if Standardize(got, got, center, scale) != finite {
				t.Errorf("%v less %v over %v is finite elsewhere: %t", v, center, scale, finite)
			}
			identical(t, "quotients in place", got, want)
		}
		for n := range 40 {
			check(random(r, n), r.NormFloat64(), r.ExpFloat64())
		}
		check(random(r, 100_001), 3, 0.1)
		odd := []float64{0, math.Copysign(0, -1), 1, -1, 5e-324, 1e-310, 1e-300, -1e300, math.MaxFloat64, 0x1p400, 0x1p401, 0x1p-400, 0x1p-401}
		for _, scale := range []float64{1, 3, 1e-300, 1e300, 5e-324, math.MaxFloat64, 0x1p400, 0x1p-400, math.Nextafter(1, 2), math.Nextafter(2, 1)} {
			for i, x := range odd {
				v := random(r, 8)
				v[i%8] = x
				check(v, 0, scale)
				check(v, x, scale)
			}
			v := random(r, 8)
			v[5] = math.NaN()
			check(v, 0, scale)
		}
		rounds := 20_000
		if testing.Short() {
			rounds /= 10
		}
		for range rounds {
			scale := math.Ldexp(1+r.Float64(), r.IntN(61)-30)
			if r.IntN(4) == 0 { // all digits but the last few are ones or zeros
				scale = math.Float64frombits(math.Float64bits(scale)&^(1<<52-1) - uint64(r.IntN(8)))
			}
			v := make([]float64, 64)
			for i := range v {
				q := math.Ldexp(1+r.Float64(), r.IntN(41)-20)
				hi := q * scale
				v[i] = math.Float64frombits(math.Float64bits(hi) + uint64(r.IntN(9)) - 4)
			}
			check(v, 0, scale)
		}
	})
}

func TestTranspose(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 52))
		check := func(m, n, as, bs int) {
			t.Helper()
			a, b := random(r, m*as), random(r, n*bs)
			was := append([]float64(nil), b...)
			Transpose(m, n, a, as, b, bs)
			for j := range n {
				for i := range bs {
					want := was[j*bs+i]
					if i < m {
						want = a[i*as+j]
					}
					if b[j*bs+i] != want {
						t.Fatalf("%d x %d, rows %d and %d apart: entry %d of row %d is %v, want %v", m, n, as, bs, i, j, b[j*bs+i], want)
					}
				}
			}
		}
		for m := range 40 {
			for n := range 40 {
				for more := range 3 {
					check(m, n, n+more, m+more%2)
				}
			}
		}
		for few := 1; few < 8; few++ { // more than one call takes
			check(few, 20_003, 20_003, few)
			check(20_003, few, few, 20_003)
		}
		check(150, 130, 131, 152)
	})
}

func TestAddSquares(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 53))
		for n := range 9 {
			for m := range 40 {
				as := m + n%3
				a, got := random(r, n*as), random(r, m+4)
				want := append([]float64(nil), got[:m]...)
				rest := append([]float64(nil), got[m:]...)
				AddSquares(n, a, as, got[:m])
				for i := range m {
					for j := range n {
						want[i] += float64(a[j*as+i] * a[j*as+i])
					}
				}
				identical(t, "squares", got, append(want, rest...))
			}
		}
	})
}

// Columns of all numbers to beyond two vectors, rows in any order and more than once, entries that are too far
// away, infinite or no number.
func TestAddBounded(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 61))
		for n := range 20 {
			for _, seen := range []int{0, 1, 7, 40} {
				stride := max(n+n%3, 1)
				a, rows := random(r, 30*stride), make([]int32, seen)
				for i := range rows {
					rows[i] = r.Int32N(30)
				}
				for i, odd := range []float64{1e300, -1e300, math.Inf(1), math.Inf(-1), math.Copysign(0, -1), math.NaN()} {
					if n > 2 {
						a[(3*i+n)%len(a)] = odd
					}
				}
				mean, sum, squares := random(r, n), random(r, n+3), random(r, n+3)
				wantSum, wantSquares := slices.Clone(sum), slices.Clone(squares)
				for k := range n {
					for _, row := range rows {
						d := max(min(a[int(row)*stride+k]-mean[k], 2), -2)
						wantSum[k] += d
						wantSquares[k] += float64(d * d)
					}
				}
				AddBounded(a, stride, rows, mean, sum[:n], squares[:n], 2)
				identical(t, "sums", sum, wantSum)
				identical(t, "squares", squares, wantSquares)
			}
		}
	})
}

func TestAddCurves(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 83))
		for n := range 20 {
			for _, rows := range []int{0, 1, 7, 40} {
				stride := n + n%3
				a, scores := random(r, 40*stride+n), random(r, rows)
				for i, odd := range []float64{1e300, -1e300, math.Inf(1), math.Inf(-1), math.Copysign(0, -1)} {
					if n > 2 {
						a[(3*i+n)%len(a)] = odd
					}
				}
				c := Curves{Level: random(r, n), Slope: random(r, n)}
				sums := []*[]float64{&c.Off, &c.Squares, &c.Weight, &c.Product}
				var want [4][]float64
				for i, to := range sums {
					*to = random(r, n+3)
					want[i] = slices.Clone(*to)
				}
				for k := range n {
					for i, score := range scores {
						x := max(min(a[i*stride+k], 2), -2)
						w := math.FMA(x, x-c.Slope[k], -c.Level[k])
						t := float64(w * score)
						want[0][k] += t
						want[1][k] = math.FMA(t, t, want[1][k])
						want[2][k] += w
						want[3][k] = math.FMA(w, x, want[3][k])
					}
				}
				AddCurves(a, stride, scores, &c, 2)
				for i, to := range sums {
					identical(t, "sums", *to, want[i])
				}
			}
		}
	})
}

func TestLevels(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 62))
		for n := range 40 {
			z, shrink, mu, sd, at := random(r, n+2), random(r, n+1), random(r, n), random(r, n+3), r.NormFloat64()
			want := slices.Clone(z)
			for i := range n {
				want[i] = at + float64(shrink[i]*(mu[i]-at)) + float64(sd[i]*z[i])
			}
			Levels(z[:n], shrink, mu, sd, at)
			identical(t, "draws", z, want)
		}
	})
}

// lengths are those of lists to sort: all up to 150, and such on both sides of where another way begins.
func lengths() (n []int) {
	for i := range 150 {
		n = append(n, i)
	}
	return append(n, 255, 256, 257, 1000, MostNetwork-1, MostNetwork, MostNetwork+1)
}

// Numbers of all lengths, with many that are equal, infinite or -0.
func TestSort(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 55))
		var room []float64
		for _, n := range lengths() {
			for kinds := range 5 {
				x := random(r, n+2)
				for i := range x {
					switch {
					case kinds == 1:
						x[i] = float64(r.IntN(5))
					case kinds == 2:
						x[i] = math.Copysign(0, x[i])
					case kinds == 3 && r.IntN(4) == 0:
						x[i] = math.Inf(int(x[i] * 9))
					case kinds == 4:
						x[i] = float64(-i)
					}
				}
				want := make([]float64, n, n+2)
				for i, v := range x[:n] {
					want[i] = v + 0
				}
				slices.Sort(want)
				want = append(want, x[n:]...)
				room = Sort(x[:n], room)
				identical(t, "sorted", x, want)
			}
		}
	})
}

func TestPivotProducts(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 56))
		for p := 1; p < 9; p++ {
			a2, c2 := random(r, p), random(r, p)
			for i := range a2 {
				a2[i], c2[i] = a2[i]*a2[i], c2[i]*c2[i]
			}
			for n := range 30 {
				s, num, den := random(r, n), random(r, n+1), random(r, n+1)
				rest := [2]float64{num[n], den[n]}
				for k := range s {
					s[k] = math.Exp(s[k])
				}
				for k := range s {
					num[k], den[k] = math.Exp(num[k]), math.Exp(den[k])
				}
				begin := [2][]float64{slices.Clone(num), slices.Clone(den)}
				if !PivotProducts(s, num, den, a2, c2) {
					t.Fatal("out of bounds")
				}
				for k, v := range s {
					u, d := begin[0][k], begin[1][k]
					for i := p - 1; i >= 0; i-- {
						d = math.FMA(c2[i], d, u)
						u = math.FMA(a2[i], u, float64(v*d))
					}
					identical(t, "num and den", []float64{num[k], den[k]}, []float64{u, d})
				}
				if rest != [2]float64{num[n], den[n]} {
					t.Fatal("written beyond the end")
				}
				for k := range s {
					for _, far := range []float64{1e160, 1e-160} {
						copy(num, begin[0])
						copy(den, begin[1])
						if num[k], den[k] = far, far; PivotProducts(s, num, den, a2, c2) {
							t.Fatalf("num and den %v, number %d of %d, are within bounds", far, k, n)
						}
					}
				}
			}
		}
	})
}

// With vectors and without to the bit, and the derivatives against differences of the
// function whose they are.
func TestPivotSlopes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 59))
	for p := 1; p < 9; p++ {
		a2, c2 := random(r, p), random(r, p)
		for i := range a2 {
			a2[i], c2[i] = a2[i]*a2[i], c2[i]*c2[i]
		}
		at := func(l float64) float64 {
			v := math.Exp(l)
			num, den := []float64{v + a2[p-1]}, []float64{1}
			PivotProducts([]float64{v}, num, den, a2[:p-1], c2)
			return -0.5 * (math.Log(num[0]) + 3*den[0]/num[0])
		}
		for n := range 30 {
			s := random(r, n)
			for k := range s {
				s[k] = math.Exp(s[k])
			}
			var f, g [3][]float64
			for k := range f {
				f[k], g[k] = random(r, n+1), make([]float64, n)
			}
			rest := [3]float64{f[0][n], f[1][n], f[2][n]}
			PivotSlopes(s, f[0], f[1], f[2], a2, c2, 3)
			was := with
			with = isa.Portable
			PivotSlopes(s, g[0], g[1], g[2], a2, c2, 3)
			with = was
			for k := range f {
				identical(t, "derivatives", f[k], append(g[k], rest[k]))
			}
			for k, v := range s {
				const h = 1e-2
				l := math.Log(v)
				x := [5]float64{at(l - 2*h), at(l - h), at(l), at(l + h), at(l + 2*h)}
				for i, want := range []float64{
					(8*(x[3]-x[1]) - (x[4] - x[0])) / (12 * h),
					(16*(x[3]+x[1]) - (x[4] + x[0]) - 30*x[2]) / (12 * h * h),
					(x[4] - 2*x[3] + 2*x[1] - x[0]) / (2 * h * h * h),
				} {
					if !(math.Abs(f[i][k]-want) < 1e-3*(1+math.Abs(want))) {
						t.Errorf("order %d, shift %v: derivative %d is %v, about %v by differences", p, v, i+1, f[i][k], want)
					}
				}
			}
		}
	}
}

// With vectors and without to the bit, and what they are the factors of.
func TestPivotFactors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 64))
	for p := 1; p < 9; p++ {
		a, c := random(r, p), random(r, p)
		c[p-1] = 0
		a2, c2 := make([]float64, p), make([]float64, p)
		for i := range a2 {
			a2[i], c2[i] = a[i]*a[i], c[i]*c[i]
		}
		for n := 1; n < 20; n++ {
			s := make([]float64, n)
			for k := range s {
				s[k] = math.Exp(r.NormFloat64())
			}
			var f, w [3][]float64
			for k := range f {
				f[k], w[k] = random(r, p*n+1), random(r, p*n+1)
				w[k][p*n] = f[k][p*n]
			}
			PivotFactors(s, a, a2, c, c2, 3, f[0], f[1], f[2])
			was := with
			with = isa.Portable
			PivotFactors(s, a, a2, c, c2, 3, w[0], w[1], w[2])
			with = was
			for k := range f {
				identical(t, "factors", f[k], w[k])
			}
			for k, v := range s {
				// (B'B + sI) mean = 3 e_1, and B'B has a_i^2 + c_i^2 on its diagonal, c_i a_(i+1) beside it.
				for i := range p {
					sum := (a2[i] + c2[i] + v) * f[2][i*n+k]
					if i > 0 {
						sum += c[i-1] * a[i] * f[2][(i-1)*n+k]
					}
					if i+1 < p {
						sum += c[i] * a[i+1] * f[2][(i+1)*n+k]
					}
					want := 0.0
					if i == 0 {
						want = 3
					}
					if math.Abs(sum-want) > 1e-12 {
						t.Errorf("order %d, shift %v: row %d of the system gives %v, want %v", p, v, i, sum, want)
					}
				}
			}
		}
	}
}

func TestRoots(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 65))
		for n := range 30 {
			x, y, root, inverse := random(r, n), random(r, n), random(r, n+1), random(r, n+1)
			want, other := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i], y[i] = float64(x[i]*x[i]), float64(y[i]*y[i])
				want[i] = math.Sqrt(x[i] + y[i])
				other[i] = 1 / want[i]
			}
			want, other = append(want, root[n]), append(other, inverse[n])
			Roots(root, inverse, x, y)
			identical(t, "roots", root, want)
			identical(t, "inverses", inverse, other)
		}
	})
}

func BenchmarkSort(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 57))
	for _, n := range []int{10, 30, 48, 64, 100, 128, 200, 1000} {
		all, x := random(r, 1000*n), make([]float64, n)
		for _, here := range []string{"slices", "here"} {
			b.Run(fmt.Sprintf("%d/%s", n, here), func(b *testing.B) {
				was, at := with, 0
				var room []float64
				if here != "here" {
					with = isa.Portable
				}
				defer func() { with = was }()
				for b.Loop() {
					at = (at + n) % len(all)
					copy(x, all[at:])
					room = Sort(x, room)
				}
			})
		}
	}
}

// beside measures what vectors do beside the loops that they replace.
func beside(b *testing.B, do func()) {
	for _, here := range []string{"loops", "here"} {
		b.Run(here, func(b *testing.B) {
			was := with
			if here != "here" {
				with = isa.Portable
			}
			defer func() { with = was }()
			for b.Loop() {
				do()
			}
		})
	}
}

func BenchmarkAddBounded(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 61))
	const seen = 100
	for _, n := range []int{5, 16} {
		a, mean, sum, squares, rows := random(r, seen*n), random(r, n), make([]float64, n), make([]float64, n), make([]int32, seen)
		for i := range rows {
			rows[i] = int32(i)
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			beside(b, func() { AddBounded(a, n, rows, mean, sum, squares, 10) })
		})
	}
}

func BenchmarkAddCurves(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 83))
	const rows = 100
	for _, n := range []int{4, 16} {
		a, scores := random(r, rows*n), random(r, rows)
		c := Curves{random(r, n), random(r, n), random(r, n), random(r, n), random(r, n), random(r, n)}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			beside(b, func() { AddCurves(a, n, scores, &c, 2) })
		})
	}
}

func BenchmarkLevels(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 62))
	const n = 500
	z, shrink, mu, sd := random(r, n), random(r, n), random(r, n), random(r, n)
	beside(b, func() { Levels(z, shrink, mu, sd, 1) })
}

func BenchmarkPivotProducts(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 58))
	a2, c2, s, num, den := random(r, 6), random(r, 6), random(r, 22), make([]float64, 22), make([]float64, 22)
	beside(b, func() {
		for k := range s {
			num[k], den[k] = s[k]+a2[5], 1
		}
		PivotProducts(s, num, den, a2[:5], c2)
	})
}

func BenchmarkPivotSlopes(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 58))
	const n = 81
	a2, c2, s := random(r, 6), random(r, 6), random(r, n)
	f1, f2, f3 := make([]float64, n), make([]float64, n), make([]float64, n)
	beside(b, func() { PivotSlopes(s, f1, f2, f3, a2, c2, 3) })
}

func BenchmarkVec(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 54))
	const m, n = 128, 6
	x, y := random(r, m*n), make([]float64, m*n)
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"Finite", func() { Finite(x) }},
		{"Standardize", func() { Standardize(y, x, 1, 3) }},
		{"Transpose/few_rows", func() { Transpose(n, m, x, m, y, n) }},
		{"Transpose/few_columns", func() { Transpose(m, n, x, n, y, m) }},
		{"Transpose/square", func() { Transpose(24, 48, x, 48, y, 24) }},
		{"AddSquares", func() { AddSquares(n, x, m, y[:m]) }},
	} {
		for _, here := range []string{"loops", "here"} {
			b.Run(c.name+"/"+here, func(b *testing.B) {
				was := with
				if here != "here" {
					with = isa.Portable
				}
				defer func() { with = was }()
				for b.Loop() {
					c.run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*m*n), "ns/entry")
			})
		}
	}
}
