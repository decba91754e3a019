package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/isatest"
)

// The functions of package math, to the bit: for numbers of all sizes, at the edges
// of what vectors take and beyond, in slices of all lengths to 40.
func TestElementary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 61))
	var positive, any []float64
	for range 100_000 {
		positive = append(positive, math.Float64frombits(1<<52+r.Uint64N(0x7fe<<52)), math.Exp(r.NormFloat64()))
		any = append(any, 1416*r.Float64()-708, 3*r.NormFloat64(), r.NormFloat64()*math.Exp(-40*r.Float64()))
	}
	for _, x := range []float64{1, 2, 0.5, math.Sqrt2, math.Sqrt2 / 2, 0x1p-1022, math.MaxFloat64} {
		positive = append(positive, x, max(math.Nextafter(x, 0), 0x1p-1022), min(math.Nextafter(x, 4*x), math.MaxFloat64))
	}
	for _, x := range []float64{0, math.Ln2, 708, 88, 0x1p-1074} {
		any = append(any, x, -x, math.Nextafter(x, 0), -math.Nextafter(x, 0))
	}
	odd := []float64{0, -1, 0x1p-1030, 709, -709, -746, 1000, math.NaN(), math.Inf(1), math.Inf(-1), -math.MaxFloat64, math.Copysign(0, -1)}
	isatest.Each(t, &with, func(t *testing.T) {
		for _, f := range []struct {
			name string
			got  func(dst, x []float64)
			want func(float64) float64
			x    []float64
		}{{"log", Logs, math.Log, positive}, {"exp", Exps, math.Exp, any}} {
			check := func(what string, x []float64) {
				got, want := make([]float64, len(x)), make([]float64, len(x))
				f.got(got, x)
				for i, v := range x {
					want[i] = f.want(v)
				}
				identical(t, f.name+" of "+what, got, want)
			}
			if with != isa.Portable && !functions(make([]float64, len(f.x)), f.x, f.name == "log") {
				t.Errorf("%s: vectors refuse what they are for", f.name)
			}
			check("many", f.x)
			for n := range 41 {
				x := f.x[1000 : 1000+n]
				check(fmt.Sprintf("%d numbers", n), x)
				for i := range n {
					with := append([]float64(nil), x...)
					with[i] = odd[(n+i)%len(odd)]
					check(fmt.Sprintf("%d numbers, that at %d %v", n, i, with[i]), with)
				}
			}
		}
	})
}

func BenchmarkElementary(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 62))
	x, dst := make([]float64, 961), make([]float64, 961)
	for i := range x {
		x[i] = math.Exp(r.NormFloat64())
	}
	for set := range isa.AVX512 + 1 {
		for _, f := range []struct {
			name string
			do   func(dst, x []float64)
		}{{"Logs", Logs}, {"Exps", Exps}} {
			b.Run(f.name+"/"+set.String(), func(b *testing.B) {
				isatest.Use(b, &with, set)
				for b.Loop() {
					f.do(dst, x)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x)), "ns/number")
			})
		}
	}
}

// someFilters returns m x n filters.
func someFilters(r *rand.Rand, m, n int, mean bool) *Filters {
	positive := func(n int) []float64 {
		x := random(r, n)
		for i, v := range x {
			x[i] = math.Exp(v)
		}
		return x
	}
	f := &Filters{
		M: random(r, m*n), V: positive(m * n), Squares: positive(m * n), Product: positive(m * n),
		Q: positive(n), A: random(r, m), S: positive(m),
	}
	if mean {
		f.R, f.ER, f.RR = random(r, m*n), random(r, m*n), positive(m*n)
	}
	return f
}

// All numbers of columns to 40, with a mean and without, against the loops; what lies
// beyond the filters stays.
func TestFilters(t *testing.T) {
	isatest.Each(t, &with, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 63))
		for k := range 160 {
			m, n, mean, observed := 1+k%3, 1+k/4, k%2 > 0, k/2%2 > 0
			got := someFilters(r, m, n, mean)
			fields := func(f *Filters) [][]float64 {
				return [][]float64{f.M, f.V, f.Squares, f.Product, f.R, f.ER, f.RR, f.Q, f.A, f.S}
			}
			var want Filters
			for i, to := range []*[]float64{&want.M, &want.V, &want.Squares, &want.Product, &want.R, &want.ER, &want.RR, &want.Q, &want.A, &want.S} {
				*to = append(*to, fields(got)[i]...)
			}
			const beyond = 7
			for _, x := range []*[]float64{&got.M, &got.V, &got.Squares, &got.Product, &got.R, &got.ER, &got.RR} {
				if *x != nil {
					n := len(*x)
					*x = append(*x, beyond, beyond, beyond)[:n]
				}
			}
			step := func(f *Filters) float64 {
				if !observed {
					f.Pass()
					return 0
				}
				return f.Observe(1.5)
			}
			top := step(got)
			set := with
			with = isa.Portable
			wanted := step(&want)
			with = set
			what := fmt.Sprintf("%d x %d, mean %v, observed %v", m, n, mean, observed)
			if math.Float64bits(top) != math.Float64bits(wanted) {
				t.Errorf("%s: greatest product %v, want %v", what, top, wanted)
			}
			for i, x := range fields(got) {
				identical(t, fmt.Sprintf("%s, field %d", what, i), x, fields(&want)[i])
				if i < 7 && len(x) > 0 {
					identical(t, what+" beyond", x[:len(x)+3][len(x):], []float64{beyond, beyond, beyond})
				}
			}
		}
	})
}

func BenchmarkFilters(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 64))
	f := someFilters(r, 31, 31, true)
	for i := range f.A {
		f.A[i] = 0.5 // all numbers stay normal, or become 0
	}
	for set := range isa.AVX512 + 1 {
		b.Run("Pass/"+set.String(), func(b *testing.B) {
			isatest.Use(b, &with, set)
			for b.Loop() {
				f.Pass()
			}
		})
		b.Run("Observe/"+set.String(), func(b *testing.B) {
			isatest.Use(b, &with, set)
			for b.Loop() {
				if f.Observe(1) > 1e150 {
					for i := range f.Product {
						f.Product[i] = 1
					}
				}
			}
		})
	}
}
