package poisson

import (
	"math/rand/v2"
	"testing"
)

// The fit ends where a further step is small, also where groups have no event and the variance of the effects may be large: a full
// step of such a group takes it from one side to the other, for ever.
func TestFitOfGroupsWithoutEventsSettles(t *testing.T) {
	for _, c := range []struct{ groups, without, times int }{{2, 1, 50}, {3, 1, 20}, {3, 2, 20}, {6, 1, 20}, {12, 6, 10}} {
		for _, over := range []string{none, lognormal} {
			s := Defaults()
			s.Overdispersion = over
			for seed := range uint64(10) {
				r := rand.New(rand.NewPCG(seed, 67))
				m := newTest(t, s, []string{"intercept"}, "group")
				w := new(work)
				f := &w.fit
				w.rows.reset(&m.shape)
				w.rows.appendShard(groupShard(r, groupRates(r, c.groups, c.without), c.times))
				m.stats.grow(&m.shape, 0, c.groups)
				w.design.fill(&m.shape, &m.stats, &w.rows)
				f.shape, f.stats, f.rows, f.design, f.m, f.s2e = &m.shape, &m.stats, &w.rows, &w.design, m.m, m.over.s2
				if !f.fit(true, &m.over) {
					t.Fatal("it is not finite")
				}
				f.gradient(f.now)
				if !f.factor(f.next, f.now.w) {
					t.Fatal("no factors")
				}
				f.solve(f.next, f.gradB, f.gradU)
				if size := max(largest(f.gradB), largest(f.gradU)); size > 1e-3 {
					t.Errorf("%d of %d groups without events, %s, seed %d: the next step is %g", c.without, c.groups, over, seed, size)
				}
			}
		}
	}
}
