package baselines

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/anova"
	"github.com/credence-stream/credence/models/linear"
	"github.com/credence-stream/credence/research/baselines/internal/chain"
	"github.com/credence-stream/credence/research/baselines/internal/methodtest"
)

func TestAnovaKeepsTheContract(t *testing.T) {
	columns := cdf.Roles{Groups: []cdf.Group{{Column: "g"}}}
	for _, c := range [][2]string{{"smcmc", ""}, {"smc", "particles: 60"}, {"adf", ""}} {
		t.Run(c[0], func(t *testing.T) {
			modeltest.Contract(t, lookup(t, "anova", c[0]), "", columns, strictyaml.Decode(c[1]), cdftest.LevelShards)
		})
	}
}

// Under a flat mu the levels move with the responses and nothing else does,
// also where the offset is 10^7 noise sds.
func TestAnovaShifts(t *testing.T) {
	const offset = 1e7
	for _, method := range Names("anova") {
		a, b := methodtest.Drive(anovaCompetitor(t, method, weak), 3, 200), methodtest.Drive(anovaCompetitor(t, method, weak), 3, 200)
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
func TestAnovaOfVeryLittle(t *testing.T) {
	for _, method := range Names("anova") {
		for name, y := range map[string][]float64{"one row": {3}, "constant": {2, 2, 2, 2}, "zeros": {0, 0}} {
			m := anovaCompetitor(t, method, weak)
			d := methodtest.Drive(m, 1, 50)
			for range 20 {
				d.Must(t, &cdf.Shard{Rows: len(y), Y: y, Group: [][]int32{make([]int32, len(y))}}, .9)
				for _, v := range d.Draws.Data {
					if v-v != 0 {
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
				if !(p.Q025 <= p.Mean && p.Mean <= p.Q975 && p.LogDensity-p.LogDensity == 0) {
					t.Errorf("%s, %s: row %d is predicted with %+v", method, name, i, p)
				}
			}
		}
	}
}

// Numbers that overflow are an error and no panic.
func TestOverflowIsAnError(t *testing.T) {
	huge := &cdf.Shard{Rows: 3, Cols: 1, X: []float64{1, 2, 1e200}, Y: []float64{1e200, -1e200, 1e300}, Group: [][]int32{{0, 0, 1}}}
	list := []cdf.Model{newLinear(t, linear.Defaults(), 1, false)}
	for _, method := range Names("anova") {
		list = append(list, anovaCompetitor(t, method, weak))
	}
	for _, m := range list {
		s := cdf.Step{Shard: huge, T: 1, Forget: 1, RNG: chain.Ahead()}
		m.Blocks()[0].Absorb(&s)
		s.Draws = &cdf.Draws{S: 5, Chains: 1, Data: make([]float64, 5*methodtest.Rows(m))}
		if err := m.Blocks()[0].Sample(&s); !errors.Is(err, cdf.ErrNumeric) {
			t.Errorf("%T: %v", m, err)
		}
	}
}

// A column of zeros leaves its coefficient to the prior, one that is there
// twice has the sum of its coefficients determined, not their difference.
func TestLinearSMCMCOfUselessColumns(t *testing.T) {
	const p, n = 3, 40
	sh := modeltest.RegressionShard(chain.Ahead(), n, p, true)
	for i := range n {
		sh.X[i*p] = 0
		sh.X[i*p+1] = sh.X[i*p+2]
	}
	s := linear.Defaults()
	s.Prior.BetaVariance = 4
	d := methodtest.Drive(newLinear(t, s, p, false), 1, 20_000)
	d.Must(t, sh, 1)
	methodtest.ChainFits(t, "beta of zeros", d.Draws.Row(0), 0, 2)
	difference := make([]float64, d.Draws.S)
	for i := range difference {
		difference[i] = d.Draws.Row(1)[i] - d.Draws.Row(2)[i]
	}
	methodtest.ChainFits(t, "the difference", difference, 0, math.Sqrt(8))
}

// A row of a new group is predicted with the level that the group would have
// on joining.
func TestADFPredictsNewGroups(t *testing.T) {
	m := newAnovaADF(anova.Settings{Prior: strong})
	d := methodtest.Drive(m, 1, 0)
	d.Must(t, balanced(1, 3, 8), 1)
	var p [1]cdf.Prediction
	if err := m.Predict(&cdf.Shard{Rows: 1, Y: []float64{5}, Group: [][]int32{{-1}}}, p[:]); err != nil {
		t.Fatal(err)
	}
	noise, _ := m.sigma2()
	m.join()
	m.ready = false
	if err := m.prepare(); err != nil {
		t.Fatal(err)
	}
	modeltest.Within(t, "mean", p[0].Mean, m.mean[4], 1e-12)
	modeltest.Within(t, "sd of the level", p[0].EpredSD, m.sd(4), 1e-12)
	modeltest.Within(t, "sd of the row", p[0].SD, math.Sqrt(m.sd(4)*m.sd(4)+noise), 1e-12)
}

// Quantiles weigh the particles; a negative factor turns them round.
func TestSMCSummaryWeighsParticles(t *testing.T) {
	m := newAnovaSMC(AnovaSMCSettings{Prior: weak, Particles: 4})
	m.n, m.ybar = []float64{1}, []float64{0}
	m.w = []float64{.01, .3, .4, .29}
	m.x = []float64{9, 1, 1, 0, -3, 1, 1, 0, 2, 1, 1, 0, 5, 1, 1, 0} // mu first
	list := []cdf.Functional{
		{Name: "mu", Param: []int{muRow}, Weight: []float64{1}},
		{Name: "other", Const: 10, Param: []int{muRow}, Weight: []float64{-2}},
	}
	out := make([]cdf.Row, len(list))
	if err := m.Summarize(list, out); err != nil {
		t.Fatal(err)
	}
	r, turned := out[0], out[1]
	modeltest.Within(t, "mean", r.Mean, .09-.9+.8+1.45, 1e-12)
	for i, q := range [][2]float64{{r.Q025, -3}, {r.Q25, -3}, {r.Median, 2}, {r.Q75, 5}, {r.Q975, 5}} {
		modeltest.Within(t, fmt.Sprintf("quantile %d", i), q[0], q[1], 0)
	}
	modeltest.Within(t, "2.5 % quantile of the other", turned.Q025, 10-2*r.Q975, 0)
	modeltest.Within(t, "25 % quantile of the other", turned.Q25, 10-2*r.Q75, 0)
	modeltest.Within(t, "sd of the other", turned.SD, 2*r.SD, 1e-12)
}

// A chain goes on from its last draw, which is what its state holds of it.
func TestAnovaSMCMCState(t *testing.T) {
	m := newAnovaSMCMC(priors[0])
	d := methodtest.Drive(m, 1, 7)
	d.Must(t, balanced(1, 3, 4), 1)
	if m.tau2 != d.Draws.Row(tau2Row)[6] || m.sigma2 != d.Draws.Row(sigma2Row)[6] {
		t.Error("the state does not hold the last draw")
	}
}

// Groups that leave take their means along.
func TestAnovaGroupsRetire(t *testing.T) {
	g := anovaGroups{n: []float64{1e-9, 2, 1e-7, 3}, ybar: []float64{1, 2, 3, 4}, ss: 5}
	gone := g.retire()
	if fmt.Sprint(gone, g.n, g.ybar, g.ss) != "[0 2] [2 3] [2 4] 5" {
		t.Errorf("%v leave, %+v stay", gone, g)
	}
	g.n[0], g.n[1] = 0, 0
	if g.retire(); len(g.n) != 0 || g.ss != 0 {
		t.Errorf("all leave, %+v stay", g)
	}
}

// Forgetting discounts the Gaussian, the prior of the first shard included.
func TestADFForgets(t *testing.T) {
	m := newAnovaADF(anova.Settings{Prior: strong})
	d := methodtest.Drive(m, 1, 0)
	d.Must(t, balanced(1, 3, 8), 1)
	before := slices.Clone(m.lambda)
	d.Must(t, &cdf.Shard{Group: [][]int32{nil}}, .5)
	for i, v := range m.lambda {
		modeltest.Within(t, "Lambda", v, before[i]/2, 0)
	}
}
