//go:build unix

package main

import "github.com/credence-stream/credence/cdf"

// flat compares the cost of a shard after 10,000 of them with that after
// 1,000: a stream must not become dearer as it goes on. Probit is left out,
// whose window moves from the first rows on.
func (b *bench) flat() error {
	if b.quick {
		return nil // the shards before take a minute
	}
	plain := cdf.Roles{Intercept: true}
	for _, c := range []struct {
		kind    string
		columns cdf.Roles
		shape   shape
	}{
		{"linear", plain, shape{rows: 4, columns: 2}},
		{"anova", grouped, shape{rows: 4, groups: 4}},
		{"dlm", cdf.Roles{}, shape{rows: 4}},
		{"compressed", cdf.Roles{}, shape{rows: 4, columns: 4}},
		{"poisson", grouped, shape{rows: 4, columns: 2, groups: 4, count: true}},
	} {
		var at [2]*here
		for i, seen := range []int{1000, 10_000} {
			f, err := newFilter(c.kind, c.columns, "{}", c.shape.several(seen)...)
			if err != nil {
				return err
			}
			at[i] = stream(f, c.shape.several(64)...)
		}
		if err := b.itself(line{c.kind + ", shard 10,000 against shard 1,000", micros("shard"), .95, "4 rows a shard"}, at[1], at[0]); err != nil {
			return err
		}
	}
	return nil
}
