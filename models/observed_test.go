package models

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models/kind"
)

// What a shard's rows were predicted to be is what Predict says of them before the shard,
// with quantiles between that have the probabilities that they are named by; that it
// is told changes nothing of the state.
func TestObservedIsWhatWasPredicted(t *testing.T) {
	levels := [6]float64{.025, .1, .25, .75, .9, .975}
	for _, k := range Kinds() {
		for _, variant := range k.Variants {
			t.Run(k.Name+"/"+variant, func(t *testing.T) {
				s := streamOf(k)
				spec := s.spec(t, variant)
				spec.Draws = 200
				rng := rand.New(rand.NewPCG(7, 2))
				shards := []*cdf.Batch{s.shard(rng, 40), s.shard(rng, 30), s.shard(rng, 30)}
				f, plain := cdf.NewFilter(spec, "k"), cdf.NewFilter(spec, "k")
				f.Observe(5)
				for i, b := range shards {
					before, err := f.Predict(b)
					found := slices.Clone(before)
					if i > 0 && err != nil {
						t.Fatal(err)
					}
					updated(t, plain, []*cdf.Batch{b})
					tails := predictedAgain(t, k, spec, f, b)
					updated(t, f, []*cdf.Batch{b})
					seen := f.Observed()
					if i == 0 {
						if len(seen) != 0 {
							t.Errorf("%d rows of the first shard", len(seen))
						}
						continue
					}
					if len(seen) != 5 {
						t.Fatalf("%d rows", len(seen))
					}
					y := b.Columns[len(b.Columns)-1].Number
					for r, o := range seen {
						p := found[r]
						near := math.Abs(o.Q[0]-p.Q025)+math.Abs(o.Q[5]-p.Q975)+math.Abs(o.Mean-p.Mean) < 1e-9
						if o.Row != int64(r) || math.Abs(o.Y-y[r]) > 1e-12*(1+math.Abs(y[r])) || !near || !slices.IsSorted(o.Q[:]) {
							t.Errorf("shard %d: %+v, predicted %+v", i+1, o, p)
						}
					}
					if tails == nil {
						continue
					}
					for j, q := range seen[0].Q {
						if got := tails(q); math.Abs(got-levels[j]) > 1e-5 {
							t.Errorf("shard %d: below the quantile of %g is %g", i+1, levels[j], got)
						}
					}
				}
				if !bytes.Equal(state(t, f), state(t, plain)) {
					t.Error("the state depends on what is told")
				}
			})
		}
	}
}

// predictedAgain returns what tells the probability below a response of the
// first row as the filter predicts it now, nil of laws with masses.
func predictedAgain(t *testing.T, k *kind.Kind, spec *cdf.Spec, f *cdf.Filter, b *cdf.Batch) func(y float64) float64 {
	t.Helper()
	if f.T() == 0 || k.Response != kind.Real {
		return nil
	}
	now := cdf.NewFilter(spec, "k")
	if err := now.UnmarshalBinary(state(t, f)); err != nil {
		t.Fatal(err)
	}
	return func(y float64) float64 {
		c := *b
		c.Columns = slices.Clone(b.Columns)
		last := &c.Columns[len(c.Columns)-1]
		last.Number = slices.Clone(last.Number)
		last.Number[0] = y
		found, err := now.Predict(&c)
		if err != nil {
			t.Fatal(err)
		}
		return found[0].PIT
	}
}
