package example

import (
	"fmt"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
)

func levelSpec() *cdf.Spec {
	s, err := Kind().Spec("", cdf.Roles{}, nil)
	if err != nil {
		panic(err)
	}
	s.Draws = 100
	return s
}

func TestLevelKeepsTheContract(t *testing.T) {
	cdftest.TestModel(t, levelSpec, cdftest.LineShards)
}

// fromDraws hides everything but cdf.Model, Summarize among it.
type fromDraws struct{ cdf.Model }

func TestLevelFromDrawsKeepsTheContract(t *testing.T) {
	cdftest.TestModel(t, func() *cdf.Spec {
		spec := levelSpec()
		build := spec.New
		spec.New = func(d cdf.Dims) (cdf.Model, error) {
			m, err := build(d)
			return fromDraws{m}, err
		}
		return spec
	}, cdftest.LineShards)
}

func ExampleLevel() {
	spec := levelSpec()
	spec.Columns.Scaling, spec.Forget = "none", .5
	f := cdf.NewFilter(spec, "a/key")
	for _, y := range [][]float64{{1, 2, 3}, {6}} {
		sum, err := f.Update(&cdf.Batch{Rows: len(y), Columns: []cdf.Column{{Name: "y", Type: cdf.Float, Number: y}}})
		if err != nil {
			panic(err)
		}
		r := sum.Rows[0]
		fmt.Printf("t=%d n=%d n_eff=%.1f  %s %.3f (%.3f)\n", sum.T, sum.N, sum.NEff, r.Variable, r.Mean, r.SD)
	}
	// Output:
	// t=1 n=3 n_eff=3.0  mu 1.993 (0.576)
	// t=2 n=4 n_eff=2.5  mu 3.586 (0.631)
}
