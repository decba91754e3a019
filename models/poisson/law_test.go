package poisson

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/simulate"
)

// cutShards cuts the rows of one shard into equal parts.
func cutShards(sh *cdf.Shard, parts int) []*cdf.Shard {
	var out []*cdf.Shard
	for p := range parts {
		out = append(out, part(sh, p*sh.Rows/parts, (p+1)*sh.Rows/parts))
	}
	return out
}

// part returns the rows from one to another.
func part(sh *cdf.Shard, from, to int) *cdf.Shard {
	c := &cdf.Shard{Rows: to - from, Cols: sh.Cols, X: sh.X[from*sh.Cols : to*sh.Cols], Y: sh.Y[from:to]}
	if sh.Offset != nil {
		c.Offset = sh.Offset[from:to]
	}
	for _, g := range sh.Group {
		c.Group = append(c.Group, g[from:to])
	}
	return c
}

// How the rows are cut hardly matters: 20,000 rows in 1, 10 and 100 shards.
func TestAcceptanceSplitting(t *testing.T) {
	all := together(scenario(t, "poisson", modeltest.FirstSeed, 100))
	whole, variance := qRows(t, runStream(t, plain(), []*cdf.Shard{all}))
	for _, parts := range []int{10, 100} {
		mean, _ := qRows(t, runStream(t, plain(), cutShards(all, parts)))
		dz := 0.0
		for j := range 3 {
			dz = max(dz, math.Abs(mean[j]-whole[j])/math.Sqrt(variance[j]))
		}
		accept.Range(t, "P4", fmt.Sprintf("A in %d shards: max |dz| of beta", parts), dz, 0, .05, "seed 1000")
	}
}

// While a buffer holds all shards, their rows count once, as in one shard.
func TestBufferCountsRowsOnce(t *testing.T) {
	shards, buffered := scenario(t, "poisson", 5, 4), plain()
	buffered.Buffer = 10
	want, variance := qRows(t, runStream(t, plain(), []*cdf.Shard{together(shards)}))
	got, spread := qRows(t, runStream(t, buffered, shards))
	for j := range want {
		if z := (got[j] - want[j]) / math.Sqrt(variance[j]); math.Abs(z) > .01 || math.Abs(spread[j]/variance[j]-1) > .01 {
			t.Errorf("parameter %d is off by %g sd, its variance %g, want %g", j, z, spread[j], variance[j])
		}
	}
}

// A constant in all offsets moves the intercept and nothing else; the names of
// the groups do not matter.
func TestInvariances(t *testing.T) {
	shards := scenario(t, "poisson", 3, 20)
	mean, variance := qRows(t, runStream(t, plain(), shards))
	var moved, renamed []*cdf.Shard
	level := map[int32]int32{}
	for _, sh := range shards {
		m, r := *sh, *sh
		m.Offset, r.Group = make([]float64, sh.Rows), [][]int32{make([]int32, sh.Rows)}
		for i := range sh.Rows {
			m.Offset[i] = sh.Offset[i] + math.Ln2
		}
		// The rows from the last to the first: the levels appear in another order.
		r.X, r.Y, r.Offset = nil, nil, nil
		for i := range sh.Rows {
			k := sh.Rows - 1 - i
			r.X, r.Y, r.Offset = append(r.X, sh.X[k*3:k*3+3]...), append(r.Y, sh.Y[k]), append(r.Offset, sh.Offset[k])
			g := sh.Group[0][k]
			if _, ok := level[g]; !ok {
				level[g] = int32(len(level))
			}
			r.Group[0][i] = level[g]
		}
		moved, renamed = append(moved, &m), append(renamed, &r)
	}
	other, _ := qRows(t, runStream(t, plain(), moved))
	if d := mean[0] - other[0]; math.Abs(d/math.Ln2-1) > 1e-3 {
		t.Errorf("twice the exposure moves the intercept by %g, want log 2", d)
	}
	for j := 1; j < len(mean); j++ {
		if z := (other[j] - mean[j]) / math.Sqrt(variance[j]); math.Abs(z) > 1e-2 {
			t.Errorf("twice the exposure moves parameter %d by %g sd", j, z)
		}
	}
	other, _ = qRows(t, runStream(t, plain(), renamed))
	for j := range mean {
		to := j
		if j >= 3 {
			to = 3 + int(level[int32(j-3)])
		}
		if z := (other[to] - mean[j]) / math.Sqrt(variance[j]); math.Abs(z) > 1e-5 {
			t.Errorf("other names of the groups move parameter %d by %g sd", j, z)
		}
	}
}

// A group without rows has the prior's law given the data's variance, which
// is also what a prediction for a group that is not known integrates over.
func TestGroupWithoutRows(t *testing.T) {
	m := newTest(t, plain(), []string{"intercept"}, "g")
	r := rand.New(rand.NewPCG(4, 4))
	u := make([]float64, 40)
	for g := range u {
		u[g] = 0.7 * r.NormFloat64()
	}
	sh := &cdf.Shard{Cols: 1, Group: make([][]int32, 1)}
	for i := range 2000 {
		g := i % 40
		if g == 5 {
			g = 6
		}
		sh.X, sh.Y = append(sh.X, 1), append(sh.Y, simulate.Count(r, math.Exp(1+u[g])))
		sh.Group[0] = append(sh.Group[0], int32(g))
	}
	sh.Rows = len(sh.Y)
	d := modeltest.Stepper{Model: m}
	d.Must(t, sh, 1)
	rows := modeltest.Summarize(t, m, everything(&m.base))
	empty, s2 := rows[1+5], rows[len(rows)-1]
	if math.Abs(empty.Mean) > 1e-12 || math.Abs(empty.SD/math.Sqrt(s2.Mean)-1) > 1e-3 {
		t.Errorf("a group without rows has mean %g and sd %g, want 0 and %g", empty.Mean, empty.SD, math.Sqrt(s2.Mean))
	}
	ask := &cdf.Shard{Rows: 2, Cols: 1, X: []float64{1, 1}, Y: []float64{3, math.NaN()}, Group: [][]int32{{5, -1}}}
	out := make([]cdf.Prediction, 2)
	if err := m.Predict(ask, out); err != nil {
		t.Fatal(err)
	}
	known, unseen := out[0], out[1]
	if known.Q025 != unseen.Q025 || known.Q975 != unseen.Q975 || math.Abs(known.Mean/unseen.Mean-1) > 1e-9 || math.Abs(known.EpredQ975/unseen.EpredQ975-1) > 1e-9 {
		t.Errorf("a group without rows predicts %+v, one that is not known %+v", known, unseen)
	}
}

// Draws of the joint law have the covariance and the means of the summary,
// also across levels: 20,000 draws, limits of five standard errors.
func TestDrawsAreJoint(t *testing.T) {
	m := newTest(t, plain(), []string{"intercept", "x1", "x2"}, "group")
	shards := scenario(t, "poisson-late", 9, 3)
	d := modeltest.Stepper{Model: m}
	d.Must(t, shards[0], 1)
	d.Must(t, shards[1], 1)
	m.join(shards[2])
	n := m.k + m.stats.effects() + 1
	draws := &cdf.Draws{S: 20_000, Chains: 1, Data: make([]float64, 20_000*n)}
	d.Draws = draws
	d.Must(t, shards[2], 1)
	list := everything(&m.base)
	rows := modeltest.Summarize(t, m, list)
	for j, r := range rows {
		sum, square := 0.0, 0.0
		for _, v := range draws.Row(j) {
			sum += v
			square += v * v
		}
		mean := sum / 20_000
		sd := math.Sqrt(square/20_000 - mean*mean)
		if math.Abs(mean-r.Mean) > 5*r.SD/math.Sqrt(20_000) || math.Abs(sd/r.SD-1) > 0.05 {
			t.Errorf("draws of parameter %d have mean %g and sd %g, the summary says %g and %g", j, mean, sd, r.Mean, r.SD)
		}
	}
	// The intercept and a level's effect are strongly correlated.
	sum := cdf.Functional{Name: "v", Param: []int{0, 3}, Weight: []float64{1, 1}}
	row := modeltest.Summarize(t, m, []cdf.Functional{sum})[0]
	mean, square := 0.0, 0.0
	for s := range draws.S {
		v := draws.Row(0)[s] + draws.Row(3)[s]
		mean += v / 20_000
		square += v * v / 20_000
	}
	if sd := math.Sqrt(square - mean*mean); math.Abs(sd/row.SD-1) > 0.03 || math.Abs(mean-row.Mean) > 5*row.SD/math.Sqrt(20_000) {
		t.Errorf("intercept plus effect: draws %g and %g, summary %g and %g", mean, sd, row.Mean, row.SD)
	}
	var cov [6]float64
	if err := m.Covariance(list[:3], cov[:]); err != nil {
		t.Fatal(err)
	}
	for j, at := range []int{0, 2, 5} {
		if math.Abs(math.Sqrt(cov[at])/rows[j].SD-1) > 1e-9 {
			t.Errorf("the covariance has variance %g for coefficient %d of sd %g", cov[at], j, rows[j].SD)
		}
	}
	pair := cdf.Functional{Name: "v", Param: []int{0, 1}, Weight: []float64{1, 1}}
	if sd := modeltest.Summarize(t, m, []cdf.Functional{pair})[0].SD; math.Abs((cov[0]+cov[2]+2*cov[1])/(sd*sd)-1) > 1e-9 {
		t.Errorf("the covariance gives the sum of two coefficients variance %g, want %g", cov[0]+cov[2]+2*cov[1], sd*sd)
	}
}

// Row P5: the paper's rule with its frozen gradient swings about the truth,
// 40 to 200 shards of 200 rows.
func TestAcceptancePaper(t *testing.T) {
	shards := scenario(t, "poisson", modeltest.FirstSeed, accept.Reps(t, 40, 100, 200))
	corrected, err := New(plain(), cdf.Dims{Columns: modeltest.Columns(3), Intercept: true, Groups: []cdf.Group{{Column: "group"}}})
	if err != nil {
		t.Fatal(err)
	}
	paper, err := NewPaper(plain(), cdf.Dims{Columns: modeltest.Columns(3), Intercept: true, Groups: []cdf.Group{{Column: "group"}}})
	if err != nil {
		t.Fatal(err)
	}
	a, b := modeltest.Stepper{Model: corrected}, modeltest.Stepper{Model: paper}
	worst := 0.0
	for i, sh := range shards {
		a.Must(t, sh, 1)
		b.Must(t, sh, 1)
		if i >= 20 {
			ours := modeltest.Summarize(t, corrected, []cdf.Functional{effect(1)})[0]
			theirs := modeltest.Summarize(t, paper, []cdf.Functional{effect(1)})[0]
			worst = max(worst, math.Abs(theirs.Mean-ours.Mean)/ours.SD)
		}
	}
	accept.Range(t, "P5", "paper: largest |b1 - corrected| in sd, t > 20", worst, 3, 1e6, "seed 1000")
}

// With forgetting an effect that jumps is followed, and groups that no longer
// appear drift back to the prior.
func TestForgets(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	run := func(forget float64) (intercept, gone, goneSD, s2 float64) {
		m := newTest(t, plain(), []string{"intercept"}, "g")
		d := modeltest.Stepper{Model: m}
		for shard := range 120 {
			sh := &cdf.Shard{Cols: 1, Group: make([][]int32, 1)}
			level := 0.5
			if shard >= 60 {
				level = 1.5
			}
			for i := range 60 {
				g := i % 20
				if g == 0 && shard >= 40 {
					g = 1
				}
				u := 0.6 * math.Sin(float64(3*g))
				if g == 0 {
					u = 1.5
				}
				sh.X, sh.Y = append(sh.X, 1), append(sh.Y, simulate.Count(r, math.Exp(level+u)))
				sh.Group[0] = append(sh.Group[0], int32(g))
			}
			sh.Rows = 60
			d.Must(t, sh, forget)
		}
		rows := modeltest.Summarize(t, m, everything(&m.base))
		mean := 0.0
		for g := 1; g < 20; g++ {
			mean += 0.6 * math.Sin(float64(3*g)) / 19
		}
		return rows[0].Mean - mean, rows[1].Mean, rows[1].SD, rows[len(rows)-1].Mean
	}
	intercept, gone, sd, s2 := run(0.9)
	_, kept, keptSD, _ := run(1)
	t.Logf("intercept %.3f; gone group %.3f (sd %.3f), s2 %.3f; kept %.3f (%.3f)", intercept, gone, sd, s2, kept, keptSD)
	if math.Abs(intercept-1.5) > 0.5 {
		t.Errorf("the intercept is %g, want about 1.5", intercept)
	}
	if math.Abs(gone) > 0.2 || math.Abs(sd/math.Sqrt(s2)-1) > 0.1 {
		t.Errorf("a group gone for 80 shards has mean %g and sd %g, want 0 and %g", gone, sd, math.Sqrt(s2))
	}
	if kept < 0.5 || keptSD > 0.3 {
		t.Errorf("without forgetting it has mean %g and sd %g", kept, keptSD)
	}
}
