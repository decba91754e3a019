package compressed

import (
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// The statistics are those of the rows with a response, each weighted by the
// discounts of the shards after its own.
func TestGramDiscountsAllStatistics(t *testing.T) {
	const p, forget = 3, .7
	g := newGram(p)
	var n, yy float64
	var xy [p]float64
	var xx [p][p]float64
	for k := range 3 {
		sh := wideRegression(uint64(20+k), 9, p)
		sh.Y[4] = math.NaN()
		g.Absorb(&cdf.Step{Shard: sh, T: int64(k + 1), Forget: forget})
		weight := math.Pow(forget, float64(2-k))
		for i, y := range sh.Y {
			if i == 4 {
				continue
			}
			n += weight
			yy += weight * y * y
			for a := range p {
				xy[a] += weight * sh.X[i*p+a] * y
				for b := range p {
					xx[a][b] += weight * sh.X[i*p+a] * sh.X[i*p+b]
				}
			}
		}
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("%s is %.15g, want %.15g", what, got, want)
		}
	}
	near("N", g.n, n)
	near("F^yy", g.yy, yy)
	for a := range p {
		near("f", g.xy[a], xy[a])
		for b := range p {
			near("F", g.xx[a*p+b], xx[a][b])
		}
	}
}
