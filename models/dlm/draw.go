package dlm

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/rnd"
)

// draw fills the draws with independent ones. (eta, l) comes from the
// density between the nodes: proposed from its bilinear interpolation, accepted
// against the posterior at the point itself, whose statistics are interpolated
// as for a new grid. sigma2, tau2 = q sigma2 and theta follow in closed form.
func (m *Model) draw(s *cdf.Step) error {
	w := m.family.take()
	defer m.family.scratch.Put(w)
	if !w.weighState(m) {
		return errWeights
	}
	d := s.Draws
	phi, tau2, sigma2, theta := d.Row(phiRow), d.Row(tau2Row), d.Row(sigma2Row), d.Row(thetaRow)
	var mu []float64
	if !m.family.known {
		mu = d.Row(muRow)
	}
	sum := w.regrid.cumulate(w.weight)
	for k := range phi {
		var p point
		for range 100 {
			node := find(sum, s.RNG.Float64())
			at := [2]float64{float64(node / nodes), float64(node % nodes)}
			inside := true
			for axis := range at {
				at[axis] += s.RNG.Float64() + s.RNG.Float64() - 1
				inside = inside && at[axis] >= 0 && at[axis] <= nodes-1
			}
			u := s.RNG.Float64()
			if !inside {
				continue
			}
			p = m.point(at)
			if u*envelope*w.bilinear(at) < math.Exp(p.logWeight(&m.family.settings.Prior, w.shape)-w.top)/w.total {
				break
			}
		}
		v := rnd.InvGamma(s.RNG, w.shape, p.rate(&m.family.settings.Prior))
		phi[k], sigma2[k], tau2[k] = math.Tanh(p.eta), v, min(v*math.Exp(p.l), math.MaxFloat64)
		theta[k] = p.m + math.Sqrt(p.v*v)*s.RNG.NormFloat64()
		if mu != nil {
			mu[k] = p.mean.mu + math.Sqrt(p.mean.v*v)*s.RNG.NormFloat64()
			theta[k] += p.r * mu[k]
		}
	}
	return nil
}

// envelope bounds the ratio of the density to its bilinear interpolation
// where the grid resolves it: spacings of half an sd give 1.07.
const envelope = 1.5

// point is a place between the nodes.
type point struct {
	eta, l, m, v, sse, ld, r float64
	mean                     mean
}

func (p *point) rate(prior *Prior) float64 {
	return prior.Sigma2Rate + prior.Tau2Rate*math.Exp(-p.l) + 0.5*p.sse
}

// logWeight is that of a node, see work.weigh.
func (p *point) logWeight(prior *Prior, shape float64) float64 {
	return prior.logPhi(math.Tanh(p.eta)) - 2*math.Log(math.Cosh(p.eta)) - prior.Tau2Shape*p.l - 0.5*p.ld - shape*math.Log(p.rate(prior))
}

// point interpolates the statistics at a place in units of the nodes.
func (m *Model) point(at [2]float64) point {
	g := &m.grid
	p := point{
		eta: g.low[etaAxis] + at[etaAxis]*g.spacing(etaAxis),
		l:   g.low[logAxis] + at[logAxis]*g.spacing(logAxis),
	}
	a, b := g.through(etaAxis, p.eta), g.through(logAxis, p.l)
	er, rr := 0.0, 0.0
	for i, u := range a.weight {
		for j, v := range b.weight {
			k, c := (a.first+i)*nodes+b.first+j, u*v
			p.m += c * g.m[k]
			p.v += c * math.Log(g.v[k])
			p.sse += c * g.sse[k]
			p.ld += c * g.ld[k]
			if g.r != nil {
				p.r += c * g.r[k]
				er += c * g.er[k]
				rr += c * g.rr[k]
			}
		}
	}
	if g.r != nil {
		cosh := math.Cosh(p.eta)
		p.mean = meanLaw(1+math.Exp(p.l)*cosh*cosh, er, max(rr, 0))
		p.sse -= p.mean.sse
		p.ld += math.Log(p.mean.mp)
	}
	p.v, p.sse = math.Exp(p.v), max(p.sse, 0)
	return p
}

// bilinear interpolates the weights at a place in units of the nodes.
func (w *work) bilinear(at [2]float64) float64 {
	i, j := min(int(at[0]), nodes-2), min(int(at[1]), nodes-2)
	u, v := at[0]-float64(i), at[1]-float64(j)
	k := i*nodes + j
	return (1-u)*((1-v)*w.weight[k]+v*w.weight[k+1]) + u*((1-v)*w.weight[k+nodes]+v*w.weight[k+nodes+1])
}

// cumulate returns the running sums of the weights.
func (r *regrid) cumulate(weight []float64) []float64 {
	r.clear()
	sum := 0.0
	for k, v := range weight {
		sum += v
		r.half[k] = sum
	}
	return r.half
}

// find returns the first entry of the running sums above u times the last.
func find(sum []float64, u float64) int {
	u *= sum[len(sum)-1]
	lo, hi := 0, len(sum)-1
	for lo < hi {
		if k := (lo + hi) / 2; sum[k] > u {
			hi = k
		} else {
			lo = k + 1
		}
	}
	return lo
}
