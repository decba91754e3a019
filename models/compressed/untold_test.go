package compressed

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// untold are the forms that estimate the prior variance of gamma, with and without curvature given up.
var untold = map[string]string{"sketch": "rank: 20", "lossy sketch": "rank: 2", "exact": "statistics: exact"}

// arriving is a model of p columns, of which all from the given one on were 3 in all of 90 rows.
func arriving(t *testing.T, settings string, p, from int) (m cdf.Model, sh *cdf.Shard) {
	t.Helper()
	sh = modeltest.RegressionShard(rand.New(rand.NewPCG(60, 1)), 90, p, false)
	for i := range sh.Rows {
		for j := from; j < p; j++ {
			sh.X[i*p+j] = 3
		}
	}
	m = newTest(t, "", settings, modeltest.Columns(p))
	feed(t, m, sh, 30)
	return m, sh
}

// spreadOf returns kappa, the law of sigma2 and rows in a model.
func spreadOf(m cdf.Model) (kappa, shape, rate, weight float64) {
	if m, ok := m.(*Exact); ok {
		return math.Exp(m.logKappa), m.shape(), m.rate, m.weight
	}
	s := m.(*Sketch) //nolint:forcetypeassert // the other one
	return math.Exp(s.logKappa), s.shape, s.rate, s.weight
}

// A coefficient of a column that was the same in all rows has the prior's law, and the prior's sd beside it says so; those of
// others have none, nor has this one once the column has varied.
func TestUntoldColumns(t *testing.T) {
	const p, from = 6, 4
	for name, settings := range untold {
		m, _ := arriving(t, settings, p, from)
		sds := func() []float64 {
			dst := make([]float64, p+1)
			m.(cdf.Summarizer).PriorSD(modeltest.Coefficients(p), dst)
			return dst
		}
		kappa, shape, rate, _ := spreadOf(m)
		rows := modeltest.Summarize(t, m, modeltest.Coefficients(p))
		for j, sd := range sds()[:p] {
			want := math.Sqrt(kappa * rate / (shape - 1))
			switch {
			case j < from && !math.IsNaN(sd):
				t.Errorf("%s: column %d varies and has a prior sd, %v", name, j, sd)
			case j >= from && !(modeltest.Relative(sd, want) < 1e-9 && modeltest.Relative(rows[j].SD, want) < 1e-9 && rows[j].Mean == 0):
				t.Errorf("%s: column %d has a prior sd of %v, %v (%v), want %v", name, j, sd, rows[j].Mean, rows[j].SD, want)
			}
		}
		d := modeltest.Stepper{Model: m}
		d.Must(t, modeltest.RegressionShard(rand.New(rand.NewPCG(60, 2)), 5, p, false), 1)
		if got := sds()[:p]; slices.ContainsFunc(got, func(v float64) bool { return !math.IsNaN(v) }) {
			t.Errorf("%s: all columns vary, and prior sds are %v", name, got)
		}
	}
}

// A row in which such columns differ is predicted as if they had the sds of all rows and this one, of which the squared
// distances from the mean are W + 1, whatever their units: by the formula, from what the same row has without them.
func TestArrivingColumnsHaveTheirSD(t *testing.T) {
	const p, from = 6, 4
	for name, settings := range untold {
		m, sh := arriving(t, settings, p, from)
		kappa, shape, rate, weight := spreadOf(m)
		predicted := func(a, b float64) cdf.Prediction {
			x := slices.Clone(sh.X[:p])
			x[from], x[from+1] = 3+a, 3+b
			out := make([]cdf.Prediction, 1)
			if err := m.(cdf.Predictor).Predict(&cdf.Shard{Rows: 1, Cols: p, X: x, Y: []float64{math.NaN()}}, out); err != nil {
				t.Fatal(err)
			}
			return out[0]
		}
		as := predicted(0, 0)
		for _, c := range [][2]float64{{1, 0}, {0, -1}, {1e-6, 0}, {0, 1e9}, {1, 7}} {
			got, want := predicted(c[0], c[1]), as.SD*as.SD
			for _, d := range c {
				if d != 0 {
					want += rate / (shape - 1) * kappa * (weight + 1)
				}
			}
			if got.Mean != as.Mean || !(modeltest.Relative(got.SD, math.Sqrt(want)) < 1e-9) {
				t.Errorf("%s, %v off: %v (%v), want %v (%v)", name, c, got.Mean, got.SD, as.Mean, math.Sqrt(want))
			}
		}
	}
}

// Rows share the errors of such columns where they have the same one. Where each has its own they share none, and what the
// prior alone says of them is nearly all of their variance.
func TestWhatArrivingColumnsShare(t *testing.T) {
	const p, from = 24, 4
	for name, settings := range untold {
		m, before := arriving(t, settings, p, from)
		score := func(column func(row int) int) cdf.Score {
			const rows = 20
			sh := &cdf.Shard{Rows: rows, Cols: p, X: slices.Clone(before.X[:rows*p]), Y: slices.Clone(before.Y[:rows])}
			for i := range rows {
				lin.Row(sh.X, p, i)[column(i)] = 4
			}
			s, err := m.(cdf.Predictor).Score(sh, nil)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		same, own := score(func(int) int { return from }), score(func(row int) int { return from + row })
		if !(same.Pair > .95*same.Shared) || !(own.Pair < .05*own.Shared) {
			t.Errorf("%s: pairs share %.3f of %.3f in one column, %.3f of %.3f in columns of their own", name, same.Pair, same.Shared, own.Pair, own.Shared)
		}
		kappa, _, _, weight := spreadOf(m)
		if want := kappa * (weight + 1) / (1 + kappa*(weight+1)); math.Abs(own.Untold-want) > .02 || math.Abs(same.Untold-want) > .02 {
			t.Errorf("%s: of variances %.3f and %.3f are the prior's alone, want %.3f", name, own.Untold, same.Untold, want)
		}
		if s := score(func(int) int { return 0 }); s.Untold != 0 {
			t.Errorf("%s: %.3f of what rows told of is the prior's alone", name, s.Untold)
		}
	}
}

// Levels that arrive as columns of 0 and 1, with effects of the others' law: 95 % intervals of their first rows hold these, beside little
// noise and much. Without sds of their own they held .2 to .6. 95 % of 1,600 rows, of which 20 share an effect, have an sd of .02.
func TestArrivingLevels(t *testing.T) {
	const p, old, streams = 40, 20, 40
	for name, settings := range untold {
		for _, effect := range []float64{1, 3, 10} {
			held, rows := 0, 0
			for s := range streams {
				r := rand.New(rand.NewPCG(uint64(s), 61))
				effects := make([]float64, p)
				for j := range effects {
					effects[j] = effect * r.NormFloat64()
				}
				shard := func(n, levels int) *cdf.Shard {
					sh := &cdf.Shard{Rows: n, Cols: p, X: make([]float64, n*p)}
					for i := range n {
						k := p - 1 - i%levels
						sh.X[i*p+k] = 1
						sh.Y = append(sh.Y, effects[k]+r.NormFloat64())
					}
					return sh
				}
				m := newTest(t, "", settings, modeltest.Columns(p))
				feed(t, m, shard(400, old), 50)
				next := shard(p, p)
				out := make([]cdf.Prediction, p)
				if err := m.(cdf.Predictor).Predict(next, out); err != nil {
					t.Fatal(err)
				}
				for i := old; i < p; i++ {
					if rows++; out[i].Q025 <= next.Y[i] && next.Y[i] <= out[i].Q975 {
						held++
					}
				}
			}
			share := float64(held) / float64(rows)
			t.Logf("%s, effects of sd %v: %.3f of %d rows held", name, effect, share, rows)
			if !(share > .89) { // three sds of .02 below
				t.Errorf("%s, effects of sd %v: %.3f of %d rows held", name, effect, share, rows)
			}
		}
	}
}
