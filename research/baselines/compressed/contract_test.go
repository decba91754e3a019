package compressed

import (
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models/compressed"
	"github.com/credence-stream/credence/research/baselines/internal/methodtest"
)

// build returns a model of a registered competitor.
func build(t testing.TB, method, settings string, d cdf.Dims) cdf.Model {
	t.Helper()
	return modeltest.Model(t, methodtest.Lookup(t, compressed.Kind(), Competitors(), method), "", strictyaml.Decode(settings), d)
}

func TestKeepsTheContract(t *testing.T) {
	for _, c := range [][2]string{
		{"smcmc", "dimension: 3"},
		{"vb-gdp", ""},
		{"vb-gdp", "iterations: 1"}, // far from the solution, shard after shard
	} {
		t.Run(c[0]+" "+c[1], func(t *testing.T) {
			modeltest.Contract(t, methodtest.Lookup(t, compressed.Kind(), Competitors(), c[0]), "", cdf.Roles{}, strictyaml.Decode(c[1]), cdftest.WideShards(6))
		})
	}
}
