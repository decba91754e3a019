// Package methodtest drives baselines in tests, and compares them with exact
// posteriors.
package methodtest

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/kind"
	"github.com/credence-stream/credence/models/simulate"
	"github.com/credence-stream/credence/research/measure"
)

// Drive returns what takes a model through shards as the engine does, with the
// random streams of a seed. It asks for n draws per shard, none where n is 0.
func Drive(m cdf.Model, seed uint64, n int) *modeltest.Stepper {
	s := &modeltest.Stepper{Model: m, Seed: seed - 1} // to which it adds 1
	if n > 0 {
		s.Draws = Draws(m, n)
	}
	return s
}

// Draws has room for n draws of a model, also when ten groups have come.
func Draws(m cdf.Model, n int) *cdf.Draws {
	return &cdf.Draws{S: n, Chains: 1, Data: make([]float64, n*(Rows(m)+11))}
}

// Scenario returns a scenario of package simulate that must be there.
func Scenario(t testing.TB, name string) simulate.Scenario {
	t.Helper()
	s, ok := simulate.Lookup(name)
	if !ok {
		t.Fatalf("no scenario %s", name)
	}
	return s
}

// Rows returns the number of rows of Draws.
func Rows(m cdf.Model) int {
	n := 0
	for _, p := range m.Params() {
		n += p.Len
	}
	return n
}

// Summarize describes every parameter, in the order of Draws.
func Summarize(t testing.TB, m cdf.Model) []cdf.Row {
	t.Helper()
	return modeltest.Summarize(t, m, modeltest.Coefficients(Rows(m)-1))
}

// ChainFits fails unless mean and variance of a chain's draws are the given
// ones within 4 Monte Carlo standard errors: a false alarm in 8,000 checks.
func ChainFits(t *testing.T, what string, x []float64, mean, sd float64) {
	t.Helper()
	var diag mcmc.Diagnostics
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

// Lookup returns a method of a kind that must be there, the model itself for "".
func Lookup(t testing.TB, model *kind.Kind, methods kind.Registry, name string) *kind.Kind {
	t.Helper()
	if name == "" {
		return model
	}
	k, ok := methods.Lookup(name)
	if !ok {
		t.Fatalf("%s has no competitor %s", model.Name, name)
	}
	return k
}
