package baselines

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/research/measure"
)

// driver takes a model through shards as the engine does.
type driver struct {
	model cdf.Model
	t     int64
	seed  uint64
	draws *cdf.Draws
}

// drive returns a driver that asks for s draws per shard, none where s is 0.
func drive(m cdf.Model, seed uint64, s int) *driver {
	d := &driver{model: m, seed: seed}
	if s > 0 {
		d.draws = &cdf.Draws{S: s, Chains: 1}
	}
	return d
}

func (d *driver) step(t testing.TB, sh *cdf.Shard, forget float64) {
	t.Helper()
	if err := d.model.Check(sh); err != nil {
		t.Fatal(err)
	}
	d.t++
	s := cdf.Step{Shard: sh, T: d.t, Forget: forget, RNG: rand.New(rand.NewPCG(d.seed, uint64(d.t)))}
	for _, b := range d.model.Blocks() {
		b.Absorb(&s)
		if d.draws != nil {
			d.draws.Data = sized(d.draws.Data, d.draws.S*rows(d.model))
			s.Draws = d.draws
		}
		if err := b.Sample(&s); err != nil {
			t.Fatalf("shard %d: %v", d.t, err)
		}
	}
}

// rows returns the number of rows of Draws.
func rows(m cdf.Model) int {
	n := 0
	for _, p := range m.Params() {
		n += p.Len
	}
	return n
}

// summarize describes every row of Draws.
func summarize(t testing.TB, m cdf.Model) []cdf.Row {
	t.Helper()
	f := make([]cdf.Functional, rows(m))
	for i := range f {
		f[i] = cdf.Functional{Name: "v", Param: []int{i}, Weight: []float64{1}}
	}
	out := make([]cdf.Row, len(f))
	if err := m.(cdf.Summarizer).Summarize(f, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// chainFits fails unless mean and variance of a chain's draws are the given
// ones within 4 Monte Carlo standard errors: a false alarm in 8,000 checks.
func chainFits(t *testing.T, what string, x []float64, mean, sd float64) {
	t.Helper()
	var diag cdf.Diagnostics
	squares := make([]float64, len(x))
	for i, v := range x {
		squares[i] = (v - mean) * (v - mean)
	}
	for _, c := range []struct {
		of        string
		got, want float64
		se        float64
	}{
		{"mean", measure.Mean(x), mean, diag.MCSEMean(x, 1)},
		{"variance", measure.Mean(squares), sd * sd, diag.MCSEMean(squares, 1)},
	} {
		if !(math.Abs(c.got-c.want) <= 4*c.se) {
			t.Errorf("%s of %s is %.5g, exactly %.5g, with standard error %.2g", c.of, what, c.got, c.want, c.se)
		}
	}
}

// near fails the test unless got is within tol of want.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.8g, want %.8g within %.2g", what, got, want, tol)
	}
}
