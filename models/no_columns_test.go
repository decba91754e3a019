package models

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// A key without features and without an intercept, with groups where the kind takes them, is learnt and described, or refused by name
// before anything is learnt: nothing counts on a first column.
func TestNoColumns(t *testing.T) {
	for _, c := range [][2]string{
		{"linear", "{}"}, {"anova", "{}"}, {"dlm", "{}"}, {"probit", "{}"}, {"compressed", "{}"},
		{"poisson", "{}"}, {"poisson", "{buffer: 3}"}, {"poisson", "{overdispersion: none}"},
	} {
		t.Run(c[0]+c[1], func(t *testing.T) {
			k, ok := Lookup(c[0])
			if !ok {
				t.Fatal("no such kind")
			}
			roles := cdf.Roles{Features: []cdf.Feature{}}
			if k.Name == "anova" || k.Name == "poisson" {
				roles.Groups = []cdf.Group{{Column: "g"}}
			}
			spec, err := k.Spec("", roles, strictyaml.Decode(c[1]))
			if err != nil {
				t.Fatal(err)
			}
			spec.Seal()
			f := cdf.NewFilter(spec, "key")
			rng := rand.New(rand.NewPCG(3, 3))
			for shard := range 12 {
				b := &cdf.Batch{Rows: 20}
				y, g := make([]float64, b.Rows), cdf.Column{Name: "g", Type: cdf.Text}
				for i := range y {
					y[i] = math.Floor(2 * rng.Float64())
					g.Code = append(g.Code, int32(i%5))
				}
				for j := range 5 {
					g.Levels = append(g.Levels, strconv.Itoa(j))
				}
				b.Columns = []cdf.Column{g, {Name: "y", Number: y}}
				if _, err = f.Update(b); errors.Is(err, cdf.ErrSchema) || errors.Is(err, cdf.ErrShard) {
					if t.Log(err); shard > 0 || f.T() > 0 {
						t.Errorf("refused in shard %d, behind %d: %v", shard, f.T(), err)
					}
					return
				}
				if err != nil {
					t.Fatalf("shard %d: %v", shard, err)
				}
				if _, err := f.Summary(); err != nil {
					t.Fatalf("shard %d: %v", shard, err)
				}
			}
		})
	}
}
