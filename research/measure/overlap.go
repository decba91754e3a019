package measure

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/credence-stream/credence/cdf/mcmc"
)

// NormalOverlap returns 1 - 1/2 integral |p - q| of the densities N(m1, s1^2)
// and N(m2, s2^2), the paper's accuracy, from the points where they cross.
func NormalOverlap(m1, s1, m2, s2 float64) float64 {
	if s1 > s2 {
		m1, s1, m2, s2 = m2, s2, m1, s1
	}
	// log p - log q = 0 at x = m1 + u: a u^2 + 2 b u + c = 0. The narrower
	// density is the greater one between the roots, of which one goes to
	// infinity when the sds become equal.
	d := m2 - m1
	a := 1/(s1*s1) - 1/(s2*s2)
	b := d / (s2 * s2)
	c := 2*math.Log(s1/s2) - d*d/(s2*s2)
	q := -b - math.Copysign(math.Sqrt(b*b-a*c), b)
	if q == 0 { // one and the same law
		return 1
	}
	lo, hi := q/a, c/q
	if lo > hi {
		lo, hi = hi, lo
	}
	below := func(u, m, s float64) float64 { return math.Erfc((m-u)/(s*math.Sqrt2)) / 2 }
	return below(lo, 0, s1) + below(-hi, 0, s1) + below(hi, d, s2) - below(lo, d, s2)
}

// cells is how many cells kernel estimates have.
const cells = 800

// Overlap returns 1 - 1/2 integral |p - q| of the densities of two samples,
// each estimated with a normal kernel of Silverman's width on a grid of 800
// cells. The caller takes logarithms of variances (Logs). Two samples of one
// law do not reach 1: see Floor.
func Overlap(x, y []float64) float64 {
	hx, hy := silverman(x), silverman(y)
	pad := 4 * max(hx, hy)
	lo, hi := min(slices.Min(x), slices.Min(y))-pad, max(slices.Max(x), slices.Max(y))+pad
	if !(hx > 0 && hy > 0) || math.IsInf(hi-lo, 0) {
		return math.NaN()
	}
	step := (hi - lo) / cells
	p, q := kernel(x, hx, lo, step, cells), kernel(y, hy, lo, step, cells)
	apart := 0.0
	for i := range p {
		apart += math.Abs(p[i]-q[i]) / 2
	}
	return 1 - apart
}

// Logs returns the logarithms of the values, for Overlap of variances.
func Logs(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Log(v)
	}
	return out
}

// Floor returns what Overlap gives on average for independent samples of m and
// n draws from one normal law: the most that two exact samplers can reach. It
// is .98 for two samples of 10,000 and .955 for one of 500 against one of
// 10,000. The average is over 40 pairs of a fixed seed, to about .001.
func Floor(m, n int) float64 {
	const pairs = 40
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	x, y, sum := make([]float64, m), make([]float64, n), 0.0
	for range pairs {
		for _, v := range [][]float64{x, y} {
			for i := range v {
				v[i] = r.NormFloat64()
			}
		}
		sum += Overlap(x, y) / pairs
	}
	return sum
}

// silverman returns .9 min(sd, IQR/1.34) n^(-1/5).
func silverman(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	_, v := Moments(x)
	iqr := mcmc.Quantile(s, .75) - mcmc.Quantile(s, .25)
	return .9 * min(math.Sqrt(v), iqr/1.34) * math.Pow(float64(len(x)), -.2)
}

// kernel returns the mass per cell of the kernel estimate, by binning first.
func kernel(x []float64, h, lo, step float64, cells int) []float64 {
	bins := make([]float64, cells)
	for _, v := range x {
		at := (v-lo)/step - .5
		i := int(at)
		f := at - float64(i)
		bins[i] += (1 - f) / float64(len(x))
		bins[i+1] += f / float64(len(x))
	}
	reach := int(4*h/step) + 1
	weights, total := make([]float64, reach+1), 0.0
	for d := range weights {
		u := float64(d) * step / h
		weights[d] = math.Exp(-u * u / 2)
		if total += weights[d]; d > 0 {
			total += weights[d]
		}
	}
	out := make([]float64, cells)
	for i, b := range bins {
		if b == 0 {
			continue
		}
		for j := max(0, i-reach); j <= min(cells-1, i+reach); j++ {
			out[j] += b * weights[max(j-i, i-j)] / total
		}
	}
	return out
}
