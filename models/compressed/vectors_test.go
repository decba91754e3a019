package compressed

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

type vectorCase struct {
	Name, Provisional string
	Settings          struct {
		Forget   float64
		Settings struct {
			Dimension  int
			Projection string
			Statistics string
			Rank       int
			Prior      struct {
				Shape    float64 `json:"sigma2_shape"`
				Rate     float64 `json:"sigma2_rate"`
				Variance float64 `json:"beta_variance"`
			}
		}
	}
	Signs    []string `json:"projection_signs"`
	Sizes    []int    `json:"shard_sizes"`
	X        [][]float64
	Y        []float64
	XNew     [][]float64 `json:"X_new"`
	Expected []expected
}

type expected struct {
	N, E              float64
	NM                float64 `json:"N_m"`
	NE                float64 `json:"N_e"`
	Lossy             bool
	LogKappa          float64 `json:"log_kappa"`
	Sigma2Hat         float64 `json:"sigma2_hat"`
	DF                float64
	XBar              []float64 `json:"xbar"`
	Scale             []float64
	YBar              float64 `json:"ybar"`
	Shape             float64 `json:"a_n"`
	Rate              float64 `json:"b_n"`
	Gamma, Prediction rows
	Sigma2            struct {
		Mean, SD  *float64
		Low, High float64
	}
	Evidence *float64 `json:"log_evidence"`
}

type rows struct {
	Mean, SD []float64
	Low      []float64 `json:"q2.5"`
	High     []float64 `json:"q97.5"`
}

// shards cuts the rows of the case.
func (c *vectorCase) shards() []*cdf.Shard {
	var out []*cdf.Shard
	at := 0
	for _, n := range c.Sizes {
		sh := &cdf.Shard{Rows: n, Cols: len(c.X[0])}
		for i := at; i < at+n; i++ {
			sh.X = append(sh.X, c.X[i]...)
			sh.Y = append(sh.Y, c.Y[i])
		}
		at += n
		out = append(out, sh)
	}
	return out
}

// predictNew predicts the rows X_new.
func (c *vectorCase) predictNew(t *testing.T, m cdf.Model) []cdf.Prediction {
	t.Helper()
	sh := &cdf.Shard{Rows: len(c.XNew), Cols: len(c.XNew[0])}
	for _, x := range c.XNew {
		sh.X = append(sh.X, x...)
		sh.Y = append(sh.Y, math.NaN())
	}
	out := make([]cdf.Prediction, sh.Rows)
	if err := m.(cdf.Predictor).Predict(sh, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// settings of a case, with the signs, if it has them, in a file.
func (c *vectorCase) model(t *testing.T) cdf.Model {
	t.Helper()
	from := c.Settings.Settings
	return modeltest.Model(t, Kind(), "", func(v any) error {
		s := v.(*Settings)
		s.Projection, s.Rank = from.Projection, from.Rank
		if s.Statistics = from.Statistics; s.Statistics == "exact" {
			s.Rank = 0
		}
		s.Prior.Sigma2Shape, s.Prior.Sigma2Rate = from.Prior.Shape, from.Prior.Rate
		s.Prior.SignalShape = 0 // the vectors are those of the evidence alone
		if from.Projection == "fixed" {
			s.Dimension, s.Prior.BetaVariance = from.Dimension, from.Prior.Variance
			s.ProjectionFile = filepath.Join(t.TempDir(), "signs")
			if err := writeSigns(s.ProjectionFile, c.Signs); err != nil {
				return err
			}
			return strictyaml.ReadFiles(s)
		}
		return nil
	}, cdf.Dims{Columns: modeltest.Columns(len(c.X[0]))})
}

// writeSigns writes one column per line, as 1 and -1.
func writeSigns(path string, columns []string) error {
	text := ""
	for _, c := range columns {
		text += strings.TrimSpace(strings.NewReplacer("+", " 1", "-", " -1").Replace(c)) + "\n"
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

func TestFixedVectors(t *testing.T) {
	var v struct{ Cases []vectorCase }
	modeltest.ReadJSON(t, "vectors/compressed_fixed.json", &v)
	for _, tc := range v.Cases {
		t.Run(tc.Name, func(t *testing.T) {
			c := &modeltest.VectorCheck{T: t, Name: tc.Name, Worst: map[string]float64{}}
			m := tc.model(t).(*Fixed)
			d := modeltest.Stepper{Model: m}
			p := m.P
			sum := 0.
			for i, sh := range tc.shards() {
				d.Must(t, sh, tc.Settings.Forget)
				c.Shard = i + 1
				want := tc.Expected[i]
				c.Near("N", m.n, want.N, 1, 1e-12)
				c.Near("a_n", m.a, want.Shape, want.Shape, 1e-12)
				c.Near("b_n", m.b, want.Rate, want.Rate, 1e-9)
				rows := modeltest.Summarize(t, m, modeltest.Coefficients(p))
				for j, r := range rows[:p] {
					sd := want.Gamma.SD[j]
					c.Near("mean", r.Mean, want.Gamma.Mean[j], sd, 1e-9)
					c.Near("sd", r.SD, sd, sd, 1e-9)
					c.Near("q2.5", r.Q025, want.Gamma.Low[j], sd, 1e-8)
					c.Near("q97.5", r.Q975, want.Gamma.High[j], sd, 1e-8)
				}
				c.Maybe("sigma2 mean", rows[p].Mean, want.Sigma2.Mean, want.Rate/want.Shape, 1e-9)
				c.Maybe("sigma2 sd", rows[p].SD, want.Sigma2.SD, want.Rate/want.Shape, 1e-9)
				for k, o := range tc.predictNew(t, m) {
					sd := want.Prediction.SD[k]
					c.Near("prediction", o.Mean, want.Prediction.Mean[k], sd, 1e-9)
					c.Near("prediction sd", o.SD, sd, sd, 1e-9)
					c.Near("prediction q2.5", o.Q025, want.Prediction.Low[k], sd, 1e-8)
					c.Near("prediction q97.5", o.Q975, want.Prediction.High[k], sd, 1e-8)
				}
				if want.Evidence == nil {
					if e := m.LogEvidence(); !math.IsNaN(e) {
						t.Errorf("evidence %v with forgetting", e)
					}
					continue
				}
				sum = m.LogEvidence() - sum
				c.Near("evidence of the shard", sum, *want.Evidence, 1, 1e-9)
				sum = m.LogEvidence()
			}
			t.Log("largest misses: ", c.Worst)
		})
	}
}

// With the rank at least p, the sketch and exact statistics are the vectors'
// conjugate regression. With it below p the vectors hold another law:
// there the whole diagonal of what is dropped acts in the kept directions
// too, and early shards weigh by a power of the rows alone. What does not depend on it is compared: whether curvature is lost and
// when, rows, means, scales and, after the first shard, the mode, which the
// loss does not move, its kappa and sigma2; widths after a loss are not.
//
// The vectors do not discount the errors of prediction by the forgetting factor,
// which nothing published depends on while the sketch is exact.
func TestSketchVectors(t *testing.T) {
	var v struct{ Cases []vectorCase }
	modeltest.ReadJSON(t, "vectors/compressed_sketch.json", &v)
	for _, tc := range v.Cases {
		t.Run(tc.Name, func(t *testing.T) {
			c := &modeltest.VectorCheck{T: t, Name: tc.Name, Worst: map[string]float64{}}
			m := tc.model(t).(*Sketch)
			d := modeltest.Stepper{Model: m}
			p := m.P
			for i, sh := range tc.shards() {
				d.Must(t, sh, tc.Settings.Forget)
				c.Shard = i + 1
				want := tc.Expected[i]
				if m.lossy != want.Lossy {
					t.Fatalf("shard %d: lossy %v", i+1, m.lossy)
				}
				c.Near("N", m.n, want.N, 1, 1e-12)
				c.Near("N_e", m.lossN, want.NE, 1, condition(tc.Settings.Forget == 1, 1e-9))
				for j := range p {
					c.Near("s", m.scale[j], want.Scale[j], 1, 1e-9)
				}
				if want.Lossy && i > 0 {
					continue
				}
				c.Near("N_m", m.weight, want.NM, 1, 1e-9)
				c.Near("E", m.loss, want.E, 1+want.E, condition(tc.Settings.Forget == 1, 1e-4))
				c.Near("log kappa", m.logKappa, want.LogKappa, 1, 2e-4)
				c.Near("sigma2_hat", m.rate/(m.shape-1), want.Sigma2Hat, want.Sigma2Hat, 1e-4)
				c.Near("df", 2*m.shape, want.DF, 1, 1e-9)
				c.Near("ybar", m.ybar, want.YBar, 1, 1e-9)
				for j, v := range m.xbar {
					c.Near("xbar", v, want.XBar[j], 1, 1e-9)
				}
				tc.published(t, c, m, &want)
			}
			t.Log("largest misses: ", c.Worst)
		})
		if tc.Expected[len(tc.Expected)-1].Lossy {
			continue
		}
		t.Run(tc.Name+", exact", func(t *testing.T) {
			c := &modeltest.VectorCheck{T: t, Name: tc.Name, Worst: map[string]float64{}}
			tc.Settings.Settings.Statistics = "exact"
			m := tc.model(t).(*Exact)
			d := modeltest.Stepper{Model: m}
			for i, sh := range tc.shards() {
				d.Must(t, sh, tc.Settings.Forget)
				c.Shard = i + 1
				want := tc.Expected[i]
				c.Near("N", m.n, want.N, 1, 1e-12)
				c.Near("N_m", m.weight, want.NM, 1, 1e-9)
				c.Near("log kappa", m.logKappa, want.LogKappa, 1, 2e-4)
				c.Near("sigma2_hat", m.rate/(m.shape()-1), want.Sigma2Hat, want.Sigma2Hat, 1e-4)
				c.Near("df", 2*m.shape(), want.DF, 1, 1e-9)
				c.Near("ybar", m.ybar, want.YBar, 1, 1e-9)
				for j, v := range m.xbar {
					c.Near("xbar", v, want.XBar[j], 1, 1e-9)
				}
				tc.published(t, c, m, &want)
			}
			t.Log("largest misses: ", c.Worst)
		})
	}
}

// condition is the tolerance of what holds under a condition only.
func condition(holds bool, tolerance float64) float64 {
	if holds {
		return tolerance
	}
	return math.Inf(1)
}

// published compares coefficients and predictions with the vectors'; sds only
// where nothing was lost.
func (tc *vectorCase) published(t *testing.T, c *modeltest.VectorCheck, m cdf.Model, want *expected) {
	t.Helper()
	p := len(want.XBar)
	sd := condition(!want.Lossy, 1e-4)
	for j, r := range modeltest.Summarize(t, m, modeltest.Coefficients(p))[:p] {
		c.Near("mean", r.Mean, want.Gamma.Mean[j], want.Gamma.SD[j], 3e-4)
		c.Near("sd", r.SD, want.Gamma.SD[j], want.Gamma.SD[j], sd)
	}
	for k, o := range tc.predictNew(t, m) {
		c.Near("prediction", o.Mean, want.Prediction.Mean[k], want.Prediction.SD[k], 3e-4)
		c.Near("prediction sd", o.SD, want.Prediction.SD[k], want.Prediction.SD[k], sd)
	}
}

// The densities of rows predicted one by one, the prior's own first, make up the
// evidence; and the prior has the sds that it says.
func TestFixedEvidenceIsAChain(t *testing.T) {
	const p = 4
	m := newTest(t, "", "{projection: fixed, dimension: 3, prior: {beta_variance: 4, sigma2_shape: 2, sigma2_rate: 3}}", modeltest.Columns(p)).(*Fixed)
	sd := make([]float64, p+1)
	m.PriorSD(modeltest.Coefficients(p), sd)
	for j, r := range modeltest.Summarize(t, m, modeltest.Coefficients(p))[:p] {
		if modeltest.Relative(r.SD, sd[j]) > 1e-12 {
			t.Errorf("gamma %d has sd %v, prior sd %v", j, r.SD, sd[j])
		}
	}
	sh := modeltest.RegressionShard(rand.New(rand.NewPCG(46, 1)), 12, p, false)
	d, sum := modeltest.Stepper{Model: m}, 0.
	for i := range sh.Rows {
		row, out := modeltest.Cut(sh, i, i+1), make([]cdf.Prediction, 1)
		if err := m.Predict(row, out); err != nil {
			t.Fatal(err)
		}
		sum += out[0].LogDensity
		if d.Must(t, row, 1); math.Abs(m.LogEvidence()-sum) > 1e-10*(1+math.Abs(sum)) {
			t.Errorf("%d rows: evidence %v, predictions %v", i+1, m.LogEvidence(), sum)
		}
	}
}
