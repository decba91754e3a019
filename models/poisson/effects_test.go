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

// A far slope of either factor, which has levels of an intercept and a slope each, is drawn by what its mean is from what
// the rows of its level say of it while the level's intercept is integrated over its prior.
func TestDrawnSlopes(t *testing.T) {
	const levels, rows = 40, 1200
	for seed := range uint64(3) {
		m, err := New(plain(), cdf.Dims{Columns: []string{"intercept"}, Intercept: true, Groups: []cdf.Group{
			{Column: "g", Slopes: []string{"x"}}, {Column: "h", Slopes: []string{"x"}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 95))
		d := modeltest.Stepper{Model: m}
		sh := &cdf.Shard{Rows: rows, Cols: 1, Group: make([][]int32, 2), Slopes: make([][]float64, 2)}
		var effects [2][2][levels]float64 // of factors, their terms
		for f := range effects {
			for j := range effects[f] {
				for level := range levels {
					effects[f][j][level] = .15 * r.NormFloat64()
				}
			}
			effects[f][1][7] = 1.2
		}
		for i := range rows {
			x, eta := 1+r.NormFloat64(), .5
			sh.X = append(sh.X, 1)
			for f, j := range [2]int{i % levels, r.IntN(levels)} {
				sh.Group[f], sh.Slopes[f] = append(sh.Group[f], int32(j)), append(sh.Slopes[f], x)
				eta += effects[f][0][j] + effects[f][1][j]*x
			}
			sh.Y = append(sh.Y, simulate.Count(r, math.Exp(eta)))
		}
		d.Must(t, sh, 1)
		list := modeltest.Summarize(t, m, everything(&m.base))
		effect := func(f, j, level int) *cdf.Row { return &list[1+levels*(2*f+j)+level] }
		w := m.work()
		drawn := m.drawnEffects(w)
		if len(drawn) != 2 || drawn[0].param != 1+levels+7 || drawn[1].param != 1+3*levels+7 {
			t.Fatalf("seed %d: far effects %v", seed, drawn)
		}
		for f, e := range drawn {
			var a00, a01, a11, h0, h1 float64
			for i, y := range sh.Y {
				if sh.Group[f][i] != 7 {
					continue
				}
				x, eta := sh.Slopes[f][i], list[0].Mean
				for o := range effects {
					eta += effect(o, 0, int(sh.Group[o][i])).Mean + x*effect(o, 1, int(sh.Group[o][i])).Mean
				}
				rate := math.Exp(eta)
				a00, a01, a11, h0, h1 = a00+rate, a01+rate*x, a11+rate*x*x, h0+y-rate, h1+(y-rate)*x
			}
			u0, u1 := effect(f, 0, 7).Mean, effect(f, 1, 7).Mean
			h0, h1 = h0+a00*u0+a01*u1, h1+a01*u0+a11*u1
			m0, m1 := m.m[2*f], m.m[2*f+1]
			information := a11 - a01*a01/(a00+m0)
			want := (h1 - a01*h0/(a00+m0)) / information * m1 / math.Sqrt(m1+information)
			if !(math.Abs(e.sds-want) < .1*want) {
				t.Errorf("seed %d, factor %d: drawn by %g sds, want %g", seed, f, e.sds, want)
			}
		}
		m.scratch.Put(w)
	}
}
