package anova

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// The priors' units matter where there is no scaling: shrunk hard, but never
// wrong in the last digits. A large offset costs digits of y, not of the rest.
func TestOffset(t *testing.T) {
	near, far := newTest(t, strong), newTest(t, strong)
	a, b := modeltest.Stepper{Model: near, Draws: drawsFor(500, 4)}, modeltest.Stepper{Model: far, Draws: drawsFor(500, 4)}
	for shard := range uint64(10) {
		sh := groupedRows(rand.New(rand.NewPCG(68, shard)), 40, 4)
		a.Must(t, sh, 1)
		moved := rowsOf(sh.Group[0], slices.Clone(sh.Y)...)
		for i := range moved.Y {
			moved.Y[i] += 1e8
		}
		b.Must(t, moved, 1)
	}
	// The spacing of floats at 1e8 is 1.5e-8.
	for i := range near.zeta {
		if math.Abs(far.zeta[i]-1e8-near.zeta[i]) > 1e-6 || modeltest.Relative(far.vari[i], near.vari[i]) > 1e-6 {
			t.Errorf("zeta %d is %v (%v), with the offset %v (%v)", i, near.zeta[i], near.vari[i], far.zeta[i]-1e8, far.vari[i])
		}
	}
	if modeltest.Relative(far.s2, near.s2) > 1e-7 || modeltest.Relative(far.tau.mean, near.tau.mean) > 1e-6 {
		t.Errorf("s2 %v and %v, tau2 %v and %v", near.s2, far.s2, near.tau.mean, far.tau.mean)
	}
}

func TestCheck(t *testing.T) {
	m := newTest(t, weak)
	for name, sh := range map[string]*cdf.Shard{
		"no group":          {Rows: 1, Y: []float64{1}},
		"two groups":        {Rows: 1, Y: []float64{1}, Group: [][]int32{{0}, {0}}},
		"a label too few":   {Rows: 2, Y: []float64{1, 2}, Group: [][]int32{{0}}},
		"responses":         {Rows: 2, Y: []float64{1}, Group: [][]int32{{0, 0}}},
		"infinite response": rowsOf([]int32{0, 0}, 1, math.Inf(-1)),
	} {
		if err := m.Check(sh); !errors.Is(err, cdf.ErrShard) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := m.Check(rowsOf([]int32{0, -1}, 1, math.NaN())); err != nil {
		t.Errorf("a good shard: %v", err)
	}
	for _, f := range []cdf.Functional{
		{Param: []int{0, 1}, Weight: []float64{1, 1}}, {Param: []int{7}, Weight: []float64{1}}, {Param: []int{-1}, Weight: []float64{1}},
	} {
		if err := m.Summarize([]cdf.Functional{f}, make([]cdf.Row, 1)); !errors.Is(err, cdf.ErrSchema) {
			t.Errorf("%v: %v", f.Param, err)
		}
	}
}
