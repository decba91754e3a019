package probit

import (
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/normal"
)

// grid is the posterior of two coefficients by quadrature.
type grid struct {
	mean, sd [2]float64
	x        [][2]float64
	w        []float64
}

// newGrid looks from -reach to reach in both. Row i counts power[i] times.
func newGrid(m *Model, sh *cdf.Shard, power []float64, reach float64) *grid {
	return gridOver(m, sh, power, 101, [2]float64{-reach, -reach}, [2]float64{reach, reach})
}

// findGrid looks where the posterior is, wherever the prior lets it be.
func findGrid(m *Model, sh *cdf.Shard) *grid {
	const n = 21
	power := powers(len(sh.Y), one)
	lo := [2]float64{-6 * math.Sqrt(m.Variance(0)), -6 * math.Sqrt(m.Variance(1))}
	hi := [2]float64{-lo[0], -lo[1]}
	for range 4 {
		g := gridOver(m, sh, power, n, lo, hi)
		step := [2]float64{(hi[0] - lo[0]) / (n - 1), (hi[1] - lo[1]) / (n - 1)}
		lo, hi = [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
		for i, at := range g.x {
			for j := range at {
				if g.w[i] > 1e-9 {
					lo[j], hi[j] = min(lo[j], at[j]-step[j]), max(hi[j], at[j]+step[j])
				}
			}
		}
	}
	return gridOver(m, sh, power, n, lo, hi)
}

func gridOver(m *Model, sh *cdf.Shard, power []float64, n int, lo, hi [2]float64) *grid {
	g := &grid{}
	most := math.Inf(-1)
	for a := range n {
		for b := range n {
			at := [2]float64{lo[0] + (hi[0]-lo[0])*float64(a)/float64(n-1), lo[1] + (hi[1]-lo[1])*float64(b)/float64(n-1)}
			l := -0.5*at[0]*at[0]/m.Variance(0) - 0.5*at[1]*at[1]/m.Variance(1)
			for i, y := range sh.Y {
				l += power[i] * normal.LogCDF((2*y-1)*(sh.X[2*i]*at[0]+sh.X[2*i+1]*at[1]))
			}
			g.x, g.w = append(g.x, at), append(g.w, l)
			most = max(most, l)
		}
	}
	sum := 0.0
	for i, l := range g.w {
		g.w[i] = math.Exp(l - most)
		sum += g.w[i]
	}
	for i := range g.w {
		g.w[i] /= sum
		for j := range 2 {
			g.mean[j] += g.w[i] * g.x[i][j]
		}
	}
	for j := range 2 {
		g.sd[j] = math.Sqrt(g.mix(func(at [2]float64) float64 { return (at[j] - g.mean[j]) * (at[j] - g.mean[j]) }))
	}
	return g
}

// mix returns the posterior mean of f.
func (g *grid) mix(f func(at [2]float64) float64) float64 {
	v := 0.0
	for i, w := range g.w {
		if w > 1e-12 {
			v += w * f(g.x[i])
		}
	}
	return v
}

func powers(n int, of func(i int) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = of(i)
	}
	return out
}

func one(int) float64 { return 1 }
