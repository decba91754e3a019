package linear

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

// Models of one configuration share nodes: what is asked of several in turn is what
// each says alone.
func TestNodesAreOfOnePosterior(t *testing.T) {
	row := modeltest.RegressionShard(rand.New(rand.NewPCG(3, 3)), 1, 3, true)
	list, dims := modeltest.Coefficients(3), cdf.Dims{Columns: modeltest.Columns(3), Intercept: true}
	ask := []func(m *Model) string{
		func(m *Model) string { return fmt.Sprint(modeltest.Summarize(t, m, list)) },
		func(m *Model) string {
			of := make([]float64, len(list))
			m.PriorSensitivity(list, of)
			return fmt.Sprint(of)
		},
		func(m *Model) string { m.post.known = false; return fmt.Sprint(m.LogEvidence()) },
		func(m *Model) string { score, err := m.Score(row, nil); return fmt.Sprint(score, err) },
	}
	pool, shared, alone := newScratch(), make([]*Model, 3), make([]*Model, 3)
	for shard := range 4 {
		for i := range shared {
			if shard == 0 {
				var errs [2]error
				shared[i], errs[0] = newModel(Defaults(), dims, pool)
				alone[i], errs[1] = New(Defaults(), dims)
				if errs != [2]error{} {
					t.Fatal(errs)
				}
			}
			// The last model has many rows.
			sh := modeltest.RegressionShard(rand.New(rand.NewPCG(uint64(i), uint64(shard))), 5+40*(i/2), 3, true)
			for _, m := range []*Model{shared[i], alone[i]} {
				d := modeltest.Stepper{Model: m}
				d.Must(t, sh, 1)
			}
		}
		r := rand.New(rand.NewPCG(4, uint64(shard)))
		for range 60 {
			i, what := r.IntN(3), ask[r.IntN(len(ask))]
			if got, want := what(shared[i]), what(alone[i]); got != want {
				t.Errorf("shard %d, model %d: %s\nwant %s", shard, i, got, want)
			}
		}
	}
}
