package linear

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/credence-stream/credence/models/internal/dist"
)

// reached is how far a row is from where the last node has it, in squares of the sds that it has there, up to which what is
// beyond that node does not matter.
const reached = 1e-9

// predicted returns P(Y <= y) and the log density at y of the row that the mixture was set to, nodes far. Normal laws alone fall off by the
// square of the distance once it exceeds the sd at the last node; what sigma2 has beyond that makes the tail a power again.
func (w *work) predicted(y float64) (pit, log float64) {
	x, n := &w.mix, &w.far
	pit, log = x.At(y)
	k := len(x.W) - 1
	z := (y - x.Mean[k]) / x.SD[k]
	if !(math.Abs(z) > math.Sqrt(reached)) || !(n.power > 0) {
		return pit, log
	}
	beyond := n.beyondAt(z) - math.Log(x.SD[k])
	if top := max(log, beyond); top > math.Inf(-1) {
		log = top + math.Log(math.Exp(log-top)+math.Exp(beyond-top))
	}
	return pit, log
}

// beyondAt returns the log of the density at a distance of z sds at the last node that is owed to the nodes that would follow, in units
// of one over that sd. e falls by a power of sigma2 there, and nothing else counts in the variance of a row:
//
//	e_K S^a int_S^inf s^(-a-1) (2 pi s)^(-1/2) exp(-r^2/(2s)) ds = e_K (2 pi S)^(-1/2) x^(-a-1/2) gamma(a+1/2, x),  x = r^2/(2S)
func (w *nodes) beyondAt(z float64) float64 {
	a, logX := w.power+.5, 2*math.Log(math.Abs(z))-math.Ln2
	at := math.Log(w.e[len(w.e)-1]/(w.total*w.h)) - .5*math.Log(2*math.Pi)
	x := math.Exp(logX)
	if x > a+1 {
		at += dist.LogGamma(a) - a*logX
		if x < 1e6*a {
			at += math.Log(mathext.GammaIncReg(a, x))
		}
		return at
	}
	term, sum := 1/a, 1/a
	for b := a + 1; term > 1e-17*sum; b++ {
		term *= x / b
		sum += term
	}
	return at - x + math.Log(sum)
}
