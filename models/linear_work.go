package models

import "github.com/credence-stream/credence/cdf/lin"

// linearWork is scratch space, shared by all models of one configuration
// through a pool, so that a key at rest holds little more than its state.
// Nothing in it survives the call that took it.
type linearWork struct {
	block []float64 // rows of a shard, column-major
	a, v  []float64 // p x p column-major: U diag(d) and V
	svd   []float64
	c     []float64 // p: a functional or a row in the directions of V
	z     []float64 // p
	joint []float64 // k x p: functionals in the directions of V
	means []float64 // k x nodes: their conditional means
	nodes linearNodes
	mix   mixture
}

// blockRows is how many rows one factor update takes: enough to amortise the
// loop heads, few enough that the rows stay in the first-level cache.
func blockRows(p int) int { return min(max(3072/(p+1), 32), 256) }

// size makes room for p coefficients.
func (w *linearWork) size(p int) {
	if len(w.c) == p {
		return
	}
	w.block = make([]float64, blockRows(p)*(p+1))
	w.a, w.v = make([]float64, p*p), make([]float64, p*p)
	w.svd = make([]float64, lin.SVDWork(p))
	w.c, w.z = make([]float64, p), make([]float64, p)
}

// grow returns x with n entries, of any value.
func grow(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}
