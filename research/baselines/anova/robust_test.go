package anova

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/research/baselines/internal/methodtest"
)

func TestKeepsTheContract(t *testing.T) {
	columns := cdf.Roles{Groups: []cdf.Group{{Column: "g"}}}
	for _, c := range [][2]string{{"smcmc", ""}, {"smc", "particles: 60"}, {"adf", ""}} {
		t.Run(c[0], func(t *testing.T) {
			modeltest.Contract(t, methodtest.Lookup(t, anova.Kind(), Competitors(), c[0]), "", columns, strictyaml.Decode(c[1]), cdftest.LevelShards)
		})
	}
}

// Under a flat mu the levels move with the responses and nothing else does,
// also where the offset is 10^7 noise sds.
func TestShifts(t *testing.T) {
	const offset = 1e7
	for _, method := range Competitors().Names() {
		a, b := methodtest.Drive(competitor(t, method, weak), 3, 200), methodtest.Drive(competitor(t, method, weak), 3, 200)
		for shard := range uint64(5) {
			sh := balanced(shard, 4, 3)
			a.Must(t, sh, 1)
			moved := &cdf.Shard{Rows: sh.Rows, Group: sh.Group, Y: slices.Clone(sh.Y)}
			for i := range moved.Y {
				moved.Y[i] += offset
			}
			b.Must(t, moved, 1)
		}
		row := 0
		for _, p := range a.Model.Params() {
			shift := 0.0
			if p.Name == "mu" || p.Name == "zeta" {
				shift = offset
			}
			for range p.Len {
				for i, v := range a.Draws.Row(row) {
					if got := b.Draws.Row(row)[i] - shift; !(math.Abs(got-v) <= 1e-5*(1+math.Abs(v))) {
						t.Fatalf("%s: draw %d of %s is %v, want %v", method, i, p.Name, got, v)
					}
				}
				row++
			}
		}
	}
}

// Shards that carry next to nothing: one row, equal responses, one group, a
// group without a row.
func TestOfVeryLittle(t *testing.T) {
	for _, method := range Competitors().Names() {
		for name, y := range map[string][]float64{"one row": {3}, "constant": {2, 2, 2, 2}, "zeros": {0, 0}} {
			m := competitor(t, method, weak)
			d := methodtest.Drive(m, 1, 50)
			for range 20 {
				d.Must(t, &cdf.Shard{Rows: len(y), Y: y, Group: [][]int32{make([]int32, len(y))}}, .9)
				for _, v := range d.Draws.Data {
					if !lin.Finite(v) {
						t.Fatalf("%s, %s: a draw is %v", method, name, v)
					}
				}
			}
			out := make([]cdf.Prediction, 2)
			sh := &cdf.Shard{Rows: 2, Y: []float64{1, 1}, Group: [][]int32{{0, -1}}}
			if err := m.(cdf.Predictor).Predict(sh, out); err != nil {
				t.Fatal(err)
			}
			for i, p := range out {
				if !(p.Q025 <= p.Mean && p.Mean <= p.Q975 && lin.Finite(p.LogDensity)) {
					t.Errorf("%s, %s: row %d is predicted with %+v", method, name, i, p)
				}
			}
		}
	}
}

// A chain goes on from its last draw, which is what its state holds of it.
func TestSMCMCState(t *testing.T) {
	m := newSMCMC(priors[0])
	d := methodtest.Drive(m, 1, 7)
	d.Must(t, balanced(1, 3, 4), 1)
	if m.tau2 != d.Draws.Row(tau2Row)[6] || m.sigma2 != d.Draws.Row(sigma2Row)[6] {
		t.Error("the state does not hold the last draw")
	}
}

// Groups that leave take their means along.
func TestGroupsRetire(t *testing.T) {
	g := groups{n: []float64{1e-9, 2, 1e-7, 3}, ybar: []float64{1, 2, 3, 4}, ss: 5}
	gone := g.retire()
	if fmt.Sprint(gone, g.n, g.ybar, g.ss) != "[0 2] [2 3] [2 4] 5" {
		t.Errorf("%v leave, %+v stay", gone, g)
	}
	g.n[0], g.n[1] = 0, 0
	if g.retire(); len(g.n) != 0 || g.ss != 0 {
		t.Errorf("all leave, %+v stay", g)
	}
}
