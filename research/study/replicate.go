package study

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/credence-stream/credence/cdf"
)

// manyDraws is how many draws marginal densities are estimated from. Two exact
// samples of as many have an accuracy of measure.Floor(manyDraws, manyDraws).
const manyDraws = 10_000

// replication is one stream with what the methods are judged by.
type replication struct {
	e         *Experiment
	seed      uint64
	shards    int64
	stream    *Stream
	measures  Measures
	reference map[int64]*Posterior
	keep      func(method string, l *Look) // nil: nothing keeps draws
	tick      func(shards int64)
}

// seedOf returns the seed of a replication: the same on every machine and in
// whatever order replications run.
func seedOf(seed uint64, experiment string, rep int) uint64 {
	return cdf.NewStream(seed, experiment, int64(rep), "replication").Uint64()
}

// replicate runs the methods over one replication's data, the reference first,
// and returns the figures of each.
func (e *Experiment) replicate(ctx context.Context, open Open, methods []*Method, seed uint64, shards int64, keep func(string, *Look), tick func(int64)) ([][]Figure, error) {
	stream, err := open(seed, shards)
	if err != nil {
		return nil, err
	}
	r := &replication{
		e: e, seed: seed, shards: shards, stream: stream, measures: e.Measure(shards),
		reference: map[int64]*Posterior{}, keep: keep, tick: tick,
	}
	if keep == nil && (len(methods) == 0 || methods[0].Name != e.Reference) {
		r.measures.Many = nil // there is nothing to compare with
	}
	if keep != nil {
		r.measures.Many = append(r.measures.Many, r.measures.Shown...)
	}
	var out [][]Figure
	for _, m := range methods {
		figures, err := r.run(ctx, m)
		if err != nil {
			return nil, fmt.Errorf("method %s: %w", m.Name, err)
		}
		out = append(out, figures)
	}
	return out, nil
}

// filterKey is the key of the filter that a method runs in. Filters of other
// keys have other random streams.
const filterKey = "paper"

// run is one method on its way through a replication.
type run struct {
	*replication
	method  *Method
	spec    *cdf.Spec
	filter  *cdf.Filter
	follow  []func(*Look) ([]Figure, error)
	spent   time.Duration
	figures []Figure
}

// run takes a method through the stream and returns its figures.
func (r *replication) run(ctx context.Context, m *Method) ([]Figure, error) {
	spec, err := r.e.spec(m, r.seed)
	if err != nil {
		return nil, err
	}
	one := &run{replication: r, method: m, spec: spec, filter: cdf.NewFilter(spec, filterKey)}
	for _, begin := range r.measures.All {
		one.follow = append(one.follow, begin())
	}
	for t := int64(1); t <= r.shards; t++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !m.Batch {
			err = one.update(t, r.stream.Shard(t))
		} else if slices.Contains(r.measures.At, t) {
			one.filter, one.spent = cdf.NewFilter(spec, filterKey), 0
			err = one.update(t, r.stream.join(t))
		}
		if err != nil {
			return nil, err
		}
		r.tick(1)
	}
	return one.figures, nil
}

// update absorbs a batch, which leads to the state after shard t, and takes
// the figures that are due.
func (r *run) update(t int64, b *cdf.Batch) error {
	many := slices.Contains(r.measures.Many, t)
	var before []byte
	var err error
	if many {
		if before, err = r.filter.MarshalBinary(); err != nil {
			return err
		}
	}
	start := time.Now()
	sum, err := r.filter.Update(b)
	r.spent += time.Since(start)
	if err != nil {
		return err
	}
	look := &Look{
		T: t, Rows: sum.Rows, Filter: r.filter, Stream: r.stream, S: r.method.Draws,
		Truth: r.stream.Truth(t), Other: r.reference[t], Seconds: r.spent.Seconds(),
	}
	if many {
		if look.Draws, err = draw(r.spec, before, b, len(sum.Rows)); err != nil {
			return err
		}
		if r.keep != nil {
			r.keep(r.method.Name, look)
		}
	}
	if r.method.Name == r.e.Reference && slices.Contains(r.measures.At, t) {
		r.reference[t] = look.keep()
	}
	for _, f := range r.follow {
		due, err := f(look)
		if err != nil {
			return err
		}
		r.figures = append(r.figures, due...)
	}
	return nil
}

// draw returns at least manyDraws draws of every published row after a shard.
// It takes the shard into copies of the state before it, of as many keys and
// therefore random streams.
func draw(spec *cdf.Spec, before []byte, b *cdf.Batch, rows int) ([][]float64, error) {
	drawing := *spec
	drawing.Publish.Draws = true // closed forms draw only what is published
	out := make([][]float64, rows)
	w := cdf.NewWorkspace()
	for k := 0; len(out[0]) < manyDraws; k++ {
		f := w.NewFilter(&drawing, fmt.Sprintf("%s/%d", filterKey, k))
		if err := f.UnmarshalBinary(before); err != nil {
			return nil, err
		}
		if _, err := f.Update(b); err != nil {
			return nil, err
		}
		d := f.LastDraws()
		if d == nil {
			return nil, fmt.Errorf("%s draws nothing", spec.Kind)
		}
		for i := range out {
			out[i] = append(out[i], d.Row(i)...)
		}
	}
	return out, nil
}
