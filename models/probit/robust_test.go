package probit

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// A shard of 100,000 rows goes through a window of 5,000 in 20 parts.
func TestTakesLargeShards(t *testing.T) {
	s := windowOf(5000)
	s.Chains = 4
	m := newTest(t, "corrected", s, dims(2, 4, true))
	d := driver(m)
	d.Must(t, newShard(rand.New(rand.NewPCG(59, 1)), 100_000, []float64{.4, -1}, 1, true), 1)
	if m.rows() != 5000 || cap(m.window.x) > 4*5000 {
		t.Errorf("%d rows in the window, room for %d", m.rows(), cap(m.window.x)/2)
	}
	for j, r := range modeltest.Summarize(t, m, betas(2)) {
		if want := []float64{.4, -1}[j]; !(math.Abs(r.Mean-want) < .05) {
			t.Errorf("beta_%d is %v, want %v", j, r.Mean, want)
		}
	}
}

func TestCheck(t *testing.T) {
	m := newTest(t, "corrected", Defaults(), dims(2, 16, true))
	good := func() *cdf.Shard {
		return &cdf.Shard{Rows: 3, Cols: 2, X: []float64{1, 2, 1, 3, 1, 4}, Y: []float64{1, nan, 0}}
	}
	if err := m.Check(good()); err != nil {
		t.Errorf("a good shard: %v", err)
	}
	for want, spoil := range map[string]func(*cdf.Shard){
		"want 2 columns": func(s *cdf.Shard) { s.Cols = 3 }, "5 entries": func(s *cdf.Shard) { s.X = s.X[1:] }, "2 responses": func(s *cdf.Shard) { s.Y = s.Y[1:] },
		"row 1, column 1 is NaN": func(s *cdf.Shard) { s.X[3] = nan }, "row 0, column 1 is +Inf": func(s *cdf.Shard) { s.X[1] = math.Inf(1) },
		"response of row 2 is +Inf":               func(s *cdf.Shard) { s.Y[2] = math.Inf(1) },
		"response of row 2 is 0.5":                func(s *cdf.Shard) { s.Y[2] = .5 },
		"row 0 is -1; probit takes 0 and 1, so c": func(s *cdf.Shard) { s.Y[0] = -1 },
	} {
		s := good()
		spoil(s)
		if err := m.Check(s); !errors.Is(err, cdf.ErrShard) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
	for _, params := range [][]int{{0, 2}, {-1}} {
		f := []cdf.Functional{{Name: "v", Param: params, Weight: []float64{1, 1}[:len(params)]}}
		if err := m.Summarize(f, make([]cdf.Row, 1)); !errors.Is(err, cdf.ErrSchema) {
			t.Errorf("summary of %v: %v", params, err)
		}
		if err := m.Covariance(f, make([]float64, 1)); !errors.Is(err, cdf.ErrSchema) {
			t.Errorf("covariance of %v: %v", params, err)
		}
	}
}

// Until its next shard a restored model describes the draws it has.
func TestSummaryOfARestoredModel(t *testing.T) {
	r := rand.New(rand.NewPCG(62, 1))
	a := driver(newTest(t, "corrected", windowOf(50), dims(3, 800, true)))
	a.Must(t, newShard(r, 90, []float64{0, 1, 1}, 1, true), 1)
	b := newTest(t, "corrected", windowOf(50), dims(3, 800, true))
	prior := modeltest.Summarize(t, b, betas(3))
	if prior[0].SD != math.Sqrt(10) || prior[1].SD != 1 || prior[2].Mean != 0 {
		t.Errorf("a new model describes %+v, not its prior", prior)
	}
	if err := b.UnmarshalBinary(modeltest.State(t, a.Model)); err != nil {
		t.Fatal(err)
	}
	want := modeltest.Summarize(t, a.Model, betas(3))
	for j, r := range modeltest.Summarize(t, b, betas(3)) {
		if !(math.Abs(r.Mean-want[j].Mean) < .2*want[j].SD) || !(math.Abs(r.SD/want[j].SD-1) < .15) {
			t.Errorf("beta_%d: %+v, before %+v", j, r, want[j])
		}
	}
}

func TestRefusesOtherBytes(t *testing.T) {
	m := newTest(t, "corrected", windowOf(6), dims(3, 32, true))
	d := driver(m)
	d.Must(t, newShard(rand.New(rand.NewPCG(63, 1)), 9, []float64{0, 1, 1}, 1, true), 1)
	if n, want := len(modeltest.State(t, m)), 8*(6+3+6+3*m.rows()+3*32)+6; n != want {
		t.Errorf("%d bytes, want %d", n, want)
	}
	set := func(at int, v byte) func([]byte) []byte { return func(b []byte) []byte { b[at] = v; return b } }
	modeltest.RefusesBytes(t, m, map[string]func([]byte) []byte{
		"eight less": func(b []byte) []byte { return b[:len(b)-8] }, "format": modeltest.FirstByte, "NaN": modeltest.LastNaN,
		"stage": set(1, 3), "rows without a stage": set(1, 1), "rows of 2^32": set(5, 255),
		"more rows": func(b []byte) []byte { b[2]++; return b }, "negative precision": modeltest.Negative(6), "negative count": modeltest.Negative(6 + 8*9),
	})
}

func TestSettings(t *testing.T) {
	spec := modeltest.Spec(t, Kind(), "", cdf.Roles{}, strictyaml.Decode("{prior: {beta_variance: 10}, chains: 8}"))
	want := Settings{Prior: Prior{BetaVariance: 10, InterceptVariance: 10}, Chains: 8, Freeze: "expected"}
	if got := spec.Settings; got != want {
		t.Errorf("settings %+v, want %+v", got, want)
	}
	for _, c := range [][2]int{{3, 500}, {120, 600}} {
		m, err := spec.New(dims(c[0], 500, true))
		if err != nil {
			t.Fatal(err)
		}
		if p := m.(*Model); p.limit != c[1] || p.s != 504 || p.Chains() != 8 {
			t.Errorf("%d columns: window %d, %d draws, %d chains", c[0], p.limit, p.s, p.Chains())
		}
	}
	for intercept, want := range map[bool]float64{true: 5, false: 2} {
		s, sd := Defaults(), make([]float64, 2)
		s.Prior = Prior{BetaVariance: 4, InterceptVariance: 25}
		m := newTest(t, "", s, dims(2, 16, intercept))
		if m.PriorSD(betas(2), sd); sd[0] != want || sd[1] != 2 {
			t.Errorf("intercept %v: prior sds %v", intercept, sd)
		}
	}
	modeltest.Refuses(t, Kind(), "", map[string]string{
		"prior: {beta_variance: 0}":       "prior.beta_variance must be positive and finite, got 0",
		"prior: {intercept_variance: -1}": "prior.intercept_variance",
		"window: -1":                      "window must not be negative, got -1",
		"chains: 0":                       "chains must be between 1 and 128, got 0",
		"chains: 200":                     "got 200",
		"freeze: lap":                     `freeze must be expected, got "lap"`,
		"windows: 3":                      "windows",
	})
	if _, err := New(Defaults(), cdf.Dims{}); !errors.Is(err, cdf.ErrSchema) {
		t.Errorf("no columns gives %v", err)
	}
}
