package poisson

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// A far effect of either factor is drawn by what its mean is from what its own counts say, in its sds given the others.
func TestDrawnEffects(t *testing.T) {
	m := newTest(t, plain(), []string{"intercept"}, "g", "h")
	r := rand.New(rand.NewPCG(3, 92))
	const levels, rows = 40, 400
	d := modeltest.Stepper{Model: m}
	sh := &cdf.Shard{Rows: rows, Cols: 1, Group: make([][]int32, 2)}
	counts, expected := [2][levels]float64{}, [2][levels]float64{}
	effects := [2][levels]float64{}
	for f := range effects {
		for j := range effects[f] {
			effects[f][j] = .15 * r.NormFloat64()
		}
		effects[f][7] = 1.2
	}
	for i := range rows {
		g, h := i%levels, r.IntN(levels)
		sh.X, sh.Group[0], sh.Group[1] = append(sh.X, 1), append(sh.Group[0], int32(g)), append(sh.Group[1], int32(h))
		sh.Y = append(sh.Y, simulate.Count(r, math.Exp(1+effects[0][g]+effects[1][h])))
	}
	d.Must(t, sh, 1)
	list := modeltest.Summarize(t, m, everything(&m.base))
	for i, y := range sh.Y { // with all other parameters at their means
		g, h := sh.Group[0][i], sh.Group[1][i]
		for f, j := range [2]int32{g, h} {
			other := [2]int32{h, g}[f]
			counts[f][j] += y
			expected[f][j] += math.Exp(list[0].Mean + list[1+levels*(1-f)+int(other)].Mean)
		}
	}
	w := m.work()
	defer m.scratch.Put(w)
	drawn := m.drawnEffects(w)
	if len(drawn) != 2 || drawn[0].param != 1+7 || drawn[1].param != 1+levels+7 {
		t.Fatalf("far effects %v", drawn)
	}
	for f, e := range drawn {
		alone, row := math.Log(counts[f][7]/expected[f][7]), list[e.param]
		sd := 1 / math.Sqrt(counts[f][7]+m.m[f]) // given the others
		if want := (alone - row.Mean) / sd; !(math.Abs(e.sds-want) < .5*want) {
			t.Errorf("factor %d is drawn by %g sds, want about %g", f, e.sds, want)
		}
	}
}
