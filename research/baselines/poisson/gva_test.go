package poisson

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/internal/accept"
	"github.com/credence-stream/credence/internal/modeltest"
	"github.com/credence-stream/credence/models/poisson"
	"github.com/credence-stream/credence/models/simulate"
	"github.com/credence-stream/credence/research/baselines/internal/methodtest"
)

// setting is how a test runs the Poisson model or its competitor.
type setting struct {
	method   string // gva, or "" for the streaming model
	prior    poisson.Prior
	features []string
	groups   []cdf.Group
	exposure string
}

func (c setting) spec(t testing.TB) *cdf.Spec {
	t.Helper()
	roles := cdf.Roles{Scaling: "none", Intercept: true, Features: []cdf.Feature{}, Groups: c.groups, Exposure: c.exposure}
	for _, name := range c.features {
		roles.Features = append(roles.Features, cdf.Feature{Name: name})
	}
	s := modeltest.Spec(t, methodtest.Lookup(t, poisson.Kind(), Competitors(), c.method), "", roles, func(v any) error {
		s := v.(*poisson.Settings)
		s.Prior, s.Overdispersion = c.prior, "none"
		return nil
	})
	s.Draws = 100
	return s
}

// run returns the last summary's rows by name.
func (c setting) run(t testing.TB, shards []*cdf.Batch) map[string]cdf.Row {
	t.Helper()
	f := cdf.NewFilter(c.spec(t), "k")
	out := map[string]cdf.Row{}
	for i, b := range shards {
		sum, err := f.Update(b)
		if err != nil {
			t.Fatalf("shard %d: %v", i+1, err)
		}
		for _, r := range sum.Rows {
			out[r.Variable] = r
		}
	}
	return out
}

// cut returns shards of n rows.
func cut(b *cdf.Batch, n int) []*cdf.Batch {
	var out []*cdf.Batch
	for lo := 0; lo < b.Rows; lo += n {
		hi := min(lo+n, b.Rows)
		part := &cdf.Batch{Rows: hi - lo, Columns: slices.Clone(b.Columns)}
		for i := range part.Columns {
			c := &part.Columns[i]
			switch c.Type {
			case cdf.Text:
				c.Code = c.Code[lo:hi]
			case cdf.Integer:
				c.Number, c.Int = c.Number[lo:hi], c.Int[lo:hi]
			default:
				c.Number = c.Number[lo:hi]
			}
		}
		out = append(out, part)
	}
	return out
}

// counts makes rows of counts with exposure: groups g, that appear one
// after the other, with an effect (sd .5) and a slope of x (.3), crossed
// with groups h (.4).
func counts(seed uint64, n int) *cdf.Batch {
	r := rand.New(rand.NewPCG(seed, 15))
	var u, slope, v [12]float64
	names := make([]string, len(u))
	for g := range u {
		u[g], slope[g], v[g] = .5*r.NormFloat64(), .3*r.NormFloat64(), .4*r.NormFloat64()
		names[g] = string(rune('a' + g))
	}
	x, e, y := make([]float64, n), make([]float64, n), make([]float64, n)
	g, h := make([]int32, n), make([]int32, n)
	for i := range n {
		g[i], h[i] = int32(r.IntN(min(12, 3+i/4))), int32(r.IntN(5))
		x[i], e[i] = r.NormFloat64(), .5+r.Float64()
		y[i] = simulate.Count(r, e[i]*math.Exp(.5+.3*x[i]+u[g[i]]+slope[g[i]]*x[i]+v[h[i]]))
	}
	return &cdf.Batch{Rows: n, Columns: []cdf.Column{
		{Name: "x", Type: cdf.Float, Number: x}, {Name: "e", Type: cdf.Float, Number: e}, {Name: "y", Type: cdf.Float, Number: y},
		{Name: "g", Type: cdf.Text, Code: g, Levels: names}, {Name: "h", Type: cdf.Text, Code: h, Levels: names},
	}}
}

// settings are both priors of the groups, without and with a slope and a
// crossed factor.
func settings(method string) []setting {
	var out []setting
	for _, group := range []string{"half-cauchy", "inverse-gamma"} {
		for _, factors := range [][]cdf.Group{{{Column: "g"}}, {{Column: "g", Slopes: []string{"x"}}, {Column: "h"}}} {
			c := setting{method: method, prior: poisson.Defaults().Prior, features: []string{"x"}, groups: factors, exposure: "e"}
			c.prior.Group = group
			out = append(out, c)
		}
	}
	return out
}

func (c setting) String() string {
	return fmt.Sprint(c.prior.Group, ", ", len(c.groups), " factors")
}

// A batch method keeps every row: "bounded" is not for it. With a slope and a
// crossed factor, whose fits take longest, only what concerns their state.
func TestKeepsTheContract(t *testing.T) {
	all := settings("gva")
	for _, c := range []setting{all[0], all[3]} {
		t.Run(c.String(), func(t *testing.T) {
			methodtest.Contract(t, cdftest.Suite{
				New: func() *cdf.Spec {
					spec := c.spec(t)
					spec.Columns.Scaling = "first"
					return spec
				},
				Shards: func(seed uint64, n int) []*cdf.Batch { return cut(counts(seed, 3*n), 3) },
			}, nil, func(clause string) bool {
				return clause == "bounded" || len(c.groups) > 1 && clause != "round trip" && clause != "hostile"
			})
		})
	}
}

// However the rows are cut, the fit is that of the streaming model to all of
// them in one shard, to the fit's own tolerances: 1e-3 sd, 1e-3 of an sd. Expanded
// once, as the streaming model does, the rows of the same shards miss it by more.
func TestGVAIsTheBatchFit(t *testing.T) {
	all := counts(3, 300)
	for _, c := range settings("gva") {
		stream := c
		stream.method = ""
		want := stream.run(t, []*cdf.Batch{all})
		far := func(got map[string]cdf.Row) (worst float64) {
			if len(got) != len(want) {
				t.Fatalf("%d variables, want %d", len(got), len(want))
			}
			for name, w := range want {
				r := got[name]
				d := max(math.Abs(r.Median-w.Median)/(w.Q975-w.Q025), math.Abs((r.Q975-r.Q025)/(w.Q975-w.Q025)-1))
				worst = max(worst, d)
			}
			return worst
		}
		for _, n := range []int{10, 75, 300} {
			accept.Range(t, "gva", fmt.Sprintf("%v, by %d rows: largest difference from one shard", c, n), far(c.run(t, cut(all, n))), 0, 1e-3, "seed 3")
		}
		if d := far(stream.run(t, cut(all, 10))); d < .01 {
			t.Errorf("%v: the streaming model is as near, %g: the comparison shows nothing", c, d)
		}
	}
}
