package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/models/internal/dist"
)

// mass is the law of a count whose log rate has a mixture of normals
// for its law. Everything is quadrature: no number depends on draws.
type mass struct{ x *dist.NormalMixture }

// exactBelow is the count from which on the distribution function is an
// expansion instead of a sum.
const exactBelow = 12

// hermite are the positive nodes and the weights, times e^(t^2), of the
// nine-point Gauss-Hermite rule.
var hermite = [5][2]float64{
	{0, 0.7202352156060510},
	{0.7235510187528376, 0.7303024527450922},
	{1.468553289216668, 0.7646081250945502},
	{2.266580584531843, 0.8417527014786704},
	{3.190993201781528, 1.047003580976684},
}

// logMass returns log P(Y = y).
func (p mass) logMass(y float64) float64 {
	least := math.Inf(-1)
	for i, w := range p.x.W {
		p.x.Square[i] = math.Log(w) + logMassNormal(y, p.x.Mean[i], p.x.SD[i])
		least = max(least, p.x.Square[i])
	}
	if math.IsInf(least, -1) {
		return least
	}
	sum := 0.0
	for _, v := range p.x.Square {
		sum += math.Exp(v - least)
	}
	return least + math.Log(sum) - dist.LogGamma(y+1)
}

// logMassNormal returns log E[exp(y eta - e^eta)], eta normal: the Gauss-Hermite
// rule about the maximum of the integrand.
func logMassNormal(y, mean, sd float64) float64 {
	if sd == 0 {
		return y*mean - math.Exp(mean)
	}
	inv := 1 / (sd * sd)
	// Newton's method descends to the root of a concave function from its right.
	eta := mean
	if y > 0 {
		eta = max(eta, math.Log(y))
	}
	for range 800 {
		rate := math.Exp(eta)
		step := (y - rate - (eta-mean)*inv) / (rate + inv)
		eta += step
		if math.Abs(step) < 1e-9 {
			break
		}
	}
	rate := math.Exp(eta)
	scale := math.Sqrt(2 / (rate + inv))
	sum := 0.0
	for i, node := range hermite {
		for _, sign := range [2]float64{1, -1} {
			if i == 0 && sign < 0 {
				continue
			}
			d := sign * scale * node[0]
			// The difference to the maximum, by the terms that do not cancel.
			sum += node[1] * math.Exp(y*d-rate*math.Expm1(d)-d*(eta-mean)*inv-0.5*d*d*inv)
		}
	}
	return y*eta - rate - 0.5*(eta-mean)*(eta-mean)*inv + math.Log(sum*scale/(sd*math.Sqrt(2*math.Pi)))
}

// cdf returns P(Y <= y), y a count or -1.
func (p mass) cdf(y float64) float64 {
	if y < exactBelow {
		sum := 0.0
		for k := 0.0; k <= y; k++ {
			sum += math.Exp(p.logMass(k))
		}
		return min(sum, 1)
	}
	sum := 0.0
	for i, w := range p.x.W {
		sum += w * cdfNormal(y, p.x.Mean[i], p.x.SD[i])
	}
	return min(max(sum, 0), 1)
}

// cdfNormal returns P(Y <= y) for one normal: P(log G > eta), G gamma of shape
// y+1, by the Edgeworth expansion from the cumulants of log G.
func cdfNormal(y, mean, sd float64) float64 {
	a := y + 1
	r := 1 / a
	k1 := math.Log(a) - r/2 - r*r/12 + r*r*r*r/120
	k2 := r + r*r/2 + r*r*r/6 - r*r*r*r*r/30
	k3 := -r*r - r*r*r - r*r*r*r/2
	k4 := 2*r*r*r + 3*r*r*r*r + 2*r*r*r*r*r
	s2 := k2 + sd*sd
	s := math.Sqrt(s2)
	z := (mean - k1) / s
	g1, g2 := k3/(s2*s), k4/(s2*s2)
	z2 := z * z
	density := math.Exp(-0.5*z2) / math.Sqrt(2*math.Pi)
	he5 := z * ((z2-10)*z2 + 15)
	below := normal.CDF(z) - density*(g1*(z2-1)/6+g2*z*(z2-3)/24+g1*g1*he5/72)
	return min(max(1-below, 0), 1)
}

// quantile returns the smallest count that is at least from and whose
// probability of not being exceeded reaches q.
func (p mass) quantile(q, from float64) float64 {
	if from < exactBelow {
		sum := 0.0
		for k := 0.0; k < exactBelow; k++ {
			if sum += math.Exp(p.logMass(k)); sum >= q && k >= from {
				return k
			}
		}
	}
	lo, hi := max(from, exactBelow)-1, max(from, exactBelow)
	for p.cdf(hi) < q && hi < 1e300 {
		lo, hi = hi, 2*hi
	}
	for hi-lo > 1 {
		mid := math.Floor(lo + (hi-lo)/2)
		if mid <= lo || mid >= hi {
			break
		}
		if p.cdf(mid) < q {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// moments returns E and Var of the rate e^eta, NaN where the integral over the
// last component, the one with the largest variance, still matters: then there
// is no such moment.
func (p mass) moments(open bool) (mean, variance float64) {
	mean, square, last1, last2 := 0.0, 0.0, 0.0, 0.0
	for i, w := range p.x.W {
		m, v := p.x.Mean[i], p.x.SD[i]*p.x.SD[i]
		last1, last2 = w*math.Exp(m+0.5*v), w*math.Exp(2*(m+v))
		mean += last1
		square += last2
	}
	variance = square - mean*mean
	if open && len(p.x.W) > 1 && last1 > 0.01*mean || math.IsInf(mean, 1) {
		return math.NaN(), math.NaN()
	}
	if open && len(p.x.W) > 1 && last2 > 0.01*square || math.IsInf(square, 1) {
		return mean, math.NaN()
	}
	return mean, max(variance, 0)
}
