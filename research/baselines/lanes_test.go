package baselines

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/internal/strictyaml"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/kind"
)

// TestLanesSideBySide takes every method through lanes side by side, as replications of an
// experiment run.
func TestLanesSideBySide(t *testing.T) {
	small := map[string]string{"smc": "particles: 30", "pl": "particles: 30", "compressed smcmc": "dimension: 2", "vb-gdp": "iterations: 2"}
	for _, of := range models.Kinds().Names() {
		for _, method := range Names(of) {
			settings := small[method]
			if own, ok := small[of+" "+method]; ok {
				settings = own
			}
			t.Run(of+" "+method, func(t *testing.T) {
				k := lookup(t, of, method)
				columns := cdf.Roles{Intercept: true}
				if k.Groups != kind.NoGroups {
					columns.Groups = []cdf.Group{{Column: "g"}}
				}
				spec := modeltest.Spec(t, k, "", columns, strictyaml.Decode(settings))
				spec.Draws, spec.Columns.Features = 10, nil
				modeltest.SideBySide(t, spec, laneShards(k, 3))
			})
		}
	}
}

// laneShards returns n shards of twelve rows: zeros and ones, which every kind takes.
func laneShards(k *kind.Kind, n int) []*cdf.Batch {
	const rows = 12
	r := rand.New(rand.NewPCG(26, 12))
	shards := make([]*cdf.Batch, n)
	for s := range shards {
		y, g := make([]float64, rows), cdf.Column{Name: "g", Type: cdf.Text, Levels: []string{"a", "b", "c"}}
		b := &cdf.Batch{Rows: rows, Time: int64(1000 * (s + 1))}
		for j := range 3 {
			x := make([]float64, rows)
			for i := range x {
				x[i] = r.NormFloat64()
				y[i] += x[i]
			}
			if k.Features {
				b.Columns = append(b.Columns, cdf.Column{Name: "x" + strconv.Itoa(j+1), Type: cdf.Float, Number: x})
			}
		}
		for i := range y {
			g.Code = append(g.Code, int32(i%3))
			if y[i]+r.NormFloat64() > 0 {
				y[i] = 1
			} else {
				y[i] = 0
			}
		}
		if k.Groups != kind.NoGroups {
			b.Columns = append(b.Columns, g)
		}
		shards[s] = b
		b.Columns = append(b.Columns, cdf.Column{Name: "y", Type: cdf.Float, Number: y})
	}
	return shards
}
