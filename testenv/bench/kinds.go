//go:build unix

package main

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// sketches compares the sketch of a wide regression with numpy's exact one.
func (b *bench) sketches() error {
	for _, n := range []int{10, 100, 1000} {
		work, err := regressionStream("compressed", n, 500)
		if err != nil {
			return err
		}
		l := line{fmt.Sprintf("compressed sketch p=500, n=%d against numpy", n), millis("shard"), 5, "posterior after each shard; numpy: the exact regression of p=500"}
		if err := b.against(l, work, b.peers.numpy, fmt.Sprintf("linear 500 %d", n)); err != nil {
			return err
		}
	}
	return nil
}

var grouped = cdf.Roles{Intercept: true, Groups: []cdf.Group{{Column: "g"}}}

// kinds measures the other kinds against what they shall cost.
func (b *bench) kinds() error {
	for _, c := range []struct {
		kind, name string
		columns    cdf.Roles
		shape      shape
		seen       int // shards before
		goal       figure
	}{
		{"anova", "anova, 1,000 groups, n=100", grouped, shape{rows: 100, groups: 1000}, 20, 50},
		{"poisson", "poisson, 1,000 groups, p=2, n=100", grouped, shape{rows: 100, columns: 2, groups: 1000, count: true}, 20, 2.6},
		{"dlm", "dlm, 4 rows", cdf.Roles{}, shape{rows: 4}, 100, .174},
	} {
		f, err := newFilter(c.kind, c.columns, "{}", c.shape.several(c.seen)...)
		if err != nil {
			return err
		}
		work := stream(f, c.shape.several(turns)...)
		if err := b.alone(line{c.name, millis("shard"), c.goal, "update with score and summary, to cost a fifth of what it did"}, work); err != nil {
			return err
		}
	}
	return b.many()
}

// many measures what grows with 100,000 groups of one key.
func (b *bench) many() error {
	const groups, rows = 100_000, 2000
	s := shape{rows: rows, columns: 2, groups: groups, count: true}
	f, err := newFilter("poisson", grouped, "{}", s.several(groups/rows)...)
	if err != nil {
		return err
	}
	describe := ours(func() error { _, err := f.Summary(); return err }, 1)
	seconds := unit{name: "s", scale: 1}
	if err := b.alone(line{"poisson, 100,000 groups: summary of all", seconds, .1, "2,000 rows a shard"}, describe); err != nil {
		return err
	}
	summary, err := f.Summary()
	if err != nil {
		return err
	}
	encoder, dst := arrow.NewEncoder(), []byte(nil)
	encode := ours(func() (err error) {
		dst, err = encoder.Append(dst[:0], posterior("poisson", summary), 64<<20)
		return err
	}, 1)
	if err := b.alone(line{"poisson, 100,000 groups: encode the summary of all", millis("posterior"), 8, "2,000 rows a shard"}, encode); err != nil {
		return err
	}
	if b.quick {
		return nil // a shard that touches as many took half a minute
	}
	defer b.with(effort{rounds: 3})() // a shard takes a second
	s = shape{rows: groups, groups: groups}
	if f, err = newFilter("anova", grouped, "{}", s.several(1)...); err != nil {
		return err
	}
	return b.alone(line{"anova, a shard that touches 100,000 groups", seconds, 1, "one row of each group"}, stream(f, s.several(1)...))
}
