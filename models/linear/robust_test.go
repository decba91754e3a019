package linear

import (
	"errors"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

func TestCheck(t *testing.T) {
	m := newTest(t, 2)
	good := func() *cdf.Shard {
		return &cdf.Shard{Rows: 2, Cols: 2, X: []float64{1, 2, 1, 3}, Y: []float64{1, math.NaN()}}
	}
	if err := m.Check(good()); err != nil {
		t.Errorf("a good shard: %v", err)
	}
	for name, spoil := range map[string]func(*cdf.Shard){
		"width": func(s *cdf.Shard) { s.Cols = 3 }, "entries": func(s *cdf.Shard) { s.X = s.X[1:] }, "responses": func(s *cdf.Shard) { s.Y = s.Y[1:] },
		"infinite": func(s *cdf.Shard) { s.X[1] = math.Inf(1) }, "NaN": func(s *cdf.Shard) { s.X[3] = math.NaN() }, "infinite response": func(s *cdf.Shard) { s.Y[0] = math.Inf(-1) },
	} {
		s := good()
		spoil(s)
		if err := m.Check(s); !errors.Is(err, cdf.ErrShard) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRefusesAMixedFunctional(t *testing.T) {
	m := newTest(t, 2)
	for _, params := range [][]int{{0, 2}, {2, 0}, {3}, {-1}} {
		f := []cdf.Functional{{Name: "v", Param: params, Weight: []float64{1, 1}[:len(params)]}}
		if err := m.Summarize(f, make([]cdf.Row, 1)); !errors.Is(err, cdf.ErrSchema) {
			t.Errorf("%v: %v", params, err)
		}
	}
}
