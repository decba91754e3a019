package linear

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/internal/describe"
	"github.com/credence-stream/credence/models/internal/predictive"
)

type vectors struct {
	Cases []struct {
		Name     string
		Settings struct {
			Variant  string
			Forget   float64
			Settings Settings
		}
		Shards []struct {
			X [][]float64
			Y []*float64
		}
		Expected []expected
	}
}

type expected struct {
	T        int
	N, S2    float64
	Shape    float64  `json:"a_post"`
	Rate     *float64 `json:"b_post"`
	PEff     float64  `json:"p_eff"`
	Beta     []modeltest.VectorRow
	Lower    []float64 `json:"beta_scale_matrix_lower"`
	Sigma2   modeltest.VectorRow
	Evidence *float64 `json:"log_evidence"`
	Before   []*struct {
		Mean, SD   *float64
		LogDensity *float64 `json:"log_density"`
		PIT        *float64
	} `json:"prediction_before"`
	Exact *struct {
		Total float64   `json:"log_evidence_total"`
		Mean  []float64 `json:"beta_mean"`
		SD    []float64 `json:"beta_sd"`
	}
}

func vectorShard(x [][]float64, y []*float64) *cdf.Shard {
	sh := &cdf.Shard{Rows: len(x), Cols: len(x[0])}
	for i, row := range x {
		sh.X = append(sh.X, row...)
		if y[i] == nil {
			sh.Y = append(sh.Y, math.NaN())
		} else {
			sh.Y = append(sh.Y, *y[i])
		}
	}
	return sh
}

func TestVectors(t *testing.T) {
	var v vectors
	modeltest.ReadJSON(t, "vectors/linear.json", &v)
	dims := cdf.Dims{Columns: []string{"intercept", "x1", "x2", "x3"}, Intercept: true}
	for _, tc := range v.Cases {
		t.Run(tc.Name, func(t *testing.T) {
			c := &modeltest.VectorCheck{T: t, Name: tc.Name, Worst: map[string]float64{}}
			if tc.Settings.Variant == "paper" {
				m, err := NewPaper(tc.Settings.Settings, dims)
				if err != nil {
					t.Fatal(err)
				}
				d := modeltest.Stepper{Model: m}
				for i, s := range tc.Shards {
					d.Must(t, vectorShard(s.X, s.Y), tc.Settings.Forget)
					c.Shard = i + 1
					checkPaper(c, m, tc.Expected[i])
				}
				t.Log("largest misses: ", c.Worst)
				return
			}
			m, err := New(tc.Settings.Settings, dims)
			if err != nil {
				t.Fatal(err)
			}
			meanTol, evidenceTol := 1e-8, 1e-8
			if strings.Contains(tc.Name, "1e6") {
				meanTol, evidenceTol = 1e-7, 1e-6
			}
			d := modeltest.Stepper{Model: m}
			for i, s := range tc.Shards {
				sh, before := vectorShard(s.X, s.Y), m.LogEvidence()
				c.Shard = i + 1
				checkBefore(c, m, sh, tc.Expected[i], meanTol)
				d.Must(t, sh, tc.Settings.Forget)
				checkCorrected(c, m, tc.Expected[i], meanTol)
				checkExact(c, m, tc.Expected[i], evidenceTol)
				c.Maybe("log evidence", m.LogEvidence()-before, tc.Expected[i].Evidence, 1, evidenceTol)
				if tc.Name == "zero_column" && i < 9 {
					for _, r := range []cdf.Row{modeltest.Summarize(t, m, modeltest.Coefficients(4))[3], closed(m)[3]} {
						c.Near("zero column mean", r.Mean, 0, 1, 1e-14)
					}
					c.Near("zero column scale", closedScale(m, 3, 3), 1, 1, 1e-14)
					c.Near("zero column early sd", modeltest.Summarize(t, m, modeltest.Coefficients(4))[3].SD, 1, 1, 1e-14)
				}
			}
			t.Log("largest misses: ", c.Worst)
		})
	}
}

// closed summarises by the closed form, also while the rows are few.
func closed(m *Model) []cdf.Row {
	f := modeltest.Coefficients(m.P)
	rows := make([]cdf.Row, len(f))
	w := m.work()
	defer m.scratch.Put(w)
	for i, fn := range f {
		describe.Begin(&rows[i], fn.Name)
		if factor, isSigma, _ := m.directions(w, &fn, w.c); isSigma {
			m.closedSigma(&rows[i], 0, factor)
		} else {
			m.closedBeta(&rows[i], &fn, w)
		}
	}
	return rows
}

// closedScale returns an entry of the scale matrix of beta.
func closedScale(m *Model, i, j int) float64 {
	a, b := slices.Clone(lin.Row(m.post.m, m.P, i)), slices.Clone(lin.Row(m.post.m, m.P, j))
	if m.inSeries() {
		w := m.work()
		defer m.scratch.Put(w)
		m.covarySeries(w, b)
		return lin.Dot(a, b)
	}
	m.atPlugin(a)
	m.atPlugin(b)
	return lin.Dot(a, b)
}

func checkCorrected(c *modeltest.VectorCheck, m *Model, e expected, meanTol float64) {
	c.T.Helper()
	c.Near("N", m.n, e.N, 1, 1e-12*(1+e.N))
	c.Near("s2", m.plugin(), e.S2, e.S2, 1e-8)
	c.Near("a_post", m.post.shape, e.Shape, e.Shape, 1e-8)
	rows := closed(m)
	for j, w := range e.Beta {
		c.Row("beta", rows[j], w, meanTol)
		c.Near("beta scale", math.Sqrt(closedScale(m, j, j)), *w.Scale, *w.Scale, 1e-8)
	}
	for i, k := 0, 0; i < m.P && e.Lower != nil; i++ {
		for j := 0; j <= i; j++ {
			unit := *e.Beta[i].Scale * *e.Beta[j].Scale
			c.Near("scale matrix", closedScale(m, i, j), e.Lower[k], unit, 2e-8)
			k++
		}
	}
	unit := e.S2
	c.Maybe("sigma2 mean", rows[m.P].Mean, e.Sigma2.Mean, unit, 1e-8*max(1, rows[m.P].Mean/unit))
	c.Maybe("sigma2 sd", rows[m.P].SD, e.Sigma2.SD, unit, 1e-8*max(1, rows[m.P].SD/unit))
	c.Near("sigma2 q2.5", rows[m.P].Q025, e.Sigma2.Low, e.Sigma2.Low, 1e-8)
	c.Near("sigma2 q97.5", rows[m.P].Q975, e.Sigma2.High, e.Sigma2.High, 1e-8)
}

// exactTol is how far the vectors' moments of the exact posterior are from
// this rule's at 201 and at 801 nodes, which agree with each other to 1e-12:
// theirs are for orientation and carry quadrature error of their own.
const exactTol = 2e-6

// checkExact compares the published rows of the early shards, and the total
// evidence, with the exact posterior.
func checkExact(c *modeltest.VectorCheck, m *Model, e expected, tol float64) {
	c.T.Helper()
	if e.Exact == nil {
		return
	}
	c.Near("exact evidence", m.LogEvidence(), e.Exact.Total, 1, tol)
	if !m.early() {
		return
	}
	for j, r := range modeltest.Summarize(c.T, m, modeltest.Coefficients(m.P))[:m.P] {
		c.Near("exact mean", r.Mean, e.Exact.Mean[j], r.SD, exactTol)
		if e.Exact.SD != nil {
			c.Near("exact sd", r.SD, e.Exact.SD[j], e.Exact.SD[j], exactTol)
		}
	}
}

// checkBefore compares the closed predictive law, and through Score and
// Predict the published one where it is that law.
func checkBefore(c *modeltest.VectorCheck, m *Model, sh *cdf.Shard, e expected, tol float64) {
	c.T.Helper()
	if e.Before == nil {
		if s, err := m.Score(sh, nil); err != nil || s.Rows != 0 || !math.IsNaN(s.LogDensity) {
			c.T.Errorf("%s shard %d: scored before the first row: %+v, %v", c.Name, c.Shard, s, err)
		}
		return
	}
	direction := make([]float64, m.P)
	out := make([]cdf.Prediction, sh.Rows)
	if err := m.Predict(sh, out); err != nil {
		c.T.Fatal(err)
	}
	sum, rows := 0.0, 0
	for i, w := range e.Before {
		var p cdf.Prediction
		x := lin.Row(sh.X, m.P, i)
		m.rowAt(x, direction)
		m.atPlugin(direction)
		mean, v := lin.Dot(x, m.post.beta), lin.Dot(direction, direction)
		predictive.Student(m.post.law.At(m.post.shape), mean, math.Sqrt(m.plugin()+v), math.Sqrt(v), sh.Y[i], &p)
		unit := p.Q975 - p.Q025
		c.Near("predictive mean", p.Mean, *w.Mean, unit, tol)
		c.Maybe("predictive sd", p.SD, w.SD, unit, 1e-8*max(1, p.SD/unit))
		c.Maybe("log density", p.LogDensity, w.LogDensity, 1, 1e-8)
		c.Maybe("pit", p.PIT, w.PIT, 1, 1e-8)
		if w.LogDensity != nil {
			sum += *w.LogDensity
			rows++
		}
		if !m.early() && (modeltest.Relative(out[i].Mean, p.Mean) > 1e-12 || modeltest.Relative(out[i].Q975, p.Q975) > 1e-12) {
			c.T.Errorf("%s shard %d: Predict gives %+v, want %+v", c.Name, c.Shard, out[i], p)
		}
	}
	s, err := m.Score(sh, nil)
	if err != nil {
		c.T.Fatal(err)
	}
	if int(s.Rows) != rows || int(s.PredictedRows) != sh.Rows-rows {
		c.T.Errorf("%s shard %d: scored %d and predicted %d rows", c.Name, c.Shard, s.Rows, s.PredictedRows)
	}
	if !m.early() && rows > 0 {
		c.Near("score", s.LogDensity, sum/float64(rows), 1, 1e-8)
	}
}

func checkPaper(c *modeltest.VectorCheck, m *Paper, e expected) {
	c.T.Helper()
	shape, rate := m.sigmaLaw()
	c.Near("N", m.n, e.N, 1, 1e-12*(1+e.N))
	c.Near("s2", m.s2, e.S2, e.S2, 1e-8)
	c.Near("a_post", shape, e.Shape, e.Shape, 1e-8)
	c.Near("b_post", rate, *e.Rate, *e.Rate, 1e-8)
	rows := modeltest.Summarize(c.T, m, modeltest.Coefficients(m.P))
	for j, w := range e.Beta {
		c.Row("beta", rows[j], w, 1e-8)
	}
	c.Row("sigma2", rows[m.P], e.Sigma2, 1e-8)
}
