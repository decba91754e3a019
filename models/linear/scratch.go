package linear

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/models/internal/collinear"
	"github.com/credence-stream/credence/models/internal/qr"
)

// scratch is what the models of one configuration share.
type scratch struct {
	sync.Pool               // of work
	stamps    atomic.Uint64 // of their posteriors, each of which has another
}

func newScratch() *scratch { return &scratch{Pool: sync.Pool{New: func() any { return new(work) }}} }

// work is scratch space, shared by all models of one configuration
// through a pool, so that a key at rest holds little more than its state.
// Nothing in it survives the call that took it, but for nodes and spread, which say whose they
// are.
type work struct {
	block     []float64 // rows of a shard
	fold      qr.Work   // what folds them in
	a         []float64 // p rows of p+1 for lin.Bidiagonal: z and R D^{-1}
	square    []float64 // p x p: KK, where the posterior is a series
	lin       []float64 // what lin needs
	intercept bool      // the first column is one
	order     []int     // of the columns
	sd        []float64 // p: prior sds
	factor    []float64 // packed, of order p+1
	coded     []float64 // the same: that of the rows times U of levels
	c         []float64 // p: a functional or a row in the posterior's basis
	z, l, g   []float64 // p
	scales    []float64 // p+1: of columns and the response
	weights   []float64 // p: of a functional
	joint     []float64 // k x p: functionals in it
	means     []float64 // k x nodes: their conditional means
	spread    spread
	nodes     nodes
	far       nodes // by which rows are predicted
	apart     collinear.Finder
	mix       nodeMixture
}

// size makes room for the coefficients of s. The models of a pool have one
// prior.
func (w *work) size(s *columns) {
	p := s.P
	if len(w.c) == p && w.intercept == s.intercept {
		return
	}
	w.intercept = s.intercept
	w.block = make([]float64, qr.BlockLen(p))
	w.a, w.lin = make([]float64, p*lin.BidiagonalStride(p)), make([]float64, max(lin.BidiagonalWork(p), lin.RidgeWork(p)))
	w.order = make([]int, p)
	w.factor = make([]float64, lin.PackedLen(p+1))
	w.sd, w.c, w.z = make([]float64, p), make([]float64, p), make([]float64, p)
	w.l, w.g, w.weights = make([]float64, p), make([]float64, p), make([]float64, p)
	w.scales = make([]float64, p+1)
	w.mix.inverse = make([]float64, p)
	for j := range p {
		w.sd[j] = math.Sqrt(s.variance(j))
		w.mix.inverse[j] = 1 / w.sd[j]
	}
}
