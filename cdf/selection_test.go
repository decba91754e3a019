package cdf_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// tally is a closed form with one variable per group, which notes how many
// variables it was asked to describe at most.
type tally struct {
	recorder
	groups uint64
	asked  *int
}

func (m *tally) Params() []cdf.Param {
	return []cdf.Param{{Name: "mu", Len: 1}, {Name: "zeta", Len: int(m.groups)}, {Name: "sigma2", Len: 1}}
}
func (m *tally) Blocks() []cdf.Block { return []cdf.Block{m} }
func (m *tally) Absorb(s *cdf.Step) {
	for i, g := range s.Shard.Group[0] {
		if y := s.Shard.Y[i]; !math.IsNaN(y) {
			m.groups = max(m.groups, uint64(g)+1)
		}
	}
}
func (m *tally) AppendBinary(b []byte) ([]byte, error) { return binary.AppendUvarint(b, m.groups), nil }
func (m *tally) UnmarshalBinary(b []byte) error {
	m.groups, _ = binary.Uvarint(b)
	return nil
}
func (m *tally) Summarize(list []cdf.Functional, rows []cdf.Row) error {
	*m.asked = max(*m.asked, len(list))
	return m.recorder.Summarize(list, rows)
}

// TestPublishedGroups checks which groups a shard publishes and what the
// stored state describes, and that the rest costs the model nothing.
func TestPublishedGroups(t *testing.T) {
	const many = 1000
	levels := func(n int) cdf.Column {
		c := cdf.Column{Name: "g", Type: cdf.Integer}
		for i := range n {
			c.Int, c.Number = append(c.Int, int64(i)), append(c.Number, float64(i))
		}
		return c
	}
	for _, c := range []struct {
		name      string
		groups    int
		publish   string
		variables []string
		want      string // of the last shard; all: every variable
		asked     int
	}{
		{"all", many, "all", nil, "all", many + 2},
		{"all of too many", many + 1, "all", nil, "mu zeta[3] zeta[7] sigma2", 4},
		{"touched", 9, "touched", nil, "mu zeta[3] zeta[7] sigma2", 4},
		{"none", 9, "none", nil, "mu sigma2", 2},
		{"none of too many", many + 1, "none", nil, "mu sigma2", 2},
		{"touched and named", 9, "touched", []string{"zeta[7]", "zeta[1]", "m*"}, "mu zeta[7]", 2},
		{"named", 9, "all", []string{"zeta[1]"}, "zeta[1]", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec, shards, forget := recording(cdf.Roles{Features: []cdf.Feature{}, Groups: []cdf.Group{{Column: "g"}}})
			spec.Limits = cdf.Limits{}
			spec.Publish.Groups, spec.Publish.Variables = c.publish, c.variables
			asked := 0
			spec.New = func(d cdf.Dims) (cdf.Model, error) {
				return &tally{recorder: recorder{d, shards, forget}, asked: &asked}, nil
			}
			f := cdf.NewFilter(spec, "k")
			take(t, f, batch(levels(c.groups), num("y", make([]float64, c.groups)...)))
			asked = 0
			// A row without a response is predicted and touches nothing.
			sum := take(t, f, batch(whole("g", 7, 3, 7, 5), num("y", 1, 2, 3, math.NaN())))
			names := func(sum *cdf.Summary) string {
				var list []string
				for _, r := range sum.Rows {
					list = append(list, r.Variable)
				}
				return strings.Join(list, " ")
			}
			every := "mu "
			for i := range c.groups {
				every += fmt.Sprintf("zeta[%d] ", i)
			}
			every += "sigma2"
			want := c.want
			if c.want == "all" {
				want = every
			}
			if got := names(sum); got != want {
				t.Errorf("published %.99s, want %.99s", got, want)
			}
			if asked != c.asked {
				t.Errorf("the model described %d variables, want %d", asked, c.asked)
			}
			g := loaded(t, cdf.NewFilter(spec, "k"), state(t, f))
			for _, f := range []*cdf.Filter{f, g} {
				if sum, err := f.Summary(); err != nil || names(sum) != every {
					t.Errorf("the state describes %.99s (%v), want all variables", names(sum), err)
				}
			}
			// What the state was asked leaves what is published alone.
			if sum, err := f.Update(batch(whole("g", 3, 7), num("y", 1, 2))); err != nil || names(sum) != want {
				t.Errorf("then published %q (%v), want %q", names(sum), err, want)
			}
		})
	}
}

// TestLargeSummariesShareRoom: keys of one workspace are summarized in turns, and the
// variables of each are its own.
func TestLargeSummariesShareRoom(t *testing.T) {
	spec, shards, forget := recording(cdf.Roles{Features: []cdf.Feature{}, Groups: []cdf.Group{{Column: "g"}}})
	spec.Limits = cdf.Limits{}
	spec.New = func(d cdf.Dims) (cdf.Model, error) {
		return &tally{recorder: recorder{d, shards, forget}, asked: new(int)}, nil
	}
	together := cdf.NewWorkspace()
	var filters []*cdf.Filter
	var want [][]string
	for k, groups := range []int{1200, 1001, 1001} { // the last two have parameters alike
		g, y := whole("g"), num("y")
		for i := range groups {
			v := int64(1000*k + i)
			g.Int, g.Number, y.Number = append(g.Int, v), append(g.Number, float64(v)), append(y.Number, float64(i))
		}
		own := cdf.NewFilter(spec, "k")
		f := together.NewFilter(spec, "k")
		take(t, own, batch(g, y))
		take(t, f, batch(g, y))
		s, err := own.Summary()
		if err != nil || len(s.Rows) != groups+2 {
			t.Fatalf("%d variables of %d groups, %v", len(s.Rows), groups, err)
		}
		filters, want = append(filters, f), append(want, variables(s))
	}
	for _, k := range []int{0, 1, 2, 1, 0, 0} {
		if s, err := filters[k].Summary(); err != nil || !slices.Equal(variables(s), want[k]) {
			t.Errorf("key %d has other variables in a room that others used, %v", k, err)
		}
	}
}
