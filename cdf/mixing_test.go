package cdf_test

import (
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// stuck draws mu and theta in two chains of normal variates, which at some
// shards stay apart: "m" for mu, "t" for theta, "b" for both.
type stuck struct {
	recorder
	apart string // one letter per shard
}

func (stuck) Params() []cdf.Param {
	return []cdf.Param{{Name: "mu", Len: 1}, {Name: "theta", Len: 1}}
}
func (m stuck) Blocks() []cdf.Block { return []cdf.Block{m} }
func (stuck) Chains() int           { return 2 }
func (m stuck) Sample(s *cdf.Step) error {
	at := m.apart[s.T-1]
	for row, letter := range []byte("mt") {
		draws := s.Draws.Row(row)
		for i := range draws {
			draws[i] = s.RNG.NormFloat64()
			if i < len(draws)/2 && (at == letter || at == 'b') {
				draws[i]++
			}
		}
	}
	return nil
}

// openly hides the recorder's closed forms.
type openly struct{ cdf.Model }

func (o openly) Chains() int { return o.Model.(cdf.Sampler).Chains() }

func stuckSpec(apart string) *cdf.Spec {
	spec, shards, forget := recording(cdf.Roles{})
	spec.Draws = 400
	spec.New = func(d cdf.Dims) (cdf.Model, error) {
		return openly{stuck{recorder{d, shards, forget}, apart}}, nil
	}
	return spec
}

func TestWeakMixingIsTheFirstShardOrTwoInARow(t *testing.T) {
	spec := stuckSpec("mm.mbbt.t")
	want := [][]string{{"mu"}, {"mu"}, nil, nil, {"mu"}, {"mu", "theta"}, {"theta"}, nil, nil}
	f := cdf.NewFilter(spec, "k")
	for i := range want {
		sum := take(t, f, batch(num("y", 1)))
		if !slices.Equal(sum.WeakMixing, want[i]) {
			t.Errorf("shard %d: %q mix weakly, want %q (r_hat %g and %g)", i+1, sum.WeakMixing, want[i], sum.Rows[0].RHat, sum.Rows[1].RHat)
		}
		// A refused shard between two does not count.
		if _, err := f.Update(batch(num("z", 1))); err == nil {
			t.Fatal("a shard without a response column was absorbed")
		}
	}
}
