package compressed

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
)

func newWork(t testing.TB, variant, settings string, rows, p int) *modeltest.Work {
	sh := modeltest.RegressionShard(rand.New(rand.NewPCG(1, 2)), rows, p, false)
	return &modeltest.Work{
		Model: newTest(t, variant, settings, modeltest.Columns(p)), Functionals: modeltest.Coefficients(p),
		Step: cdf.Step{Shard: sh, Forget: 1, RNG: rand.New(rand.NewPCG(1, 3))},
	}
}

func TestAllocates(t *testing.T) {
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) { newWork(t, form.variant, form.settings, 20, 6).AllocatesNothing(t, 5, 50) })
	}
}

// One shard of 100 rows with score, update and summary.
func BenchmarkShard(b *testing.B) {
	for _, c := range []struct{ name, variant, settings string }{
		{"sketch", "", "{}"}, {"sketch r=55", "", "rank: 55"}, {"exact", "", "statistics: exact"}, {"packed", "", "statistics: packed"},
		{"lean", "", "statistics: lean"}, {"fixed", "", "projection: fixed"},
	} {
		for _, p := range []int{50, 500, 1000} {
			b.Run(fmt.Sprintf("%s/p=%d", c.name, p), func(b *testing.B) { newWork(b, c.variant, c.settings, 100, p).Bench(b, 5) })
		}
	}
}
