package anova

import (
	"math/rand/v2"
	"testing"
)

// Means of groups count where they tell of the levels: not those that are mostly noise, however many rows they have, nor those of so few rows
// that they have its shape.
func TestLevelsThatTell(t *testing.T) {
	for _, c := range []struct {
		name          string
		rows, s2      float64 // of each group; tau2 is 1
		groups, tells bool
	}{
		{"many rows", 50, 1, true, true},
		{"few rows, little noise", 1, .25, true, true},
		{"few rows, much noise", 1, .5, true, false},
		{"many rows, mostly noise", 1000, 1500, true, false},
		{"no groups", 0, 1, false, false},
	} {
		r := rand.New(rand.NewPCG(126, 2))
		m := &statistics{s2: c.s2, tau: moments{mean: 1}, mu: moments{mean: 3}}
		for c.groups && len(m.n) < 200 {
			m.n, m.ybar = append(m.n, c.rows), append(m.ybar, 2+r.ExpFloat64())
		}
		if got := m.oddLevels(); got != c.tells {
			t.Errorf("%s: odd levels %t, want %t", c.name, got, c.tells)
		}
	}
	if (&statistics{n: make([]float64, 50), ybar: make([]float64, 50)}).oddLevels() {
		t.Error("levels without a variance are odd")
	}
}
