package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/lin"
	"github.com/credence-stream/credence/internal/modeltest"
)

// The spread that is kept is that of the functional, and of the posterior, that it is asked of.
func TestSpreadIsKnown(t *testing.T) {
	for _, p := range []int{3, 40} {
		w := newWork(t, 500, p)
		m := w.Model.(*Model)
		list := []cdf.Functional{
			{Name: "a", Param: []int{0, 1, 2}, Weight: []float64{1, -2, .5}},
			{Name: "b", Param: []int{0, 1, 2}, Weight: []float64{1, -2, .25}},
			{Name: "c", Param: []int{0, 2}, Weight: []float64{1, -2}},
		}
		for shard := range 3 {
			w.Run(t)
			room := m.work()
			if err := m.prepare(room); err != nil {
				t.Fatal(err)
			}
			for _, i := range []int{0, 0, 1, 1, 2, 0} {
				f, got := &list[i], m.spread(room, &list[i])
				c := make([]float64, m.P)
				m.direction(room, f, c)
				m.atPlugin(c)
				if want := math.Sqrt(lin.Dot(c, c)); got != want {
					t.Fatalf("shard %d, functional %s: spread %v, want %v", shard, f.Name, got, want)
				}
			}
			m.scratch.Put(room)
			w.Step.Shard = modeltest.RegressionShard(rand.New(rand.NewPCG(1, uint64(shard))), 100, p, true)
		}
	}
}
