package probit

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/probit"
)

// Conditional density filtering with a window that holds every row is S-MCMC,
// to the bit; with one row less it is not, from the shard on that overflows.
func TestSMCMCIsAnInfiniteWindow(t *testing.T) {
	const rows, shards = 7, 12
	all := newBatches(rand.New(rand.NewPCG(1, 1)), shards, rows, []float64{1, -.5, .2}, 1)
	spec := func(method string, window int) *cdf.Spec {
		return specOf(t, method, 3, 64, 5, func(v any) {
			if s, ok := v.(*probit.Settings); ok {
				s.Window = window
			}
		})
	}
	run := func(s *cdf.Spec, n int) []float64 {
		f, sum := stream(t, s, all[:n])
		mean, sd := moments(sum)
		return slices.Concat(f.LastDraws().Data, mean, sd)
	}
	for n := 1; n <= shards; n++ {
		batch := run(spec("smcmc", 0), n)
		if !slices.Equal(run(spec("", rows*shards), n), batch) {
			t.Errorf("after %d shards a window of every row is not S-MCMC", n)
		}
		if same := slices.Equal(run(spec("", rows*shards-1), n), batch); same != (n < shards) {
			t.Errorf("after %d shards a window of all rows but one is S-MCMC: %t", n, same)
		}
	}
}

// Its state is every row and the draws.
func TestSMCMCKeepsEveryRow(t *testing.T) {
	all := newBatches(rand.New(rand.NewPCG(1, 2)), 30, 10, []float64{1, -.5, .2}, 1)
	length := func(n int) int {
		f, _ := stream(t, specOf(t, "smcmc", 3, 64, 5, nil), all[:n])
		b, err := f.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		return len(b)
	}
	if grown := length(30) - length(10); grown < 20*10*3*8 || grown > 20*10*3*8+20 {
		t.Errorf("20 shards of 10 rows of 3 columns add %d bytes", grown)
	}
}
