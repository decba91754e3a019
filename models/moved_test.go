package models_test

import (
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
)

// A column of probit in a hundredth of its unit is told by the model's window long before the engine's
// memory has let go of what was before, and once the engine tells it too the flag is still there once.
func TestAFlagThatModelAndEngineRaiseIsOne(t *testing.T) {
	k, _ := models.Lookup("probit")
	spec, err := k.Spec("", cdf.Roles{Scaling: "first", Features: []cdf.Feature{{Name: "x"}}, Intercept: true}, strictyaml.Decode("{chains: 4}"))
	if err != nil {
		t.Fatal(err)
	}
	spec.Limits, spec.Draws = cdf.Limits{}, 16
	spec.Seal()
	r := rand.New(rand.NewPCG(1, 87))
	f := cdf.NewFilter(spec, "key")
	const calm, shards, rows = 5, 50, 100
	for shard := range shards {
		x, y := make([]float64, rows), make([]float64, rows)
		for i := range x {
			if x[i] = r.NormFloat64(); x[i]+r.NormFloat64() > 0 {
				y[i] = 1
			}
			if shard >= calm {
				x[i] /= 100
			}
		}
		sum, err := f.Update(&cdf.Batch{Rows: rows, Time: int64(shard), Columns: []cdf.Column{
			{Name: "x", Type: cdf.Float, Number: x}, {Name: "y", Type: cdf.Float, Number: y},
		}})
		if err != nil {
			t.Fatal(err)
		}
		said := 0
		for _, flag := range sum.Flags {
			if flag == "scale_moved" {
				said++
			}
		}
		if said > 1 || shard < calm && said > 0 || shard >= calm+3 && said == 0 {
			t.Errorf("shard %d: the flags are %q", shard+1, sum.Flags)
		}
	}
}
