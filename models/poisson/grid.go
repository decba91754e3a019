package poisson

import (
	"math"

	"github.com/credence-stream/credence/cdf/vec"
)

// A normal law on equal nodes gridStep sds apart, up to gridEnd of them to each
// side: 6.3 sds.
const (
	gridStep = 0.1125
	gridEnd  = 56
	// gridRate is the rate beyond which counts below exactBelow have no mass.
	gridRate = 60
)

// gridDensity is the density at the nodes from the middle.
var gridDensity = func() (density [gridEnd + 1]float64) {
	for j := range density {
		z := gridStep * float64(j)
		density[j] = math.Exp(-0.5*z*z) / math.Sqrt(2*math.Pi)
	}
	return density
}()

// gridStride returns how many nodes at a time leave an error below 1e-8 in the
// mass of counts up to y whose log rate has the sd, 0 where all are too few. The
// trapezoid rule of step h has one of exp(-pi^2/(sd h)) times what the mass grows
// by in the log rate up to pi/2 from the real axis, the more the larger y.
func gridStride(y int, sd float64) int {
	return int(min(3.2/(sd*(1+0.1*float64(y))), 7))
}

// onGrid returns P(Y < y) and P(Y = y) of a count y <= exactBelow whose log rate is
// normal. ok is false where the grid is too coarse.
func onGrid(y int, mean, sd float64) (below, mass float64, ok bool) {
	stride := gridStride(y, sd)
	if stride == 0 {
		return 0, 0, false
	}
	h := gridStep * float64(stride)
	rate, ratio := math.Exp(mean-gridStep*gridEnd*sd), math.Exp(h*sd)
	var less, none [2*gridEnd + 1]float64 // rates below 0, of which none are counted with these probabilities
	n := 0
	for j := -gridEnd; j <= gridEnd && rate < gridRate; j += stride {
		less[n] = -rate
		rate *= ratio
		n++
	}
	vec.Exps(none[:n], less[:n])
	for i, p := range none[:n] {
		j := i*stride - gridEnd
		p *= gridDensity[max(j, -j)]
		rate := -less[i]
		for k := range y {
			below += p
			p *= rate * reciprocals[k+1]
		}
		mass += p
	}
	return below * h, mass * h, true
}

// reciprocals has 1/k at k.
var reciprocals = func() (r [exactBelow + 1]float64) {
	for k := 1; k <= exactBelow; k++ {
		r[k] = 1 / float64(k)
	}
	return r
}()
