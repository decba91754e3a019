package models

import (
	"fmt"
	"math"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/internal/strictyaml"
)

// joined is one shard of the rows of several.
func joined(all []*cdf.Batch) *cdf.Batch {
	out := &cdf.Batch{Time: all[len(all)-1].Time}
	for j, c := range all[0].Columns {
		c.Number, c.Code = nil, nil
		for _, b := range all {
			c.Number, c.Code = append(c.Number, b.Columns[j].Number...), append(c.Code, b.Columns[j].Code...)
		}
		out.Columns = append(out.Columns, c)
	}
	for _, b := range all {
		out.Rows += b.Rows
	}
	return out
}

// followWide compares a sketch that keeps all directions with the form that keeps X'X, and both with themselves where the rows come
// at once.
func followWide(seed uint64) (string, error) {
	k := newHandKey(seed, 76, 8)
	roles := k.roles(false)
	prior := "{}"
	if k.of(.6) {
		prior = fmt.Sprintf("{sigma2_shape: %v, sigma2_rate: %v, signal_shape: %v}", .2+3*k.Float64(), math.Pow(10, 4*k.Float64()-2), choose(k.chance, []float64{.5, 1, 3}))
	}
	if err := k.specify("compressed", "", roles, fmt.Sprintf("{statistics: exact, prior: %s}", prior)); err != nil {
		return prior, err
	}
	model, _ := Lookup("compressed")
	sketch, err := model.Spec("", roles, strictyaml.Decode(fmt.Sprintf("{prior: %s}", prior)))
	if err != nil {
		return k.about, err
	}
	sketch.Missing, sketch.Forget, sketch.ForgetPer = k.spec.Missing, k.spec.Forget, k.spec.ForgetPer
	f, g := cdf.NewFilter(k.spec, "key"), cdf.NewFilter(sketch, "key")
	var all []*cdf.Batch
	for shard := range 1 + k.IntN(6) {
		b := k.batch(choose(k.chance, []int{1, 1, 2, 3, 5, 12, 30, 80}), func(effect float64) float64 { return k.unit * (k.at + effect + k.NormFloat64()) })
		k.shards++
		one, err := f.Update(b)
		two, failed := g.Update(b)
		where := func(err error) error { return fmt.Errorf("shard %d: %w", shard+1, err) }
		if (err == nil) != (failed == nil) {
			return k.about, where(fmt.Errorf("%w, and a sketch %w", err, failed))
		}
		if err != nil {
			continue
		}
		all = append(all, b)
		if err := alike(one, two, 1e-5); err != nil {
			return k.about, where(fmt.Errorf("sketch: %w", err))
		}
		if k.spec.Forget < 1 || k.columnsLearnt() {
			continue
		}
		h := cdf.NewFilter(k.spec, "key")
		three, err := h.Update(joined(all))
		if err != nil {
			return k.about, where(err)
		}
		if one.N <= 50 || shard == 0 { // constants are those of all rows
			if err := alike(one, three, 1e-5); err != nil {
				return k.about, where(fmt.Errorf("at once: %w", err))
			}
		}
	}
	return k.about, nil
}

func (k *handKey) columnsLearnt() bool {
	for i := range k.columns {
		if k.columns[i].feature.LevelsFirst {
			return true
		}
	}
	return false
}

// alike compares the rows of summaries, parts of the spread between quantiles.
func alike(one, two *cdf.Summary, within float64) error {
	if len(one.Rows) != len(two.Rows) {
		return fmt.Errorf("%d variables, and %d", len(one.Rows), len(two.Rows))
	}
	for i := range one.Rows {
		a, b := &one.Rows[i], &two.Rows[i]
		p, q := quantilesOf(a), quantilesOf(b)
		for j := range p {
			if !(math.Abs(p[j]-q[j]) <= within*(p[6]-p[1])+1e-12*math.Abs(p[j])) {
				return fmt.Errorf("%+v, and %+v", *a, *b)
			}
		}
	}
	return nil
}

// TestWideByHand: a sketch of as many columns as it has directions is exact regression, however rows are cut.
func TestWideByHand(t *testing.T) { handSeeds(t, 80, followWide) }
