package models

import (
	"math"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
)

type linearVectors struct {
	Cases []struct {
		Name     string
		Settings struct {
			Variant  string
			Forget   float64
			Settings LinearSettings
		}
		Shards []struct {
			X [][]float64
			Y []*float64
		}
		Expected []linearExpected
	}
}

type vectorRow struct {
	Mean, SD, Scale *float64
	Low             float64 `json:"q2.5"`
	High            float64 `json:"q97.5"`
}

type linearExpected struct {
	T        int
	N, S2    float64
	Shape    float64  `json:"a_post"`
	Rate     *float64 `json:"b_post"`
	PEff     float64  `json:"p_eff"`
	Beta     []vectorRow
	Lower    []float64 `json:"beta_scale_matrix_lower"`
	Sigma2   vectorRow
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

// vectorCheck compares with the tolerances of the vectors' own README.
type vectorCheck struct {
	t     *testing.T
	name  string
	shard int
	worst map[string]float64
}

func (c *vectorCheck) near(what string, got, want, unit, tol float64) {
	c.t.Helper()
	miss := math.Abs(got-want) / unit
	c.worst[what] = max(c.worst[what], miss)
	if !(miss <= tol) {
		c.t.Errorf("%s shard %d: %s is %v, want %v (miss %.3g, allowed %.3g)", c.name, c.shard, what, got, want, miss, tol)
	}
}

// maybe compares a moment that is NaN where the vector has null.
func (c *vectorCheck) maybe(what string, got float64, want *float64, unit, tol float64) {
	c.t.Helper()
	if want == nil {
		if got == got {
			c.t.Errorf("%s shard %d: %s is %v, want undefined", c.name, c.shard, what, got)
		}
		return
	}
	c.near(what, got, *want, unit, tol)
}

func (c *vectorCheck) row(what string, r cdf.Row, w vectorRow, tol float64) {
	c.t.Helper()
	sd := (w.High - w.Low) / 4
	if w.SD != nil {
		sd = *w.SD
	}
	c.maybe(what+" mean", r.Mean, w.Mean, sd, tol)
	if w.SD == nil {
		c.maybe(what+" sd", r.SD, nil, 1, 0)
	} else {
		c.near(what+" sd", r.SD, *w.SD, *w.SD, 1e-8)
	}
	c.near(what+" q2.5", r.Q025, w.Low, sd, tol)
	c.near(what+" q97.5", r.Q975, w.High, sd, tol)
}

func TestLinearVectors(t *testing.T) {
	var v linearVectors
	readJSON(t, "vectors/linear.json", &v)
	dims := cdf.Dims{Columns: []string{"intercept", "x1", "x2", "x3"}, Intercept: true}
	for _, tc := range v.Cases {
		t.Run(tc.Name, func(t *testing.T) {
			c := &vectorCheck{t: t, name: tc.Name, worst: map[string]float64{}}
			if tc.Settings.Variant == "paper" {
				m, err := NewLinearPaper(tc.Settings.Settings, dims)
				if err != nil {
					t.Fatal(err)
				}
				d := stepper{model: m}
				for i, s := range tc.Shards {
					d.must(t, vectorShard(s.X, s.Y), tc.Settings.Forget)
					c.shard = i + 1
					checkPaper(c, m, tc.Expected[i])
				}
				t.Log("largest misses: ", c.worst)
				return
			}
			m, err := NewLinear(tc.Settings.Settings, dims)
			if err != nil {
				t.Fatal(err)
			}
			meanTol, evidenceTol := 1e-8, 1e-8
			if strings.Contains(tc.Name, "1e6") {
				meanTol, evidenceTol = 1e-7, 1e-6
			}
			d := stepper{model: m}
			for i, s := range tc.Shards {
				sh, before := vectorShard(s.X, s.Y), m.LogEvidence()
				c.shard = i + 1
				checkBefore(c, m, sh, tc.Expected[i], meanTol)
				d.must(t, sh, tc.Settings.Forget)
				checkCorrected(c, m, tc.Expected[i], meanTol)
				checkExact(c, m, tc.Expected[i], evidenceTol)
				c.maybe("log evidence", m.LogEvidence()-before, tc.Expected[i].Evidence, 1, evidenceTol)
				if tc.Name == "zero_column" && i < 9 {
					for _, r := range []cdf.Row{summarize(t, m, coefficients(4))[3], closed(m)[3]} {
						c.near("zero column mean", r.Mean, 0, 1, 1e-14)
					}
					c.near("zero column scale", closedScale(m, 3, 3), 1, 1, 1e-14)
					c.near("zero column early sd", summarize(t, m, coefficients(4))[3].SD, 1, 1, 1e-14)
				}
			}
			t.Log("largest misses: ", c.worst)
		})
	}
}

// closed summarises by the closed form, also while the rows are few.
func closed(m *Linear) []cdf.Row {
	f := coefficients(m.p)
	rows := make([]cdf.Row, len(f))
	c := make([]float64, m.p)
	for i, fn := range f {
		rows[i] = exactRow(fn.Name)
		if factor, isSigma, _ := m.directions(fn, c); isSigma {
			m.closedSigma(&rows[i], 0, factor)
		} else {
			m.closedBeta(&rows[i], fn, c)
		}
	}
	return rows
}

// closedScale returns an entry of the scale matrix of beta.
func closedScale(m *Linear, i, j int) float64 {
	v := 0.0
	for k := range m.p {
		v += m.post.m[i*m.p+k] * m.post.m[j*m.p+k] * m.post.shrink[k]
	}
	return v
}

func checkCorrected(c *vectorCheck, m *Linear, e linearExpected, meanTol float64) {
	c.t.Helper()
	c.near("N", m.n, e.N, 1, 1e-12*(1+e.N))
	c.near("s2", m.plugin(), e.S2, e.S2, 1e-8)
	c.near("a_post", m.post.shape, e.Shape, e.Shape, 1e-8)
	rows := closed(m)
	for j, w := range e.Beta {
		c.row("beta", rows[j], w, meanTol)
		c.near("beta scale", math.Sqrt(closedScale(m, j, j)), *w.Scale, *w.Scale, 1e-8)
	}
	for i, k := 0, 0; i < m.p && e.Lower != nil; i++ {
		for j := 0; j <= i; j++ {
			unit := *e.Beta[i].Scale * *e.Beta[j].Scale
			c.near("scale matrix", closedScale(m, i, j), e.Lower[k], unit, 2e-8)
			k++
		}
	}
	unit := e.S2
	c.maybe("sigma2 mean", rows[m.p].Mean, e.Sigma2.Mean, unit, 1e-8*max(1, rows[m.p].Mean/unit))
	c.maybe("sigma2 sd", rows[m.p].SD, e.Sigma2.SD, unit, 1e-8*max(1, rows[m.p].SD/unit))
	c.near("sigma2 q2.5", rows[m.p].Q025, e.Sigma2.Low, e.Sigma2.Low, 1e-8)
	c.near("sigma2 q97.5", rows[m.p].Q975, e.Sigma2.High, e.Sigma2.High, 1e-8)
}

// exactTol is how far the vectors' moments of the exact posterior are from
// this rule's at 201 and at 801 nodes, which agree with each other to 1e-12:
// theirs are for orientation and carry quadrature error of their own.
const exactTol = 2e-6

// checkExact compares the published rows of the early shards, and the total
// evidence, with the exact posterior.
func checkExact(c *vectorCheck, m *Linear, e linearExpected, tol float64) {
	c.t.Helper()
	if e.Exact == nil {
		return
	}
	c.near("exact evidence", m.LogEvidence(), e.Exact.Total, 1, tol)
	if !m.early() {
		return
	}
	for j, r := range summarize(c.t, m, coefficients(m.p))[:m.p] {
		c.near("exact mean", r.Mean, e.Exact.Mean[j], r.SD, exactTol)
		if e.Exact.SD != nil {
			c.near("exact sd", r.SD, e.Exact.SD[j], e.Exact.SD[j], exactTol)
		}
	}
}

// checkBefore compares the closed predictive law, and through Score and
// Predict the published one where it is that law.
func checkBefore(c *vectorCheck, m *Linear, sh *cdf.Shard, e linearExpected, tol float64) {
	c.t.Helper()
	if e.Before == nil {
		if s, err := m.Score(sh, nil); err != nil || s.Rows != 0 || s.LogDensity == s.LogDensity {
			c.t.Errorf("%s shard %d: scored before the first row: %+v, %v", c.name, c.shard, s, err)
		}
		return
	}
	direction := make([]float64, m.p)
	out := make([]cdf.Prediction, sh.Rows)
	if err := m.Predict(sh, out); err != nil {
		c.t.Fatal(err)
	}
	sum, rows := 0.0, 0
	for i, w := range e.Before {
		var p cdf.Prediction
		x := sh.X[i*m.p : (i+1)*m.p]
		m.rowAt(x, direction)
		mean, v := lin.Dot(x, m.post.beta), 0.0
		for j, u := range direction {
			v += u * u * m.post.shrink[j]
		}
		predictStudent(m.post.law.at(m.post.shape), mean, math.Sqrt(m.plugin()+v), math.Sqrt(v), sh.Y[i], &p)
		unit := p.Q975 - p.Q025
		c.near("predictive mean", p.Mean, *w.Mean, unit, tol)
		c.maybe("predictive sd", p.SD, w.SD, unit, 1e-8*max(1, p.SD/unit))
		c.maybe("log density", p.LogDensity, w.LogDensity, 1, 1e-8)
		c.maybe("pit", p.PIT, w.PIT, 1, 1e-8)
		if w.LogDensity != nil {
			sum += *w.LogDensity
			rows++
		}
		if !m.early() && (relative(out[i].Mean, p.Mean) > 1e-12 || relative(out[i].Q975, p.Q975) > 1e-12) {
			c.t.Errorf("%s shard %d: Predict gives %+v, want %+v", c.name, c.shard, out[i], p)
		}
	}
	s, err := m.Score(sh, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	if int(s.Rows) != rows || int(s.PredictedRows) != sh.Rows-rows {
		c.t.Errorf("%s shard %d: scored %d and predicted %d rows", c.name, c.shard, s.Rows, s.PredictedRows)
	}
	if !m.early() && rows > 0 {
		c.near("score", s.LogDensity, sum/float64(rows), 1, 1e-8)
	}
}

func checkPaper(c *vectorCheck, m *LinearPaper, e linearExpected) {
	c.t.Helper()
	shape, rate := m.sigmaLaw()
	c.near("N", m.n, e.N, 1, 1e-12*(1+e.N))
	c.near("s2", m.s2, e.S2, e.S2, 1e-8)
	c.near("a_post", shape, e.Shape, e.Shape, 1e-8)
	c.near("b_post", rate, *e.Rate, *e.Rate, 1e-8)
	rows := summarize(c.t, m, coefficients(m.p))
	for j, w := range e.Beta {
		c.row("beta", rows[j], w, 1e-8)
	}
	c.row("sigma2", rows[m.p], e.Sigma2, 1e-8)
}
