package poisson

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

type vectors struct {
	Cases []struct {
		Name     string
		Settings struct {
			Forget   float64
			Settings Settings
		}
		Shards []struct {
			X      [][]float64
			G      []string
			Y      []float64
			Offset []float64
		}
		Expected []expected
	}
}

type expected struct {
	Levels    []string
	Recursion struct {
		Mu        []float64
		Diagonal  []float64 `json:"Sigma_diagonal"`
		Precision float64   `json:"mean_inverse_sigma2_u"`
		H         []float64 `json:"h"`
		Lambda    []float64 `json:"Lambda_diagonal"`
	}
	Published struct {
		Mean   []float64           `json:"nu_mean"`
		SD     []float64           `json:"nu_sd"`
		Sigma2 modeltest.VectorRow `json:"sigma2_u"`
	}
}

// effect returns the functional of one parameter.
func effect(j int) cdf.Functional {
	return cdf.Functional{Name: "v", Param: []int{j}, Weight: []float64{1}}
}

// qRows returns mean and variance of nu under q, beta first.
func qRows(t testing.TB, m *Model) (mean, variance []float64) {
	t.Helper()
	w := m.work()
	defer m.scratch.Put(w)
	var g gauss
	if !g.conditional(&m.shape, &m.stats, m.m, w) {
		t.Fatal("q does not exist")
	}
	xi := make([]float64, m.stats.c)
	for j := range m.k + m.stats.effects() {
		if _, err := m.locate(effect(j), &w.place); err != nil {
			t.Fatal(err)
		}
		a, v := g.at(&m.stats, &w.place, xi, &w.block)
		mean, variance = append(mean, a), append(variance, v)
	}
	return mean, variance
}

// The tolerances are those of the vectors' own README, for the recursion those
// of a program that iterates to rounding.
func TestVectors(t *testing.T) {
	var v vectors
	modeltest.ReadJSON(t, "vectors/poisson.json", &v)
	dims := cdf.Dims{Columns: []string{"intercept", "x"}, Intercept: true, Groups: []cdf.Group{{Column: "g"}}}
	for _, tc := range v.Cases {
		t.Run(tc.Name, func(t *testing.T) {
			m, err := New(tc.Settings.Settings, dims)
			if err != nil {
				t.Fatal(err)
			}
			d, level := modeltest.Stepper{Model: m}, map[string]int32{}
			c := &modeltest.VectorCheck{T: t, Name: tc.Name, Worst: map[string]float64{}}
			for i, s := range tc.Shards {
				sh := &cdf.Shard{Rows: len(s.Y), Cols: 2, Y: s.Y, Offset: s.Offset, Group: [][]int32{nil}}
				for r, g := range s.G {
					if _, ok := level[g]; !ok {
						level[g] = int32(len(level))
					}
					sh.Group[0] = append(sh.Group[0], level[g])
					sh.X = append(sh.X, s.X[r]...)
				}
				c.Shard = i + 1
				d.Must(t, sh, tc.Settings.Forget)
				check(c, m, tc.Expected[i])
			}
			t.Log("largest misses: ", c.Worst)
		})
	}
}

func check(c *modeltest.VectorCheck, m *Model, e expected) {
	c.T.Helper()
	mean, variance := qRows(c.T, m)
	r := &e.Recursion
	for j := range r.Mu {
		c.Near("mu", mean[j], r.Mu[j], math.Sqrt(r.Diagonal[j]), 1e-5)
		c.Near("Sigma", variance[j], r.Diagonal[j], r.Diagonal[j], 1e-5)
	}
	c.Near("E[1/s2]", m.m[0], r.Precision, r.Precision, 1e-5)
	lam, h := []float64{m.stats.lam[0], m.stats.lam[3]}, append([]float64(nil), m.stats.h...)
	for g := range m.stats.g {
		_, a, hg := m.stats.record(g)
		lam, h = append(lam, a[0]), append(h, hg[0])
	}
	for j := range lam {
		c.Near("Lambda", lam[j], r.Lambda[j], 1+r.Lambda[j], 1e-5)
		c.Near("h", h[j], r.H[j], 1+math.Abs(r.H[j]), 1e-5)
	}
	p := &e.Published
	list := make([]cdf.Functional, len(mean)+1)
	for j := range list {
		list[j] = effect(j)
	}
	rows := modeltest.Summarize(c.T, m, list)
	for j := range mean {
		c.Near("published mean", rows[j].Mean, p.Mean[j], p.SD[j], 2e-3)
		c.Near("published sd", rows[j].SD, p.SD[j], p.SD[j], 2e-3)
	}
	s := rows[len(mean)]
	if p.Sigma2.Mean != nil {
		c.Near("sigma2_u mean", s.Mean, *p.Sigma2.Mean, *p.Sigma2.Mean, 5e-3)
		c.Near("sigma2_u sd", s.SD, *p.Sigma2.SD, *p.Sigma2.SD, 0.05)
	}
	c.Near("sigma2_u q2.5", s.Q025, p.Sigma2.Low, p.Sigma2.Low, 0.1)
	c.Near("sigma2_u q97.5", s.Q975, p.Sigma2.High, p.Sigma2.High, 0.1)
}
