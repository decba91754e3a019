package dlm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// hard are shards of a series: of any number of rows, with gaps, in large units, far
// from 0, of a level that jumps, all the same.
func hard(r *rand.Rand, kind int) *cdf.Shard {
	y := make([]float64, 1+r.IntN(60))
	level := 0.0
	for i := range y {
		level = .9*level + r.NormFloat64()
		y[i] = level + .3*r.NormFloat64()
		switch kind {
		case 1:
			y[i] *= 1e6
		case 2:
			y[i] += 1e4
		case 3:
			y[i] += 40 * float64(i/30)
		case 4:
			y[i] = 2
		case 5:
			if i%3 > 0 {
				y[i] = math.NaN()
			}
		}
	}
	return rowsShard(y)
}

// Weights that a call left behind serve the state they are of and no other: a model
// says the same bits as one that was just loaded, whatever was asked before and of
// whichever model of the family.
func TestWeightsLeftBehind(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 5))
	settings, known := Defaults(), cdf.Dims{}
	settings.Mean = "known"
	f := newFamily(settings, true)
	fresh := func() *Model {
		m, err := newOnGrid(f, cdf.Dims{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	d := [2]modeltest.Stepper{{Model: fresh()}, {Model: fresh()}}
	functionals := each(Params())
	for range 300 {
		m := d[r.IntN(2)].Model.(*Model)
		switch r.IntN(5) {
		case 0:
			sh := hard(r, r.IntN(6))
			step := cdf.Step{Shard: sh, Forget: []float64{1, .95}[r.IntN(2)]}
			m.Absorb(&step)
			if m.failed {
				t.Fatal("not absorbed")
			}
		case 1:
			if _, err := m.Score(hard(r, 0), nil); err != nil {
				t.Fatal(err)
			}
		case 2:
			if err := m.Rescale(known, cdf.Affine{Factor: 1 + r.Float64()}, nil); err != nil {
				t.Fatal(err)
			}
		case 3:
			other := d[r.IntN(2)].Model.(*Model)
			b, err := other.AppendBinary(nil)
			if err == nil {
				err = m.UnmarshalBinary(b)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		b, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		own := newFamily(settings, true)
		loaded, err := newOnGrid(own, cdf.Dims{})
		if err == nil {
			err = loaded.UnmarshalBinary(b)
		}
		if err != nil {
			t.Fatal(err)
		}
		sh := hard(r, 0)
		a, _ := m.Score(sh, nil)
		if b, _ := loaded.Score(sh, nil); a.LogDensity != b.LogDensity {
			t.Fatalf("log density %v, want %v", a.LogDensity, b.LogDensity)
		}
		if a, b := m.LogEvidence(), loaded.LogEvidence(); a != b && !math.IsNaN(a) {
			t.Fatalf("evidence %v, want %v", a, b)
		}
		got, want := modeltest.Summarize(t, m, functionals), modeltest.Summarize(t, loaded, functionals)
		for i := range got {
			if got[i] != want[i] && !(math.IsNaN(got[i].Mean) || math.IsNaN(got[i].SD) || math.IsNaN(got[i].ESSBulk)) {
				t.Fatalf("%+v, want %+v", got[i], want[i])
			}
			if a, b := [2]float64{got[i].Mean, got[i].Median}, [2]float64{want[i].Mean, want[i].Median}; a != b && !math.IsNaN(a[0]) {
				t.Fatalf("%s: mean and median %v, want %v", got[i].Variable, a, b)
			}
		}
	}
}

// Products of factors that would overflow turn into logarithms in time: at every node
// they add up to those of the variances of the errors.
func TestProductsStayFinite(t *testing.T) {
	g, product := newGrid(true), make([]float64, nodes*nodes)
	g.start(10)
	for k := range product {
		product[k] = 1
	}
	const rows = 400
	for i := range rows {
		g.step(1, float64(i%5), product)
	}
	g.flush(product, make([]float64, nodes*nodes))
	for k, ld := range g.ld {
		phi, q, v, want := g.phi[k/nodes], g.q[k%nodes], 10.0, 0.0
		for range rows {
			p := phi*phi*v + q
			want += math.Log(p + 1)
			v = p / (p + 1)
		}
		if !(math.Abs(ld-want) < 1e-9*max(want, 1)) {
			t.Fatalf("phi %v, q %v: logarithms sum to %v, want %v", phi, q, ld, want)
		}
	}
}
