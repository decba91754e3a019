package dlm

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

type vectors struct {
	Series map[string][][]float64
	Cases  []struct {
		Name, Series string
		Settings     struct {
			Forget   float64
			Settings Settings
		}
		Steps    []int `json:"shard_steps"`
		Expected []struct {
			T         int
			N         float64
			Rows      []vectorRow
			Posterior map[string]vectorLaw
			Evidence  *float64 `json:"log_evidence"`
		}
	}
}

type vectorRow struct {
	Mean, SD, PIT *float64
	LogDensity    *float64 `json:"log_density"`
}

type vectorLaw struct {
	Mean, SD       float64
	Low, Mid, High float64
}

func (l *vectorLaw) UnmarshalJSON(b []byte) error {
	var m map[string]float64
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	*l = vectorLaw{m["mean"], m["sd"], m["q2.5"], m["q50"], m["q97.5"]}
	return nil
}

// functionals are the parameters themselves.
func functionals() []cdf.Functional { return each(Params()) }

func each(params []cdf.Param) []cdf.Functional {
	out := make([]cdf.Functional, len(params))
	for i, p := range params {
		out[i] = cdf.Functional{Name: p.Name, Param: []int{i}, Weight: []float64{1}}
	}
	return out
}

// stepsShard lays steps out as rows with their times; a missing step is a
// row without a response, or where skip is set no row at all.
func stepsShard(steps [][]float64, first int64, skip bool) *cdf.Shard {
	sh := &cdf.Shard{Forget: 1}
	for i, rows := range steps {
		if len(rows) == 0 && !skip {
			rows = []float64{math.NaN()}
		}
		for _, y := range rows {
			sh.Y, sh.Time = append(sh.Y, y), append(sh.Time, first+int64(i))
		}
	}
	sh.Rows = len(sh.Y)
	return sh
}

func newTest(t testing.TB, s Settings) *Model {
	t.Helper()
	m, err := New(s, cdf.Dims{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Tolerances are those of the vectors' README: they hold values on a fixed
// 161 x 161 grid.
func TestVectors(t *testing.T) {
	var v vectors
	modeltest.ReadJSON(t, "vectors/dlm_grid.json", &v)
	for _, tc := range v.Cases {
		t.Run(tc.Name, func(t *testing.T) {
			c := &modeltest.VectorCheck{T: t, Name: tc.Name, Worst: map[string]float64{}}
			tc.Settings.Settings.Window, tc.Settings.Settings.Mean = 50, "known"
			d := modeltest.Stepper{Model: newTest(t, tc.Settings.Settings)}
			m := d.Model.(*Model)
			series, first := v.Series[tc.Series], int64(0)
			for i, steps := range tc.Steps {
				sh, before := stepsShard(series[first:first+int64(steps)], first, false), m.LogEvidence()
				first += int64(steps)
				sh.Forget = tc.Settings.Forget
				e := tc.Expected[i]
				c.Shard = e.T
				checkRows(c, m, sh, e.Rows)
				d.Must(t, sh, tc.Settings.Forget)
				c.Near("N", m.n, e.N, 1, 1e-9)
				for k, r := range modeltest.Summarize(t, m, functionals()) {
					w, name := e.Posterior[params[k].Name], params[k].Name
					c.Near(name+" mean", r.Mean, w.Mean, w.SD, .02)
					c.Near(name+" sd", r.SD, w.SD, w.SD, .01)
					c.Near(name+" q2.5", r.Q025, w.Low, w.SD, .03)
					c.Near(name+" median", r.Median, w.Mid, w.SD, .03)
					c.Near(name+" q97.5", r.Q975, w.High, w.SD, .03)
				}
				c.Maybe("log evidence", m.LogEvidence()-before, e.Evidence, 1, .01)
			}
			t.Log("largest misses: ", c.Worst)
		})
	}
}

func checkRows(c *modeltest.VectorCheck, m *Model, sh *cdf.Shard, want []vectorRow) {
	c.T.Helper()
	out := make([]cdf.Prediction, sh.Rows)
	if err := m.Predict(sh, out); err != nil {
		c.T.Fatal(err)
	}
	sum, squares, covered, n := 0.0, 0.0, 0.0, 0.0
	for i, p := range out {
		w := want[i]
		if w.LogDensity == nil {
			if !math.IsNaN(p.LogDensity) || !math.IsNaN(p.PIT) {
				c.T.Errorf("row %d without a response: %+v", i, p)
			}
			continue
		}
		c.Near("row mean", p.Mean, *w.Mean, p.SD, .02)
		c.Near("row sd", p.SD, *w.SD, *w.SD, .01)
		c.Near("row log density", p.LogDensity, *w.LogDensity, 1, .005)
		c.Near("row pit", p.PIT, *w.PIT, 1, .002)
		// The quantiles and the distribution function are one law.
		if in := p.PIT >= .025 && p.PIT <= .975; in != (sh.Y[i] >= p.Q025 && sh.Y[i] <= p.Q975) && math.Abs(math.Abs(p.PIT-.5)-.475) > 1e-5 {
			c.T.Errorf("row %d: %+v of %v", i, p, sh.Y[i])
		}
		n++
		sum += *w.LogDensity
		squares += (sh.Y[i] - *w.Mean) * (sh.Y[i] - *w.Mean)
		if *w.PIT >= .025 && *w.PIT <= .975 {
			covered++
		}
	}
	s, err := m.Score(sh, nil)
	if err != nil {
		c.T.Fatal(err)
	}
	if float64(s.Rows) != n || int(s.PredictedRows) != sh.Rows-int(n) {
		c.T.Errorf("shard %d: %+v, want %v rows of %d", c.Shard, s, n, sh.Rows)
	}
	if n > 0 {
		c.Near("score log density", s.LogDensity, sum/n, 1, .005)
		c.Near("score rmse", s.RMSE, math.Sqrt(squares/n), math.Sqrt(squares/n), .01)
		c.Near("score coverage", s.Coverage95, covered/n, 1, 1e-12)
	}
}
