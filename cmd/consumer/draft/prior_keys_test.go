package draft

import (
	"strconv"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// TestDraftsOfKeys: what keys and formulas learn by a draft is what least squares of each key say, in shards of any
// length, with units of the key's own; ordinary rows keep the defaults.
func TestDraftsOfKeys(t *testing.T) {
	usual := made{rows: 100, noise: 30, effect: [3]float64{2, 1e4}}
	little := made{rows: 100, noise: .3, effect: [3]float64{2, 1e4}}
	level := made{rows: 200, noise: .3, effect: [3]float64{2, 1e4, 500}, rare: 40}
	sorted := made{rows: 400, noise: 5, effect: [3]float64{20, 1e4}, sort: "a"}
	keys := func(m made, n int) (all []made) {
		for range n {
			all = append(all, m)
		}
		return all
	}
	for _, c := range []struct {
		name    string
		keys    []made
		unit    float64 // how many times as large the values of a key are as those of the one before
		formula string
		own     bool
	}{
		{"ordinary keys", keys(usual, 8), 1, "", false},
		{"ordinary keys, each in a unit", keys(usual, 8), 50, "", false},
		{"one key of eight has little noise", append(keys(usual, 7), little), 1, "", false},
		{"keys of little noise", keys(little, 8), 1, "", true},
		{"keys of little noise, each in a unit", keys(little, 8), 50, "", true},
		{"keys of little noise and of more", append(keys(little, 4), keys(usual, 4)...), 1, "", true},
		{"keys with a rare large effect", keys(level, 5), 1, "", true},
		{"sorted keys", keys(sorted, 4), 1, "", true},
		{"an ordinary formula", keys(usual, 1), 1, "y ~ a * b", false},
		{"a formula and little noise", keys(little, 1), 1, "y ~ a * b", true},
		{"a formula with a factor", keys(level, 1), 1, `y ~ a + b + C(level, ["often", "rare"])`, true},
		{"a formula of a logarithm", keys(little, 3), 1, "log(y) ~ a + b", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, unit := newProfile(), 1.
			for i, m := range c.keys {
				columns := m.columns(uint64(i))
				for j := range columns {
					for k := range columns[j].Number {
						columns[j].Number[k] *= unit
					}
				}
				p.Add(strconv.Itoa(i), &cdf.Batch{Rows: m.rows, Columns: columns})
				unit *= c.unit
			}
			w := Wish{Response: "y", Kind: "linear"}
			if c.formula != "" {
				w = Wish{Formula: c.formula, Kind: "linear"}
			}
			spec, m, text := draftedAs(t, p, w)
			if got := strings.Contains(text, "    settings: {prior: {"); got != c.own || got != (m.own != nil) {
				t.Fatalf("priors of the sample %v, want %v: %s", got, c.own, text)
			}
			if strings.Contains(text, "center:") && !strings.Contains(text, "or {name:") || c.formula == "" && !strings.Contains(text, "scaling: first") {
				t.Errorf("constants are not those of the key: %s", text)
			}
			if !c.own {
				return
			}
			if note := "priors are those of the sample: the default ones would"; !strings.Contains(text, "    # "+note) {
				t.Errorf("the reason is not there: %s", text)
			}
			all := m.samples(spec)
			if len(all) != len(c.keys) {
				t.Fatalf("%d keys have least squares", len(all))
			}
			for i := range all {
				for _, shard := range []int{7, 50, 2000} {
					if d, ok := all[i].distance(spec, shard); !ok || d.off > 1.3*m.off() || d.wider > 1.3 { // a quarter of the keys may be beyond the bounds
						t.Errorf("key %d in shards of %d: %+v", i, shard, d)
					}
				}
			}
		})
	}
}
