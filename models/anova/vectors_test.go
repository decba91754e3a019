package anova

import (
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

type vectorMoments struct{ Mean, SD *float64 }

type expected struct {
	Groups []string
	N      []float64
	YBar   []float64
	W      float64
	Start  *struct{ S2, Tau2 float64 } // of the paper's variant
	Limit  struct {
		ZetaMean []float64 `json:"zeta_mean"`
		ZetaSD   []float64 `json:"zeta_sd"`
		Mu, Tau2 vectorMoments
		S2       float64
		KEff     float64 `json:"k_eff"`
		Shape    float64 `json:"a_post"`
		Sigma2   struct {
			Mean, SD *float64
			Q025     float64 `json:"q2.5"`
			Q975     float64 `json:"q97.5"`
		}
	}
}

type vectors struct {
	Cases []struct {
		Name     string
		Settings struct {
			Forget   float64
			Settings struct {
				Prior Prior
			}
		}
		Shards []struct {
			G []string
			Y []*float64
		}
		Expected []expected
	}
}

// labelled is the engine's part of binding groups: labels to indices in order
// of first appearance among rows with a response.
type labelled []string

func (l *labelled) shard(labels []string, y []*float64) *cdf.Shard {
	sh := &cdf.Shard{Rows: len(y), Group: [][]int32{make([]int32, len(y))}}
	for i, v := range y {
		at := slices.Index(*l, labels[i])
		if v == nil {
			sh.Y = append(sh.Y, math.NaN())
		} else {
			if at < 0 {
				at, *l = len(*l), append(*l, labels[i])
			}
			sh.Y = append(sh.Y, *v)
		}
		sh.Group[0][i] = int32(at)
	}
	return sh
}

// drawsFor returns room for s draws of a model of up to k groups.
func drawsFor(s, k int) *cdf.Draws {
	return &cdf.Draws{S: s, Chains: 1, Data: make([]float64, s*(zetaRow+k))}
}

// functionals returns mu, tau2, sigma2 and the zetas.
func functionals(m cdf.Model) []cdf.Functional {
	n := 0
	for _, p := range m.Params() {
		n += p.Len
	}
	return modeltest.Coefficients(n - 1)
}

// stepper steps a model of the package.
type stepper struct {
	modeltest.Stepper
	m *Model
}

func newStepper(t testing.TB, p Prior, seed uint64, draws, groups int) *stepper {
	m := newTest(t, p)
	return &stepper{modeltest.Stepper{Model: m, Seed: seed, Draws: drawsFor(draws, groups)}, m}
}

// The statistics are those of the vectors. Their law is the limit of a recursion
// that plugged an estimate of sigma2 in: its intervals are shorter, by what its
// error was, and most with a few rows. Both are of the same rows, so they come
// together as rows come: by the last shard the means are within a fifth of an sd.
func TestVectors(t *testing.T) {
	var v vectors
	modeltest.ReadJSON(t, "vectors/anova.json", &v)
	if len(v.Cases) < 4 {
		t.Fatalf("%d cases", len(v.Cases))
	}
	for _, c := range v.Cases {
		d := newStepper(t, c.Settings.Settings.Prior, 1, 50, 20)
		var labels labelled
		for i, sh := range c.Shards {
			want := &c.Expected[i]
			d.Must(t, labels.shard(sh.G, sh.Y), c.Settings.Forget)
			if !slices.Equal(labels, want.Groups) {
				t.Fatalf("%s, shard %d: groups %v, want %v", c.Name, i+1, labels, want.Groups)
			}
			want.statistics(t, i+1, d.m)
			mean, least, most := want.distance(t, d.m)
			t.Logf("%s, shard %d: means within %.3f sd, sds %.3f to %.3f times, s2 %.3f times", c.Name, i+1, mean, least, most, d.m.s2/want.Limit.S2)
			if i == len(c.Shards)-1 && (mean > .2 || least < .95 || most > 1.15) {
				t.Errorf("%s: means are off by %v sd, sds %v to %v times", c.Name, mean, least, most)
			}
		}
	}
}

// TestStart compares the method of moments with which the paper's chains start.
func TestStart(t *testing.T) {
	var v vectors
	modeltest.ReadJSON(t, "vectors/anova.json", &v)
	for _, c := range v.Cases {
		var labels labelled
		m, want := newPaper(Settings{Prior: c.Settings.Settings.Prior}, newScratch()), c.Expected[0].Start
		paperZeta{m}.Absorb(&cdf.Step{Shard: labels.shard(c.Shards[0].G, c.Shards[0].Y), Forget: 1})
		if want == nil || modeltest.Relative(m.s2, want.S2) > 1e-12 || modeltest.Relative(m.tau2, want.Tau2) > 1e-12 {
			t.Errorf("%s: s2 %v, tau2 %v, want %+v", c.Name, m.s2, m.tau2, want)
		}
	}
}

// statistics compares N, the means and W.
func (want *expected) statistics(t *testing.T, shard int, m *Model) {
	t.Helper()
	for g := range want.N {
		if modeltest.Relative(m.n[g], want.N[g]) > 1e-12 || modeltest.Relative(m.ybar[g], want.YBar[g]) > 1e-12 {
			t.Fatalf("shard %d, group %d: N %v, mean %v, want %v, %v", shard, g, m.n[g], m.ybar[g], want.N[g], want.YBar[g])
		}
	}
	if modeltest.Relative(m.ss, want.W) > 1e-10 {
		t.Fatalf("shard %d: W %v, want %v", shard, m.ss, want.W)
	}
}

// distance returns how far the law is from the recursion's limit: the largest
// distance of a mean in sds, and the least and largest ratio of sds.
func (want *expected) distance(t *testing.T, m *Model) (mean, least, most float64) {
	t.Helper()
	rows := modeltest.Summarize(t, m, functionals(m))
	least = math.Inf(1)
	note := func(r cdf.Row, wantMean, wantSD float64) {
		mean = max(mean, math.Abs(r.Mean-wantMean)/wantSD)
		least, most = min(least, r.SD/wantSD), max(most, r.SD/wantSD)
	}
	for g, v := range want.Limit.ZetaMean {
		note(rows[zetaRow+g], v, want.Limit.ZetaSD[g])
	}
	for _, p := range []struct {
		row  cdf.Row
		want vectorMoments
	}{{rows[muRow], want.Limit.Mu}, {rows[tau2Row], want.Limit.Tau2}, {rows[sigma2Row], vectorMoments{want.Limit.Sigma2.Mean, want.Limit.Sigma2.SD}}} {
		if (p.want.Mean == nil) != math.IsNaN(p.row.Mean) || (p.want.SD == nil) != math.IsNaN(p.row.SD) {
			t.Errorf("mean %v, sd %v; want undefined %v, %v", p.row.Mean, p.row.SD, p.want.Mean == nil, p.want.SD == nil)
		}
		if p.want.Mean != nil && p.want.SD != nil {
			note(p.row, *p.want.Mean, *p.want.SD)
		}
	}
	return mean, least, most
}

func newTest(t testing.TB, p Prior) *Model {
	t.Helper()
	m, err := New(Settings{Prior: p})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
