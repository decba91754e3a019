package models

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// Of a group without events the rows bound the effect from above alone. Its normal law is far too narrow, and so is, of few groups, the
// intercept's, as the page of poisson says. few_events tells of it where intervals of 95 % hold less than 90 % of the exact law.
func TestGroupWithoutEvents(t *testing.T) {
	type law struct{ sd, held float64 } // of the exact
	said := map[int]map[string]law{
		3:  {"u[g0]": {.32, .83}, "beta[intercept]": {.51, .85}},
		6:  {"u[g0]": {.62, .89}, "beta[intercept]": {.79, .93}},
		12: {"u[g0]": {.85, .92}, "beta[intercept]": {.95, .93}},
	}
	for groups := range said {
		k, _ := Lookup("poisson")
		spec, err := k.Spec("", cdf.Roles{Scaling: "none", Intercept: true, Groups: []cdf.Group{{Column: "g"}}, Features: []cdf.Feature{}}, strictyaml.Decode("{overdispersion: none}"))
		if err != nil {
			t.Fatal(err)
		}
		h := &handCountLevels{v: 1e4, prior: func(l float64) float64 { return l/2 - math.Log1p(math.Exp(l)/100) }}
		y, c := cdf.Column{Name: "y"}, cdf.Column{Name: "g", Type: cdf.Text}
		for g := range groups {
			c.Levels = append(c.Levels, fmt.Sprint("g", g))
			h.rows = append(h.rows, nil)
			for i := range 20 {
				v := 0.
				if g > 0 {
					v = float64((i + g) % (2 + g%3))
				}
				y.Number, c.Code = append(y.Number, v), append(c.Code, int32(g))
				h.rows[g] = append(h.rows[g], handCount{y: v, weight: 1})
			}
		}
		sum, err := cdf.NewFilter(spec, "key").Update(&cdf.Batch{Rows: len(y.Number), Columns: []cdf.Column{y, c}})
		if err != nil {
			t.Fatal(err)
		}
		if up := slices.Contains(sum.Flags, "few_events"); up != (groups < 12) {
			t.Errorf("%d groups: few_events is up: %v", groups, up)
		}
		h.solve()
		for i := range sum.Rows {
			q := &sum.Rows[i]
			b, _, _, u := h.marginals((q.Q75 - q.Q25) / 50)
			m := b
			switch q.Variable {
			case "beta[intercept]":
			case "u[g0]":
				m = &u[0]
			default:
				continue
			}
			_, sd := m.moments()
			ratio := q.SD / sd
			held, want := m.below(q.Q975)-m.below(q.Q025), said[groups][q.Variable]
			if !(math.Abs(ratio-want.sd) < .02 && math.Abs(held-want.held) < .01) {
				t.Errorf("%d groups: %s has %.3f of the sd by hand and holds %.3f, the page has %v", groups, q.Variable, ratio, held, want)
			}
		}
	}
}
