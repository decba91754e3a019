package linear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// What a factor becomes is the factor of the rows in the new units, discounted
// ones too, and so is the evidence.
func TestRescale(t *testing.T) {
	const p = 4
	y := cdf.Affine{Shift: 3, Factor: .2}
	x := []cdf.Affine{{Factor: 1}, {Shift: -2, Factor: 5}, {Shift: 1, Factor: 1}, {Factor: 30}}
	for _, forget := range []float64{1, .9} {
		r := rand.New(rand.NewPCG(5, 6))
		m, want := newTest(t, p), newTest(t, p)
		d, w := modeltest.Stepper{Model: m}, modeltest.Stepper{Model: want}
		for range 20 {
			sh := modeltest.RegressionShard(r, 8, p, true)
			other := &cdf.Shard{Rows: sh.Rows, Cols: p, X: slices.Clone(sh.X)}
			for i, v := range sh.Y {
				other.Y = append(other.Y, y.Shift+y.Factor*v)
				for j, v := range lin.Row(sh.X, p, i) {
					other.X[i*p+j] = x[j].Shift + x[j].Factor*v
				}
			}
			d.Must(t, sh, forget)
			w.Must(t, other, forget)
		}
		if err := m.Rescale(cdf.Dims{}, y, x); err != nil {
			t.Fatal(err)
		}
		d.Must(t, &cdf.Shard{Cols: p}, 1)
		size := lin.Dot(want.r, want.r)
		for i, v := range want.r {
			// A factor's rows are known up to their sign.
			if e := math.Abs(math.Abs(m.r[i]) - math.Abs(v)); e > 1e-13*math.Sqrt(size) {
				t.Errorf("forget %g: entry %d of the factor is %g, want %g", forget, i, m.r[i], v)
			}
		}
		if e := modeltest.Relative(m.s2, want.s2); e > 1e-9 {
			t.Errorf("forget %g: s2 is %g, want %g", forget, m.s2, want.s2)
		}
		if e := math.Abs(m.LogEvidence() - want.LogEvidence()); e > 1e-9 || math.IsNaN(e) != (forget < 1) {
			t.Errorf("forget %g: the evidence is %g off", forget, e)
		}
	}
}
