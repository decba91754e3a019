package rnd

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf/isa"
	"github.com/credence-stream/credence/internal/isatest"
)

func seeded(n uint64) *Lanes {
	l := new(Lanes)
	l.Seed(source(n))
	return l
}

// above returns draws above a.
func above(n int, seed uint64, a float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = -a
	}
	seeded(seed).Positive(source(seed+1), x)
	for i := range x {
		x[i] += a
	}
	return x
}

// The polynomials against the functions, to the ends of their pieces.
func TestInverse(t *testing.T) {
	c, r, worst := inverse(), source(10), [2]float64{}
	for range 200_000 {
		even := r.Uint64() >> r.IntN(64)
		u := (float64(even>>12) + .5) / (1 << 52)
		worst[0] = max(worst[0], math.Abs(c.exponential(even)+math.Log(u)))
		y := math.Ldexp(pointLeast*(1+r.Float64()), r.IntN(pointPieces))
		worst[1] = max(worst[1], math.Abs(logTail(c.at(y))/y-1))
	}
	if worst[0] > 6e-10 || worst[1] > 6e-9 {
		t.Errorf("-log u off by %.2g, the inverse by %.2g relative", worst[0], worst[1])
	}
	if x := point(pointLeast); math.Abs(x-lowest) > 1e-14 {
		t.Errorf("lowest is %v, want %v", lowest, x)
	}
}

// The first numbers from the state 1, 2, 3, 4 are those of the authors' program.
func TestXoshiro(t *testing.T) {
	var s [4][8]uint64
	for i := range s {
		s[i][5] = uint64(i + 1)
	}
	for i, want := range []uint64{41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205, 9973669472204895162} {
		if got := next(&s, 5); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}

func TestLanes(t *testing.T) {
	x := make([]float64, draws)
	seeded(500).Normals(source(501), x)
	for _, apart := range []int{1, 7, 8, 16} { // neighbours, the same lane, rows of chains
		d := make([]float64, 0, draws)
		for i := 0; i+apart < len(x); i += 2 * apart {
			d = append(d, (x[i]-x[i+apart])*math.Sqrt(.5), (x[i]+x[i+apart])*math.Sqrt(.5))
		}
		ks(t, fmt.Sprint("normals apart by ", apart), d, phi)
	}
	ks(t, "normals", x, phi)
	for i, a := range []float64{-50, -9, -6, -4, -3.1, -3, -2.51, -2.49, -1, -.001, 0, .5, 1, 2, 3, 4.49, 4.51, 6, 12, 16, 40} {
		x := above(draws, uint64(510+2*i), a)
		for _, v := range x {
			if v < a {
				t.Errorf("above %v: %v", a, v)
				break
			}
		}
		ks(t, fmt.Sprint("above ", a), x, truncCDF(a, math.Inf(1)))
	}
}

// Every entry has a bound of its own.
func TestLanesOfManyBounds(t *testing.T) {
	x, r := make([]float64, draws), source(560)
	for i := range x {
		x[i] = 2.5 * r.NormFloat64()
	}
	means := append([]float64(nil), x...)
	seeded(561).Positive(r, x)
	for i, v := range x {
		x[i] = truncCDF(-means[i], math.Inf(1))(v - means[i])
	}
	ks(t, "draws of many laws", x, func(p float64) float64 { return p })
}

// TestLanesByBins counts draws in fine bins: chi-squared over 4,096 bins, of which 10 times its
// sd beyond its mean has a false alarm rate below 1e-15.
func TestLanesByBins(t *testing.T) {
	const bins, each = 4096, 500
	for i, a := range []float64{-50, -3.4, -3.05, -2.6, -1, .3, 1.7, 4} {
		count, chi := make([]float64, bins), 0.0
		f := truncCDF(a, math.Inf(1))
		for _, x := range above(bins*each, uint64(570+2*i), a) {
			count[min(int(f(x)*bins), bins-1)]++
		}
		for _, n := range count {
			chi += (n - each) * (n - each) / each
		}
		if z := (chi - bins + 1) / math.Sqrt(2*bins); z > 10 || z < -10 {
			t.Errorf("above %v: chi-squared is %.1f sds from its mean", a, z)
		}
	}
}

// All instructions give the same bits at all lengths and places in a cache line, use up
// as much of the generators, and leave what lies around alone.
func TestLanesAreTheSameEverywhere(t *testing.T) {
	type result struct {
		x []float64
		s [4][8]uint64
	}
	run := func(n int, positive bool) result {
		x, r, l := make([]float64, n+24), source(uint64(600+n)), seeded(601)
		for i := range x {
			x[i] = 3 * r.NormFloat64()
			if i%2 == 0 {
				x[i] = 2.4 + r.Float64() // where draws fall below bounds that were taken for none
			}
		}
		at := 8 + n%8
		around := append(append([]float64(nil), x[:at]...), x[at+n:]...)
		for i, v := range []float64{
			math.NaN(), math.Inf(1), math.Copysign(0, -1), 1e300, -1e300, 2.5, 3, -4.5, -4.4999, math.Inf(-1),
			0, .5, -.5, 1.5, -3.5, -4.50001, -5.5, -8, -11.5, -12.4, -12.6, -13.4, -15, -17, -20, -1e17, -0x1p70, 7.5, 12, 20,
		} {
			if n > 50 {
				x[at+11+i] = v
			}
		}
		l.draw(r, x[at:][:n], positive)
		if !slices.Equal(around, append(append([]float64(nil), x[:at]...), x[at+n:]...)) {
			t.Fatalf("n = %d: what lies around is written", n)
		}
		return result{x, l.s}
	}
	for n := 1; n <= 1100; n += 1 + n/40 {
		for _, positive := range []bool{false, true} {
			with = isa.Portable
			want := run(n, positive)
			for set := isa.AVX2; set <= isa.Best(); set++ {
				with = set
				got := run(n, positive)
				for i, v := range want.x {
					if math.Float64bits(got.x[i]) != math.Float64bits(v) && !(math.IsNaN(got.x[i]) && math.IsNaN(v)) {
						t.Fatalf("%s, n = %d, positive %v: entry %d is %v, want %v", set, n, positive, i, got.x[i], v)
					}
				}
				if got.s != want.s {
					t.Fatalf("%s, n = %d: the generators are elsewhere", set, n)
				}
			}
			with = isa.Best()
		}
	}
	for set := range isa.AVX512 + 1 {
		t.Run(set.String(), func(t *testing.T) { isatest.Use(t, &with, set) }) // says what is not here
	}
}

func TestLanesAtTheEdge(t *testing.T) {
	x := []float64{math.NaN(), math.Inf(-1), math.Inf(1), -1e200, -1e9, 1e300, -4.5, 3.0974137973228717, 2.5}
	seeded(610).Positive(source(611), x)
	for i, v := range x {
		if (i < 2) != math.IsNaN(v) || v < 0 {
			t.Errorf("entry %d is %v", i, v)
		}
	}
	if n := testing.AllocsPerRun(10, func() { seeded(612).Positive(source(1), x[2:]) }); n > 3 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkLanes(b *testing.B) {
	r, bounds := source(620), make([]float64, 768)
	for i := range bounds {
		bounds[i] = 1.5 * r.NormFloat64()
	}
	x := make([]float64, len(bounds))
	run := func(name string, do func(l *Lanes)) {
		for set := range isa.AVX512 + 1 {
			b.Run(name+"/"+set.String(), func(b *testing.B) {
				isatest.Use(b, &with, set)
				l := seeded(621)
				for b.Loop() {
					do(l)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x)), "ns/draw")
			})
		}
	}
	run("Normals", func(l *Lanes) { l.Normals(r, x) })
	run("Positive", func(l *Lanes) { copy(x, bounds); l.Positive(r, x) })
}
