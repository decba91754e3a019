package dlm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// Statistics in other units are those of the series in these units. Where the prior
// has them too, the posterior of phi and tau2/sigma2 is the same in both, and so
// is the place of the grid: there is nothing but rounding between them.
func TestRescale(t *testing.T) {
	const factor = 20
	for _, mean := range []string{"known", "unknown"} {
		for _, forget := range []float64{1, .9} {
			s := Defaults()
			s.Mean = mean
			m := newTest(t, s)
			s.Prior.Sigma2Rate *= factor * factor
			s.Prior.Tau2Rate *= factor * factor
			want := newTest(t, s)
			d, w := modeltest.Stepper{Model: m}, modeltest.Stepper{Model: want}
			r := rand.New(rand.NewPCG(8, 9))
			level := 0.
			for range 40 {
				a, b := &cdf.Shard{Rows: 5}, &cdf.Shard{Rows: 5}
				for range 5 {
					level = .8*level + .5*r.NormFloat64()
					y := 1 + level + .4*r.NormFloat64()
					if r.IntN(10) == 0 {
						y = math.NaN()
					}
					a.Y, b.Y = append(a.Y, y), append(b.Y, factor*y)
				}
				d.Must(t, a, forget)
				w.Must(t, b, forget)
			}
			if !m.reserved {
				t.Fatal("the grid has its first place")
			}
			if err := m.Rescale(cdf.Dims{}, cdf.Affine{Factor: factor}, nil); err != nil {
				t.Fatal(err)
			}
			m.family = want.family
			for k, g := range []*grid{&m.grid, &m.reserve} {
				fields, others := g.fields(), []*grid{&want.grid, &want.reserve}[k].fields()
				for i, f := range fields {
					for at, v := range f {
						if e := math.Abs(v - others[i][at]); e > 1e-7*(1+math.Abs(others[i][at])) {
							t.Fatalf("mean %s, forget %g: grid %d, field %d, node %d: %g, want %g", mean, forget, k, i, at, v, others[i][at])
						}
					}
				}
			}
			d.Must(t, &cdf.Shard{}, 1)
			w.Must(t, &cdf.Shard{}, 1)
			sum, wanted := modeltest.Summarize(t, m, each(m.Params())), modeltest.Summarize(t, want, each(want.Params()))
			for i := range sum {
				got, want := sum[i].Numbers(), wanted[i].Numbers()
				for k, v := range got {
					if e := math.Abs(*v - *want[k]); e > 1e-7*(1+math.Abs(*want[k])) {
						t.Errorf("mean %s, forget %g: number %d of %d is %g, want %g", mean, forget, k, i, *v, *want[k])
					}
				}
			}
			if e := math.Abs(m.LogEvidence() - want.LogEvidence()); e > 1e-8 || math.IsNaN(e) != (forget < 1) {
				t.Errorf("mean %s, forget %g: the evidence is %g off", mean, forget, e)
			}
		}
	}
}
