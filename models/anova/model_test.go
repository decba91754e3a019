package anova

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

var (
	_ cdf.Model      = (*Model)(nil)
	_ cdf.Summarizer = (*Model)(nil)
	_ cdf.Predictor  = (*Model)(nil)
	_ cdf.Sampler    = (*Model)(nil)
	_ cdf.Retirer    = (*Model)(nil)
	_ cdf.Model      = (*Paper)(nil)
	_ cdf.Summarizer = (*Paper)(nil)
	_ cdf.Predictor  = (*Paper)(nil)
	_ cdf.Sampler    = (*Paper)(nil)
	_ cdf.Retirer    = (*Paper)(nil)
)

func newVariant(t testing.TB, variant string, p Prior) cdf.Model {
	t.Helper()
	return modeltest.Model(t, Kind(), variant, modeltest.Set(Settings{Prior: p}), cdf.Dims{})
}

// rowsOf makes a shard of groups and responses, NaN for none.
func rowsOf(groups []int32, y ...float64) *cdf.Shard {
	return &cdf.Shard{Rows: len(y), Y: y, Group: [][]int32{groups}}
}

// groupedRows draws rows of k groups whose levels are 3 apart.
func groupedRows(r *rand.Rand, rows, k int) *cdf.Shard {
	sh := rowsOf(nil)
	sh.Rows = rows
	for range rows {
		g := r.IntN(k)
		sh.Group[0] = append(sh.Group[0], int32(g))
		sh.Y = append(sh.Y, 50+3*float64(g)+2*r.NormFloat64())
	}
	return sh
}

func cutRows(sh *cdf.Shard, i, j int) *cdf.Shard { return rowsOf(sh.Group[0][i:j], sh.Y[i:j]...) }

// A3: the statistics do not depend on how rows were cut into shards, ordered
// or labelled, and equal those of all rows.
func TestIsInvariantToSharding(t *testing.T) {
	const rows, k = 4000, 7
	r := rand.New(rand.NewPCG(61, 1))
	all := groupedRows(r, rows, k)
	for name, size := range map[string]func() int{
		"1 x 4000": func() int { return rows }, "400 x 10": func() int { return 10 }, "random": func() int { return r.IntN(40) }, "single rows": func() int { return r.IntN(2) },
	} {
		for _, relabel := range []bool{false, true} {
			m := newTest(t, weak)
			sh := rowsOf(slices.Clone(all.Group[0]), slices.Clone(all.Y)...)
			if relabel {
				r.Shuffle(rows, func(i, j int) {
					sh.Y[i], sh.Y[j] = sh.Y[j], sh.Y[i]
					sh.Group[0][i], sh.Group[0][j] = sh.Group[0][j], sh.Group[0][i]
				})
				for i := range sh.Group[0] {
					sh.Group[0][i] = k - 1 - sh.Group[0][i]
				}
			}
			for at := 0; at < rows; {
				n := min(size(), rows-at)
				m.absorb(&cdf.Step{Shard: cutRows(sh, at, at+n), Forget: 1})
				at += n
			}
			within := 0.0
			for g := range k {
				var y []float64
				for i, v := range all.Y {
					if int(all.Group[0][i]) == g {
						y = append(y, v)
					}
				}
				mean, variance := meanAndVariance(y)
				within += variance * float64(len(y))
				at := g
				if relabel {
					at = k - 1 - g
				}
				if m.n[at] != float64(len(y)) || modeltest.Relative(m.ybar[at], mean) > 1e-10 {
					t.Errorf("%s: group %d has %v rows of mean %v, want %d of %v", name, g, m.n[at], m.ybar[at], len(y), mean)
				}
			}
			if modeltest.Relative(m.ss, within) > 1e-10 {
				t.Errorf("%s: W is %v, want %v", name, m.ss, within)
			}
		}
	}
}

// A group without rows keeps its statistics to the bit without forgetting;
// with it, it counts less, its mean stays, and its level drifts to mu.
func TestAbsentGroup(t *testing.T) {
	for _, lambda := range []float64{1, .8} {
		m := newTest(t, weak)
		d := modeltest.Stepper{Model: m, Draws: drawsFor(500, 4)}
		r := rand.New(rand.NewPCG(62, 1))
		for range 5 {
			d.Must(t, groupedRows(r, 40, 4), 1)
		}
		n, ybar, zeta, sd := m.n[3], m.ybar[3], m.zeta[3], m.vari[3]
		for range 20 {
			d.Must(t, groupedRows(r, 40, 3), lambda)
		}
		if want := n * math.Pow(lambda, 20); modeltest.Relative(m.n[3], want) > 1e-12 || m.ybar[3] != ybar {
			t.Errorf("lambda %v: N %v, mean %v; want %v, %v", lambda, m.n[3], m.ybar[3], want, ybar)
		}
		if drift := zeta - m.zeta[3]; lambda < 1 && !(drift > .05 && m.vari[3] > 2*sd) || lambda == 1 && math.Abs(drift) > .2 {
			t.Errorf("lambda %v: zeta went from %v (variance %v) to %v (%v)", lambda, zeta, sd, m.zeta[3], m.vari[3])
		}
	}
}

// Rows without a response, whatever their group, change nothing; one of a new
// group does not make it.
func TestNullResponses(t *testing.T) {
	for _, variant := range []string{"corrected", "paper"} {
		a := modeltest.Stepper{Model: newVariant(t, variant, weak), Draws: drawsFor(50, 3)}
		b := modeltest.Stepper{Model: newVariant(t, variant, weak), Draws: drawsFor(50, 3)}
		nan := math.NaN()
		a.Must(t, rowsOf([]int32{0, 1, 0, 2}, 1, 2, 3, 4), .9)
		b.Must(t, rowsOf([]int32{-1, 0, 1, 1, 0, 2, -1}, nan, 1, 2, nan, 3, 4, nan), .9)
		modeltest.SameState(t, a.Model, b.Model)
		a.Must(t, rowsOf(nil), .9)
		b.Must(t, rowsOf([]int32{2, -1}, nan, nan), .9)
		modeltest.SameState(t, a.Model, b.Model)
	}
}

// Retirement by hand: who has less than 1e-6 rows leaves, the others move up.
func TestRetires(t *testing.T) {
	for _, variant := range []string{"corrected", "paper"} {
		m := newVariant(t, variant, weak)
		retire := m.(cdf.Retirer).Retire
		d := modeltest.Stepper{Model: m, Draws: drawsFor(50, 4)}
		d.Must(t, rowsOf([]int32{0, 1, 2, 3, 1}, 1, 2, 3, 4, 5), 1)
		if gone := retire(); gone != nil {
			t.Errorf("%s: %v left at once", variant, gone)
		}
		d.Must(t, rowsOf([]int32{1, 3}, 2, 4), 1e-7)
		stay := make([]cdf.Prediction, 2)
		if err := m.(cdf.Predictor).Predict(rowsOf([]int32{1, 3}, 2, 4), stay); err != nil {
			t.Fatal(err)
		}
		if gone := retire(); !slices.Equal(gone, []int32{0, 2}) {
			t.Errorf("%s: %v left, want 0 and 2", variant, gone)
		}
		if p := m.Params(); p[3].Len != 2 || p[0].Len != 1 {
			t.Errorf("%s: parameters %v", variant, p)
		}
		sh := rowsOf([]int32{0, 1, 2}, 2, 4, 1)
		out := make([]cdf.Prediction, 3)
		if err := m.(cdf.Predictor).Predict(sh, out); err != nil || math.IsNaN(out[0].SD) || !math.IsNaN(out[2].SD) {
			t.Errorf("%s: %+v, %v; want two known groups, and nothing of a third with two groups", variant, out, err)
		}
		if !slices.Equal(out[:2], stay) {
			t.Errorf("%s: groups that stay are %+v, were %+v", variant, out[:2], stay)
		}
		d.Must(t, rowsOf(nil), 1e-7)
		fresh := newVariant(t, variant, weak)
		if gone := retire(); !slices.Equal(gone, []int32{0, 1}) {
			t.Errorf("%s: %v left, want the rest", variant, gone)
		}
		modeltest.SameState(t, fresh, m)
	}
}

// A restored model goes on to the bit, while groups join and leave.
func TestStateRoundTrip(t *testing.T) {
	for _, variant := range []string{"corrected", "paper"} {
		r := rand.New(rand.NewPCG(65, 1))
		a := modeltest.Stepper{Model: newVariant(t, variant, weak), Draws: drawsFor(50, 12)}
		for shard := range 24 {
			b := modeltest.Stepper{Model: newVariant(t, variant, weak), T: a.T, Draws: drawsFor(50, 12)}
			if err := b.Model.UnmarshalBinary(modeltest.State(t, a.Model)); err != nil {
				t.Fatal(err)
			}
			modeltest.SameState(t, a.Model, b.Model)
			k := a.Model.Params()[3].Len
			sh := groupedRows(r, shard%7, min(k+1, 12))
			for i, g := range sh.Group[0] { // indices come in order of appearance
				sh.Group[0][i] = min(g, int32(k))
			}
			probe := groupedRows(r, 5, 14)
			x, y := make([]cdf.Prediction, 5), make([]cdf.Prediction, 5)
			if err := errors.Join(a.Model.(cdf.Predictor).Predict(probe, x), b.Model.(cdf.Predictor).Predict(probe, y)); err != nil {
				t.Fatal(err)
			}
			for i := range x {
				if fmt.Sprint(x[i]) != fmt.Sprint(y[i]) { // NaN is NaN
					t.Fatalf("%s shard %d: %v, restored %v", variant, shard, x[i], y[i])
				}
			}
			a.Must(t, sh, .05)
			b.Must(t, sh, .05)
			if p, q := a.Model.(cdf.Retirer).Retire(), b.Model.(cdf.Retirer).Retire(); !slices.Equal(p, q) {
				t.Fatalf("%s shard %d: %v and %v left", variant, shard, p, q)
			}
			modeltest.SameState(t, a.Model, b.Model)
		}
	}
}

func TestRefusesOtherBytes(t *testing.T) {
	for _, variant := range []string{"corrected", "paper"} {
		m := newVariant(t, variant, weak)
		d := modeltest.Stepper{Model: m, Draws: drawsFor(50, 3)}
		d.Must(t, groupedRows(rand.New(rand.NewPCG(66, 1)), 20, 3), 1)
		number := func(at int) func([]byte) []byte { return modeltest.Negative(1 + 8*at) }
		modeltest.RefusesBytes(t, m, map[string]func([]byte) []byte{
			"a number less": func(b []byte) []byte { return b[:len(b)-8] }, "format": modeltest.FirstByte, "NaN": modeltest.LastNaN,
			"negative W": number(0), "negative s2": number(1), "negative tau2": number(2), "negative sd": number(5),
			"negative N": number(head), "negative variance": number(head + 9),
			"groups and no plug-in": func(b []byte) []byte { clear(b[9:17]); return b },
		})
	}
}

func TestSettings(t *testing.T) {
	got := modeltest.Spec(t, Kind(), "", cdf.Roles{}, strictyaml.Decode("prior: {tau2_shape: 3, mu_variance: 2}")).Settings
	if got != (Settings{Prior{2, 3, .005, 1, 1}}) {
		t.Errorf("settings %+v", got)
	}
	modeltest.Refuses(t, Kind(), "", map[string]string{
		"prior: {mu_variance: -1}":    "prior.mu_variance must be finite and not negative (0 is flat), got -1",
		"prior: {tau2_shape: 0}":      "prior.tau2_shape must be positive and finite, got 0",
		"prior: {tau2_rate: .inf}":    "prior.tau2_rate",
		"prior: {sigma2_shape: .nan}": "prior.sigma2_shape",
		"prior: {sigma2_rate: -2}":    "prior.sigma2_rate",
		"prior: {tau2: 1}":            "tau2",
	})
}
