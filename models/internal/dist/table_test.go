package dist

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// The tables against the distribution functions, on the lattice, between and
// beyond.
func TestLawTables(t *testing.T) {
	var table Table
	for _, shape := range []float64{.5, 1, 4, 60, 4000} {
		table.Student(2 * shape)
		for z := -45.; z < 45; z += .37 {
			if p, _ := table.at(z); math.Abs(p-StudentCDF(z, 2*shape)) > 2e-7 {
				t.Fatalf("shape %v: P(T <= %v) = %v, want %v", shape, z, p, StudentCDF(z, 2*shape))
			}
		}
		table.LogInvGamma(shape)
		for x := -math.Log(shape) - 3; x < 9; x += .13 {
			if p, _ := table.at(x); math.Abs(p-mathext.GammaIncRegComp(shape, math.Exp(-x))) > 2e-7 {
				t.Fatalf("shape %v: P(log X <= %v) = %v, want %v", shape, x, p, mathext.GammaIncRegComp(shape, math.Exp(-x)))
			}
		}
	}
}

// Quantiles of mixtures against halving, where steps of Halley's method must
// not stop short: overlapping laws, laws of many widths, two with a gap
// between, whose quantile at .5 could be anywhere there.
func TestTableMixtureQuantiles(t *testing.T) {
	var table Table
	for _, shape := range []float64{.5, 1, 4, 60} {
		for _, fill := range []func(){func() { table.Student(2 * shape) }, func() { table.LogInvGamma(shape) }} {
			fill()
			for _, apart := range []float64{.3, 2, 40} {
				var x Mixture
				x.Reset(&table)
				for k := range 9 {
					x.Add(float64(1+k%3)/18, apart*float64(k/5)+.1*float64(k), .5+float64(k)/4)
				}
				_, width := x.Place()
				for _, p := range []float64{.025, .25, .47, .75, .9, .975} {
					lo, hi := -1e5, 1e5
					for range 80 {
						if y := 0.5 * (lo + hi); func() float64 { q, _, _ := x.at(y); return q }() < p {
							lo = y
						} else {
							hi = y
						}
					}
					if got := x.Quantile(p); !(math.Abs(got-lo) < 1e-9*width) {
						t.Errorf("df %v, shape %v, apart %v: the %v quantile is %v, want %v", table.df, table.shape, apart, p, got, lo)
					}
				}
			}
		}
	}
}

// halved is the p-quantile by halving alone, each component asked.
func halved(x *Mixture, p float64) float64 {
	all := *x
	all.places.known = false
	x = &all
	f := x.form()
	wide := 100 * (f.widest + f.high - f.low)
	lo, hi := f.low-wide, f.high+wide
	for range 200 {
		if mid := 0.5 * (lo + hi); x.below(mid) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

func (x *Mixture) below(y float64) float64 { p, _, _ := x.at(y); return p }

// Quantiles of mixtures as a grid has them, against halving: laws about one place,
// laws far narrower than they are apart, on a slope with an end, in two heaps, far
// from 0, a single one, and of so many observations that they hardly have a width.
func TestMixtureQuantilesByHalving(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 3))
	places := []func(i int) float64{
		func(int) float64 { return r.NormFloat64() },
		func(i int) float64 { return math.Sqrt(float64(i)) - 3*math.Exp(-float64(i)/40) },
		func(i int) float64 { return 30*float64(i%2) + r.NormFloat64() },
		func(int) float64 { return 1e6 + 1e-3*r.NormFloat64() },
		func(int) float64 { return 2 },
	}
	var table Table
	for _, shape := range []float64{.5, 1.2, 6, 210, 4000} {
		for kind, fill := range []func(){func() { table.Student(2 * shape) }, func() { table.LogInvGamma(shape) }} {
			fill()
			for at, place := range places {
				for _, scale := range []float64{1, .01, 20} {
					var x Mixture
					x.Reset(&table)
					total := 0.0
					weights := make([]float64, 400)
					for i := range weights {
						weights[i] = math.Exp(-math.Pow(float64(i-150)/90, 2) - 2*r.Float64())
						total += weights[i]
					}
					for i, w := range weights {
						s := scale
						if kind == 0 {
							s *= .5 + r.Float64()
						}
						x.Add(w/total, place(i), s)
					}
					q := x.Quantiles()
					for k, p := range Levels {
						want := halved(&x, p)
						tolerance := 1e-9*x.form().spread + 1e-12*math.Abs(want)
						if !(math.Abs(q[k]-want) < tolerance) {
							t.Errorf("df %v, shape %v, places %d, scale %v: the %v quantile is %v, want %v", table.df, table.shape, at, scale, p, q[k], want)
						}
					}
				}
			}
		}
	}
}

// Quantiles of random mixtures, by what is below them: of many scales, a single heavy component,
// heaps with nothing between. The greatest scale may be e^30 times the least, where a place has too few
// digits for the probability; there is none so close by then.
func TestQuantilesOfManyScales(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 4))
	var table Table
	for trial := range 3000 {
		shape := math.Exp(math.Log(.1) + r.Float64()*math.Log(1e7))
		fill := []func(){func() { table.Student(2 * shape) }, func() { table.LogInvGamma(shape) }}[trial%2]
		fill()
		var x Mixture
		x.Reset(&table)
		n, heaps, scales := 1+r.IntN(60), float64(1+r.IntN(3)), []float64{0, .3, 1, 3}[r.IntN(4)]
		apart := table.sd * math.Exp(2*r.NormFloat64())
		w, total := make([]float64, n), 0.0
		for k := range w {
			w[k] = math.Exp(-20 * r.Float64() * float64(r.IntN(2)))
			if k == 0 && trial%3 == 0 {
				w[k] = 1e6
			}
			total += w[k]
		}
		for _, v := range w {
			x.Add(v/total, apart*(math.Floor(heaps*r.Float64())+.1*r.NormFloat64()), math.Exp(scales*r.NormFloat64()))
		}
		for k, q := range x.Quantiles() {
			room := 1e-9 * x.form().spread
			if below, above := x.CDF(q-room), x.CDF(q+room); !(below < Levels[k]+1e-6 && above > Levels[k]-1e-6) {
				t.Errorf("trial %d, df %v, shape %v: the %v quantile is %v, below which are %v to %v", trial, table.df, shape, Levels[k], q, below, above)
			}
		}
	}
}

// Components that are added together are those that are added one by one, to the bit.
func TestComponentsAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 103))
	var table Table
	table.Student(9)
	var one, all Mixture
	for n := range 60 {
		w, loc, squares, over := make([]float64, n), make([]float64, n), make([]float64, n), .3+r.Float64()
		for k := range w {
			w[k], loc[k], squares[k] = r.Float64(), r.NormFloat64(), 1e-3+r.ExpFloat64()
			if k%3 == 1 {
				w[k] = Minor * float64(k%2)
			}
		}
		one.Reset(&table)
		all.Reset(&table)
		for k, w := range w {
			one.Add(w, loc[k], math.Sqrt(squares[k]/over))
		}
		all.AddScaled(w, loc, squares, over)
		for k, w := range w {
			one.Add(w, loc[k], 1)
		}
		all.AddShifts(w, loc)
		if one.total != all.total || !slices.Equal(one.w, all.w) || !slices.Equal(one.loc, all.loc) || !slices.Equal(one.scale, all.scale) || !slices.Equal(one.inv, all.inv) {
			t.Fatalf("%d components: %v %v, want %v %v", n, all.scale, all.inv, one.scale, one.inv)
		}
	}
}
