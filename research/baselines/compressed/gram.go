package compressed

import (
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/research/baselines/internal/state"
)

// gram holds the sufficient statistics of a normal regression, exact whatever
// the rows were cut into: F = X'X, f = X'y, F^yy = y'y and N, of rows that may
// be discounted.
type gram struct {
	p    int
	n    float64   // N
	yy   float64   // F^yy
	xy   []float64 // p: f
	xx   []float64 // p x p, symmetric: F
	x, y []float64 // scratch: rows of a shard that have a response
}

func newGram(p int) gram {
	return gram{p: p, xy: make([]float64, p), xx: make([]float64, p*p)}
}

// Absorb discounts the statistics and adds the rows that have a response.
func (g *gram) Absorb(s *cdf.Step) {
	if s.Forget < 1 {
		g.n *= s.Forget
		g.yy *= s.Forget
		lin.Scale(s.Forget, g.xy)
		lin.Scale(s.Forget, g.xx)
	}
	x, y := s.Shard.X, s.Shard.Y
	if n := s.Shard.Observed(); n < len(y) {
		x, y = g.observed(x, y)
	}
	g.n += float64(len(y))
	for i, v := range y {
		lin.Axpy(v, lin.Row(x, g.p, i), g.xy)
		g.yy += float64(v * v)
	}
	lin.AddGram(len(y), g.p, x, x, g.xx)
	lin.Mirror(g.p, g.xx)
}

// observed copies the rows that have a response, so that rows without one do
// not change how the others are added up.
func (g *gram) observed(x, y []float64) ([]float64, []float64) {
	g.x, g.y = g.x[:0], g.y[:0]
	for i, v := range y {
		if !math.IsNaN(v) {
			g.x = append(g.x, lin.Row(x, g.p, i)...)
			g.y = append(g.y, v)
		}
	}
	return g.x, g.y
}

// finite reports whether all statistics are finite.
func (g *gram) finite() bool {
	return lin.Finite(g.n, g.yy) && lin.Finite(g.xy...) && lin.Finite(g.xx...)
}

// appendBinary appends N, F^yy, f and the lower triangle of F:
// 8(p(p+1)/2 + p + 2) bytes.
func (g *gram) appendBinary(b []byte) []byte {
	b = state.AppendFloats(b, g.n, g.yy)
	b = state.AppendFloats(b, g.xy...)
	for i := range g.p {
		b = state.AppendFloats(b, g.xx[i*g.p:i*g.p+i+1]...)
	}
	return b
}

// take fills the statistics from the front of b and returns the rest.
// ErrSnapshot, wrapped: these are not the statistics of any rows.
func (g *gram) take(b []byte) ([]byte, error) {
	var head [2]float64
	b, ok := state.TakeFloats(b, head[:], g.xy)
	for i := 0; ok && i < g.p; i++ {
		b, ok = state.TakeFloats(b, g.xx[i*g.p:i*g.p+i+1])
		ok = ok && g.xx[i*g.p+i] >= 0
	}
	g.n, g.yy = head[0], head[1]
	if !ok || g.n < 0 || g.yy < 0 {
		return nil, fmt.Errorf("%w: statistics of wrong length or out of range", cdf.ErrSnapshot)
	}
	lin.Mirror(g.p, g.xx)
	return b, nil
}
