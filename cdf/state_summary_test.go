package cdf_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/cdftest"
	"github.com/credence-stream/credence/cdf/mcmc"
)

// mindful is the drawing model of cdftest with a state that tells of group g
// mean g and sd 2, and which notes the groups whose draws were not kept. It
// draws all of them on a matrix of its own.
type mindful struct {
	cdf.Model
	kept *int // rows of the last shard's Draws
}

func (m mindful) Chains() int { return m.Model.(cdf.Sampler).Chains() }

func (m mindful) Blocks() []cdf.Block { return []cdf.Block{mindfulBlock{m.Model.Blocks()[0], m}} }

type mindfulBlock struct {
	cdf.Block
	m mindful
}

func (b mindfulBlock) Sample(s *cdf.Step) error {
	n := 0
	for _, p := range b.m.Params() {
		n += p.Len
	}
	own := *s
	own.Draws = &cdf.Draws{S: s.Draws.S, Chains: s.Draws.Chains, Data: make([]float64, n*s.Draws.S)}
	if err := b.Block.Sample(&own); err != nil {
		return err
	}
	*b.m.kept = 0
	for i := range n {
		if row := s.Draws.Row(i); row != nil {
			copy(row, own.Draws.Row(i))
			*b.m.kept++
		}
	}
	return nil
}

func (m mindful) SummarizeState(list []cdf.Functional, rows []cdf.Row) error {
	for i, f := range list {
		if f.Param[0] == 0 { // mu
			continue
		}
		r := &rows[i]
		r.Mean, r.SD = f.Const+f.Weight[0]*float64(f.Param[0]-1), 2
		for k, q := range []*float64{&r.Q025, &r.Q05, &r.Q25, &r.Median, &r.Q75, &r.Q95, &r.Q975} {
			*q = r.Mean + float64(k-3)
		}
	}
	return nil
}

func mindfulSpec(kept *int) *cdf.Spec {
	spec := cdftest.Levels()
	spec.Columns.Scaling, spec.Limits.Groups = "none", 2000
	build := spec.New
	spec.New = func(d cdf.Dims) (cdf.Model, error) {
		m, err := build(d)
		return mindful{m, kept}, err
	}
	return spec
}

func variables(s *cdf.Summary) (names []string) {
	for i := range s.Rows {
		names = append(names, s.Rows[i].Variable)
	}
	return names
}

// TestFullSetOfAModelThatDraws: whatever is published, the filter and its
// stored state describe every variable and group; those of the last shard by
// its draws, which alone are kept, the others by the state.
func TestFullSetOfAModelThatDraws(t *testing.T) {
	for _, c := range []struct {
		name      string
		groups    int
		publish   string
		variables []string
		want      []string // of the second shard, which touches groups 7 and 3
		described int      // variables that the second shard's draws were kept of
	}{
		{"all", 1000, "all", nil, nil, 1001},
		{"too many", 1001, "all", nil, []string{"mu", "zeta[3]", "zeta[7]"}, 3},
		{"touched", 9, "touched", nil, []string{"mu", "zeta[3]", "zeta[7]"}, 3},
		{"none", 9, "none", nil, []string{"mu"}, 1},
		{"without mu", 9, "touched", []string{"zeta*"}, []string{"zeta[3]", "zeta[7]"}, 3},
		{"named", 9, "all", []string{"zeta[8]"}, []string{"zeta[8]"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept := 0
			spec := mindfulSpec(&kept)
			spec.Publish.Groups, spec.Publish.Variables = c.publish, c.variables
			f := cdf.NewFilter(spec, "k")
			g, y, every := whole("g"), num("y"), []string{"mu"}
			for i := range c.groups {
				g.Int, g.Number, y.Number = append(g.Int, int64(i)), append(g.Number, float64(i)), append(y.Number, float64(i%5))
				every = append(every, fmt.Sprintf("zeta[%d]", i))
			}
			take(t, f, batch(g, y))
			sum := take(t, f, batch(whole("g", 7, 3, 7), num("y", 1, 2, 3)))
			if c.want == nil {
				c.want = every
			}
			if got := variables(sum); !slices.Equal(got, c.want) {
				t.Errorf("published %q, want %q", got, c.want)
			}
			if kept != c.described {
				t.Errorf("the draws of %d variables were kept, want %d", kept, c.described)
			}
			published := map[string]cdf.Row{}
			for _, r := range sum.Rows {
				published[r.Variable] = r
			}
			if d := f.LastDraws(); len(d.Data) != len(sum.Rows)*d.S {
				t.Errorf("draws of %d variables, published are %d", len(d.Data)/d.S, len(sum.Rows))
			} else {
				for i := range sum.Rows {
					if m := mcmc.Quantile(slices.Sorted(slices.Values(d.Row(i))), .5); m != sum.Rows[i].Median {
						t.Errorf("%s has median %g, its draws %g", sum.Rows[i].Variable, sum.Rows[i].Median, m)
					}
				}
			}
			snap := state(t, f)
			stored := f.AppendSummary(nil)
			again := loaded(t, cdf.NewFilter(spec, "k"), snap)
			if err := again.RestoreSummary(stored); err != nil {
				t.Fatal(err)
			}
			for _, f := range []*cdf.Filter{f, again} {
				full, err := f.Summary()
				if err != nil || !slices.Equal(variables(full), every) {
					t.Fatalf("%d variables (%v), want %d", len(full.Rows), err, len(every))
				}
				for i, r := range full.Rows {
					if want, ok := published[r.Variable]; ok {
						if fmt.Sprint(r) != fmt.Sprint(want) {
							t.Errorf("%+v, published was %+v", r, want)
						}
					} else if strings.HasPrefix(r.Variable, "zeta") && kept < 1000 && (r.Mean != float64(i-1) || r.SD != 2 || !math.IsNaN(r.RHat) || !math.IsNaN(r.MCSEMean)) {
						t.Errorf("%+v is not what the state tells", r)
					}
				}
			}
			// Asking does not change what is stored, and less is published next.
			if !slices.Equal(again.AppendSummary(nil), stored) {
				t.Error("after a look the summary has other bytes")
			}
			if sum, err := again.Update(batch(whole("g", 3, 7), num("y", 1, 2))); err != nil || !slices.Equal(variables(sum), c.want) {
				t.Errorf("then published %q (%v)", variables(sum), err)
			}
		})
	}
}

// TestAnotherScaleIsNotMixedIn: rows of a stored summary keep their units
// until the next shard, and nothing in others is put beside them.
func TestAnotherScaleIsNotMixedIn(t *testing.T) {
	kept := 0
	spec := mindfulSpec(&kept)
	spec.Publish.Groups = "none"
	f := cdf.NewFilter(spec, "k")
	take(t, f, batch(whole("g", 1, 2), num("y", 1, math.Pi)))
	snap := state(t, f)
	changed := mindfulSpec(&kept)
	changed.Publish.Scale = "model"
	g := loaded(t, cdf.NewFilter(changed, "k"), snap)
	stored := f.AppendSummary(nil)
	if err := g.RestoreSummary(stored); err != nil {
		t.Fatal(err)
	}
	if s, err := g.Summary(); err != nil || !slices.Equal(variables(s), []string{"mu"}) {
		t.Errorf("%q, %v", variables(s), err)
	}
	if !slices.Equal(g.AppendSummary(nil), stored) {
		t.Error("the summary is stored again as if in the new scale")
	}
	take(t, g, batch(whole("g", 1), num("y", 2)))
	if s, err := g.Summary(); err != nil || len(s.Rows) != 3 {
		t.Errorf("after a shard %q, %v", variables(s), err)
	}
}
