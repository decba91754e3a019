package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf/normal"
	"github.com/credence-stream/credence/models/internal/dist"
)

// mass is the law of a count whose log rate has a mixture of normals
// for its law. Everything is quadrature: no number depends on draws.
type mass struct {
	x        *dist.NormalMixture
	mean, sd float64 // of the mixture
}

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
	_, log := p.at(y)
	return log
}

// onGridFrom is the mass from which on its logarithm is that of the grid's: in the
// tails the nodes have to be where the count is.
const onGridFrom = 1e-3

// at returns P(Y < y) and log P(Y = y) of a count.
func (p mass) at(y float64) (below, logMass float64) {
	if y <= exactBelow {
		mass, ok := 0.0, true
		for i, w := range p.x.W {
			b, m, fine := onGrid(int(y), p.x.Mean[i], p.x.SD[i])
			below += float64(w * b)
			mass += float64(w * m)
			ok = ok && fine
		}
		if ok && mass > onGridFrom {
			return below, math.Log(mass)
		}
		if !ok {
			below = 0
			for k := 0.0; k < y; k++ {
				below += math.Exp(p.modal(k))
			}
		}
		return min(below, 1), p.modal(y)
	}
	for i, w := range p.x.W {
		below += w * cdfNormal(y-1, p.x.Mean[i], p.x.SD[i])
	}
	return min(max(below, 0), 1), p.modal(y)
}

// modal returns log P(Y = y) by nodes about the mode of each component's integrand.
func (p mass) modal(y float64) float64 {
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
	// The maximum is where y - e^eta = (eta - mean)/sd^2: see omega.
	s2 := sd * sd
	inv := 1 / s2
	at := math.Log(s2) + mean + s2*y
	x := omega(at)
	eta, rate := mean+s2*y-x, x*inv
	if at > omegaLast { // without the cancellation
		eta = math.Log(rate)
	}
	rate = max(rate, math.SmallestNonzeroFloat64) // 0 times infinity is no number
	scale, slope := math.Sqrt(2/(rate+inv)), y-(eta-mean)*inv
	sum := hermite[0][1]
	for _, node := range hermite[1:] {
		d := scale * node[0]
		// The difference to the maximum to either side, by the terms that do not cancel.
		e, even := math.Expm1(d), 0.5*d*d*inv
		sum += node[1] * (math.Exp(slope*d-rate*e-even) + math.Exp(-slope*d+rate/(1+1/e)-even))
	}
	return y*eta - rate - 0.5*(eta-mean)*(eta-mean)*inv + math.Log(sum*scale/(sd*math.Sqrt(2*math.Pi)))
}

// cdf returns P(Y <= y), y a count or -1.
func (p mass) cdf(y float64) float64 {
	below, _ := p.at(y + 1)
	return below
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
	for k := from; k < exactBelow; k++ {
		if p.cdf(k) >= q {
			return k
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

// shared is the part of the variance of a count that is the error of the state: of its log rate, whose
// variance has the row's own s2e in it, beside 1/rate.
func (p mass) shared(s2e float64) float64 {
	mean, sd := p.mean, p.sd
	return max(sd*sd-s2e, 0) / (sd*sd + math.Exp(-mean-0.5*sd*sd))
}
