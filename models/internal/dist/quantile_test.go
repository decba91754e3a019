package dist

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/internal/modeltest"
	"gonum.org/v1/gonum/mathext"
)

// The .975 quantiles are printed in every table; these digits come from
// closed forms (1, 2) and from 20-digit tables.
func TestStudentQuantile(t *testing.T) {
	for df, want := range map[float64]float64{
		1: 12.706204736174705, 2: 4.302652729749464, 10: 2.2281388519862744, 30: 2.0422724563012378, 100: 1.9839715185235523,
	} {
		if got := StudentQuantile(NormalQuantiles[6], df); math.Abs(got/want-1) > 1e-10 {
			t.Errorf("%v degrees: %v, want %v", df, got, want)
		}
	}
	for _, df := range []float64{.1, .7, 1, 2.5, 4.9, 5, 17, 60, 70, 96, 199, 200, 201, 999, 5e3, 2e5, 1e7} {
		tolerance := 2e-12
		if df >= 200 {
			tolerance = 1e-9
		}
		for i := 4; i < 7; i++ {
			x := StudentQuantile(NormalQuantiles[i], df)
			if got := StudentCDF(x, df); math.Abs(got-Levels[i]) > tolerance {
				t.Errorf("%v degrees: P(T <= %v) = %v, want %v", df, x, got, Levels[i])
			}
			if up, down := StudentCDF(x, df), StudentCDF(-x, df); math.Abs(up+down-1) > 1e-15 {
				t.Errorf("%v degrees: not symmetric: %v and %v", df, up, down)
			}
		}
	}
	// Both branches of the survival function meet.
	if a, b := studentSurvival(2, 1e5), studentSurvival(2, 1e5+1); math.Abs(a-b) > 1e-9 {
		t.Errorf("survival jumps from %v to %v", a, b)
	}
}

func TestGammaQuantile(t *testing.T) {
	for _, shape := range []float64{.01, .5, 1, 3, 19.99, 20, 20.01, 22.5, 31, 50, 77, 150, 400, 1e3, 1e4, 1e6, 1e8} {
		for i, p := range Levels {
			x := gammaQuantile(i, shape)
			if want := mathext.GammaIncRegInv(shape, p); want > 1e-12 && math.Abs(x-want) > 1e-11*want {
				t.Errorf("shape %v: quantile %v is %v, want %v", shape, p, x, want)
			}
			if got := mathext.GammaIncReg(shape, x); math.Abs(got-p) > 1e-8 {
				t.Errorf("shape %v: P(G <= %v) = %v, want %v", shape, x, got, p)
			}
		}
	}
}

func TestInverseGamma(t *testing.T) {
	var s Standard
	up, down := s.At(3).InvGamma(2, 1, 4), s.At(3).InvGamma(2, 1, -4)
	for i := range up {
		if a, b := up[i]-1, 1-down[6-i]; math.Abs(a-b) > 1e-12*a {
			t.Errorf("quantile %d: %v and %v", i, up, down)
		}
	}
	for i, v := range s.At(1).InvGamma(2, 0, 1) { // P(X <= x) = exp(-2/x)
		if want := -2 / math.Log(Levels[i]); modeltest.Relative(v, want) > 1e-12 {
			t.Errorf("quantile %v is %v, want %v", Levels[i], v, want)
		}
	}
	if mean, sd := InvGammaMoments(5, 12); mean != 3 || modeltest.Relative(sd, math.Sqrt(3)) > 1e-15 {
		t.Errorf("IG(5, 12) has mean %v and sd %v", mean, sd)
	}
	for _, v := range s.At(1e-4).InvGamma(1, 0, 1) {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			t.Errorf("a tiny shape gives %v", v)
		}
	}
}

// The references are of mpmath with 40 digits.
func TestTrigammaExcess(t *testing.T) {
	for _, c := range []struct{ shape, want float64 }{
		{10, 0.0051663356816857461},
		{10.5, 0.0046788608210314951},
		{17.25, 0.001712767426261894},
		{60, 0.00013966045096872152},
		{1000, 5.0016666663333336e-7},
		{1e6, 5.0000016666666667e-13},
		{1e12, 5.0000000000016667e-25},
	} {
		if got := trigammaExcess(c.shape); modeltest.Relative(got, c.want) > 2e-13 {
			t.Errorf("shape %g: %v, want %v", c.shape, got, c.want)
		}
	}
	if below, at := trigammaExcess(math.Nextafter(10, 0)), trigammaExcess(10); modeltest.Relative(below, at) > 1e-12 {
		t.Errorf("just below 10 %v, at it %v", below, at)
	}
}

func TestMixture(t *testing.T) {
	x := new(NormalMixture)
	x.Size(2)
	copy(x.W, []float64{.3, .7})
	copy(x.Mean, []float64{-4, 2})
	copy(x.SD, []float64{.5, 3})
	mean, sd := x.Moments()
	if math.Abs(mean-.2) > 1e-15 || math.Abs(sd-math.Sqrt(.3*.25+.7*9+.3*4.2*4.2+.7*1.8*1.8)) > 1e-14 {
		t.Errorf("moments %v %v", mean, sd)
	}
	for i, p := range Levels {
		if got := x.CDF(x.Quantile(p, NormalQuantiles[i])); math.Abs(got-p) > 2e-11 {
			t.Errorf("cdf at the %v quantile is %v", p, got)
		}
	}
	const h = 1e-5
	for _, y := range []float64{-5, 0, 3} {
		slope := (x.CDF(y+h) - x.CDF(y-h)) / (2 * h)
		if math.Abs(math.Exp(x.LogDensity(y))/slope-1) > 1e-7 {
			t.Errorf("density at %v is %v, slope of the cdf %v", y, math.Exp(x.LogDensity(y)), slope)
		}
	}
	// 300 sd away every term underflows.
	if got, want := x.LogDensity(900), -0.5*(898./3)*(898./3); !(math.Abs(got-want) < 5) {
		t.Errorf("far tail: %v, want about %v", got, want)
	}
	copy(x.SD, []float64{0, 0})
	copy(x.Mean, []float64{1, 1})
	if q := x.Quantile(.25, NormalQuantiles[2]); q != 1 {
		t.Errorf("quantile of a point is %v", q)
	}
}

// Quantiles of random mixtures by what is below them: components far apart, of scales far from
// each other, one with almost all weight, points, in units of any size.
func TestQuantilesOfNormals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 68))
	x := new(NormalMixture)
	for trial := range 6000 {
		n, heaps, scales := 1+r.IntN(40), float64(1+r.IntN(3)), []float64{0, .3, 1, 4}[r.IntN(4)]
		x.Size(n)
		apart, unit := math.Exp(4*r.NormFloat64()), 1.0
		if trial%4 == 0 {
			unit = math.Exp(400 * (r.Float64() - .5))
		}
		total := 0.0
		for k := range n {
			x.W[k] = math.Exp(-20 * r.Float64() * float64(r.IntN(2)))
			if k == 0 && trial%3 == 0 {
				x.W[k] = 1e6
			}
			total += x.W[k]
			x.Mean[k] = unit * apart * (math.Floor(heaps*r.Float64()) + .3*r.NormFloat64())
			x.SD[k] = unit * math.Exp(scales*r.NormFloat64())
			if trial%100 == 1 && k%3 == 0 {
				x.SD[k] = 0
			}
		}
		for k := range x.W {
			x.W[k] /= total
		}
		_, sd := x.Moments()
		before := math.Inf(-1)
		for k, q := range x.Quantiles() {
			room := 1e-10*sd + 1e-14*math.Abs(q)
			if below, above := x.CDF(q-room), x.CDF(q+room); !(below < Levels[k]+2e-11 && above > Levels[k]-2e-11) {
				t.Errorf("trial %d: the %v quantile is %v, below which are %v to %v", trial, Levels[k], q, below, above)
			}
			if alone := x.Quantile(Levels[k], NormalQuantiles[k]); math.Abs(alone-q) > 1e-7*sd && math.Abs(x.CDF(alone)-Levels[k]) > 1e-9 {
				t.Errorf("trial %d: the %v quantile is %v, alone %v", trial, Levels[k], q, alone)
			}
			if q < before-room {
				t.Errorf("trial %d: the %v quantile is %v, the one before %v", trial, Levels[k], q, before)
			}
			before = q
		}
	}
}

// What a mixture of more components left behind is no part of the next.
func TestMixtureAfterAnother(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 63))
	used := new(NormalMixture)
	for _, n := range []int{19, 5, 2, 13, 1, 3} {
		fresh := new(NormalMixture)
		for _, x := range []*NormalMixture{used, fresh} {
			x.Size(n)
		}
		for k := range n {
			fresh.W[k], fresh.Mean[k], fresh.SD[k] = 1/float64(n), r.NormFloat64(), 1+r.Float64()
		}
		copy(used.W, fresh.W)
		copy(used.Mean, fresh.Mean)
		copy(used.SD, fresh.SD)
		for k, sd := range fresh.SD {
			used.Inv[k], fresh.Inv[k] = 1/sd, 1/sd
		}
		if got, want := used.Quantiles(), fresh.Quantiles(); got != want {
			t.Errorf("%d components: quantiles %v, of a fresh mixture %v", n, got, want)
		}
		if got, want := used.Quantile(Levels[0], NormalQuantiles[0]), fresh.Quantile(Levels[0], NormalQuantiles[0]); got != want {
			t.Errorf("%d components: quantile %v, of a fresh mixture %v", n, got, want)
		}
		for _, y := range []float64{0.3, 3, 50} {
			p, log := used.At(y)
			q, want := fresh.At(y)
			if p != q || log != want {
				t.Errorf("%d components: at %v %v and %v, of a fresh mixture %v and %v", n, y, p, log, q, want)
			}
			if math.Abs(p-fresh.CDF(y)) > 1e-14 || math.Abs(log-fresh.LogDensity(y)) > 1e-9 {
				t.Errorf("%d components: at %v %v and %v, want %v and %v", n, y, p, log, fresh.CDF(y), fresh.LogDensity(y))
			}
		}
	}
}

func TestLogProduct(t *testing.T) {
	l, want := NewLogProduct(), 0.0
	for _, v := range []float64{2, 1e300, 1e-300, 1e-300, 5e120, 1e140, 3, 1e-200, 7} {
		for range 5 {
			l.Mul(v)
			want += math.Log(v)
		}
	}
	if math.Abs(l.Log()-want) > 1e-11 {
		t.Errorf("%v, want %v", l.Log(), want)
	}
}
