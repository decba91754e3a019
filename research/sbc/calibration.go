package main

import (
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf/lin"
	"gonum.org/v1/gonum/mathext"
)

// estimate is a number with its Monte Carlo standard error.
type estimate struct{ value, se float64 }

// calibration is what the replicates say about one variable.
type calibration struct {
	variable      string
	n             int       // replicates
	ks, chi, band float64   // p-values of the ranks
	histogram     [bins]int // of the ranks
	moments       int       // replicates with mean and sd
	z, z2         estimate  // mean of z, 0 if calibrated; of z^2, 1 if calibrated
	sdRatio       estimate  // published sd / sd of the error: z2^(-1/2)
	coverage      [len(levels)]estimate
	departures    []string // tests below the level of the table
}

// bins of the histogram and of the chi-square test, five ranks each.
const bins = 20

// tests of one variable: KS, chi-square, band, z, z^2 and the coverages.
const tests = 5 + len(levels)

// alarm is the probability, at most, that a table of a calibrated model names
// a departure: each test has the level alarm / number of tests.
const alarm = .01

// calibrate compares the outcomes of one variable with what calibration
// makes of them.
func calibrate(variable string, outcomes []outcome, variables int) calibration {
	c := calibration{variable: variable, n: len(outcomes)}
	u, counts := make([]float64, c.n), make([]int, ranked+1)
	for i, o := range outcomes {
		u[i] = o.u
		counts[o.rank]++
		c.histogram[o.rank*bins/(ranked+1)]++
	}
	level := alarm / float64(tests*variables)
	judge := func(name string, p float64) float64 {
		if p < level {
			c.departures = append(c.departures, name)
		}
		return p
	}
	c.ks = judge("KS", ksP(u))
	c.chi = judge("χ²", chiSquareP(c.histogram[:]))
	c.band = judge("band", bandP(counts))
	c.standardised(outcomes)
	if c.moments > 1 {
		judge("z", normalP(c.z.value/c.z.se))
		judge("z²", normalP((c.z2.value-1)/c.z2.se))
	}
	for k, level := range levels {
		inside := 0
		for _, o := range outcomes {
			if o.inside[k] {
				inside++
			}
		}
		n := float64(c.n)
		c.coverage[k] = estimate{float64(inside) / n, math.Sqrt(level * (1 - level) / n)}
		judge("coverage", min(1, 2*newTail(c.n, level).nearer(inside)))
	}
	c.departures = slices.Compact(c.departures)
	return c
}

// standardised estimates the moments of z. The standard error of z^2 is the
// larger of two estimates, by the replicates and by the posteriors' draws:
// rare replicates carry much of it where a posterior has heavy tails.
func (c *calibration) standardised(outcomes []outcome) {
	var sum, sum2, sum4, spread float64
	for _, o := range outcomes {
		if z := o.z; lin.Finite(z) {
			c.moments++
			sum += z
			sum2 += z * z
			sum4 += z * z * z * z
			spread += o.spread
		}
	}
	n := float64(c.moments)
	m, m2, m4 := sum/n, sum2/n, sum4/n
	c.z = estimate{m, math.Sqrt((m2 - m*m) / (n - 1))}
	c.z2 = estimate{m2, math.Sqrt(max(m4-m2*m2, spread/n) / (n - 1))}
	c.sdRatio = estimate{1 / math.Sqrt(m2), c.z2.se / (2 * m2 * math.Sqrt(m2))}
}

// ksP is the p-value of the Kolmogorov-Smirnov test of uniformity on (0, 1),
// the limit law with Stephens' correction for n (1970). It sorts u.
func ksP(u []float64) float64 {
	slices.Sort(u)
	n, d := float64(len(u)), 0.
	for i, v := range u {
		d = max(d, v-float64(i)/n, float64(i+1)/n-v)
	}
	x := d * (math.Sqrt(n) + .12 + .11/math.Sqrt(n))
	if x < .3 {
		return 1
	}
	p, sign := 0., 2.
	for k := 1.; k <= 100; k++ {
		p += sign * math.Exp(-2*k*k*x*x)
		sign = -sign
	}
	return min(max(p, 0), 1)
}

// chiSquareP is the p-value of equal cell probabilities.
func chiSquareP(counts []int) float64 {
	n := 0
	for _, c := range counts {
		n += c
	}
	expected, x := float64(n)/float64(len(counts)), 0.
	for _, c := range counts {
		d := float64(c) - expected
		x += d * d / expected
	}
	return mathext.GammaIncRegComp(float64(len(counts)-1)/2, x/2)
}

// normalP is the two-sided p-value of a standard normal statistic.
func normalP(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }
