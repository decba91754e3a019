package linear

import (
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/qr"
)

// work is scratch space, shared by all models of one configuration
// through a pool, so that a key at rest holds little more than its state.
// Nothing in it survives the call that took it.
type work struct {
	block []float64 // rows of a shard, column-major
	a, v  []float64 // p x p column-major: U diag(d) and V
	svd   []float64
	c     []float64 // p: a functional or a row in the directions of V
	z     []float64 // p
	joint []float64 // k x p: functionals in the directions of V
	means []float64 // k x nodes: their conditional means
	nodes nodes
	mix   nodeMixture
}

// size makes room for p coefficients.
func (w *work) size(p int) {
	if len(w.c) == p {
		return
	}
	w.block = make([]float64, qr.BlockRows(p)*(p+1))
	w.a, w.v = make([]float64, p*p), make([]float64, p*p)
	w.svd = make([]float64, lin.SVDWork(p))
	w.c, w.z = make([]float64, p), make([]float64, p)
}
