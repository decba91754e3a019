package main

import (
	"math"
	"testing"
)

// nileReference runs a Kalman filter of the level and its mean on every node of a fixed
// grid over phi and both variances.
func nileReference(_ *testing.T, data *rows) map[string]reference {
	flow := data.number("flow")
	out := map[string]reference{}
	for _, year := range []int{1898, 1899, 1903, 1913, 1970} {
		y := flow[:year-1870]
		centre, scale := moments(y[:min(50, len(y))])
		phis, logs := even(-1, 1, 50), even(math.Log(.01), math.Log(4), 36)
		type node struct{ l, m, c, mu, cmu float64 }
		nodes := make([]node, 0, len(phis)*len(logs)*len(logs))
		best := math.Inf(-1)
		for _, f := range phis {
			for _, ls := range logs {
				for _, lt := range logs {
					s2, t2 := math.Exp(ls), math.Exp(lt)
					l := inverseGamma(ls, 2, .2) + inverseGamma(lt, 2, .2)
					m, mu, c, both, cmu := 0., 0., 10*s2, 0., s2+t2/(1-f*f)
					for _, v := range y {
						m, c, both = f*m+(1-f)*mu, f*f*c+2*f*(1-f)*both+(1-f)*(1-f)*cmu+t2, f*both+(1-f)*cmu
						q, e := c+s2, (v-centre)/scale-m
						l -= (math.Log(q) + e*e/q) / 2
						m, mu = m+c/q*e, mu+both/q*e
						c, both, cmu = c*s2/q, both*s2/q, cmu-both*both/q
					}
					best = max(best, l)
					nodes = append(nodes, node{l, m, c, mu, cmu})
				}
			}
		}
		phi, sigma, tau := newGrid(phis), newGrid(logs), newGrid(logs)
		var theta, mu mixture
		for i, n := range nodes {
			p := math.Exp(n.l - best)
			phi.weight[i/len(logs)/len(logs)] += p
			sigma.weight[i/len(logs)%len(logs)] += p
			tau.weight[i%len(logs)] += p
			if p > 1e-5 {
				theta.add(p, n.m, math.Sqrt(n.c))
				mu.add(p, n.mu, math.Sqrt(n.cmu))
			}
		}
		flow := func(z float64) float64 { return (centre + scale*z) / 10 }
		out["level in "+itoa(year)+", km³"] = theta.reference(.02, flow)
		if year == 1970 {
			sd := func(l float64) float64 { return scale * math.Exp(l/2) / 10 }
			out["noise of a year, sd, km³"] = sigma.reference(.03, sd)
			out["step of the level, sd, km³"] = tau.reference(.03, sd)
			out["mean of the level, km³"] = mu.reference(.03, flow)
			out["phi"] = phi.reference(.03, same)
		}
	}
	return out
}
