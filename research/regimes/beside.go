package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// beside is how far the posterior of a parameter behind a stream is from that of the same rows in one shard; NaN where the stream tells none of its
// variables, or one of both lists them as dominated by their prior.
type beside struct {
	shift float64 // root mean square over its variables of the difference of the means, in sds of the one shard
	width float64 // geometric mean of the stream's sds over those of the one shard
}

// far reports whether a stream says something else than the same rows at once, or is surer of it.
func (b beside) far() bool { return b.shift > 1 || b.width < .7 }

// mostFar is the share of the replicates without a flag up to which streams may be far from the same rows at once.
const mostFar = .1

// compare puts the last summary of an experiment beside that of its rows in one shard, for each parameter.
func compare(spec *cdf.Spec, e *experiment, stream *cdf.Summary, params []string) ([]beside, error) {
	once, err := cdf.NewFilter(spec, "once").Update(whole(e.shards))
	if err != nil {
		return nil, err
	}
	out, counts := make([]beside, len(params)), make([]float64, len(params))
	for i := range once.Rows {
		o := &once.Rows[i]
		p, at := slices.Index(params, param(o.Variable)), slices.IndexFunc(stream.Rows, func(r cdf.Row) bool { return r.Variable == o.Variable })
		if p < 0 || at < 0 || !(o.SD > 0) || slices.Contains(stream.PriorDominated, o.Variable) || slices.Contains(once.PriorDominated, o.Variable) {
			continue
		}
		s := &stream.Rows[at]
		shift := (s.Mean - o.Mean) / o.SD
		out[p].shift += shift * shift
		out[p].width += math.Log(s.SD / o.SD)
		counts[p]++
	}
	for p, n := range counts {
		out[p] = beside{math.Sqrt(out[p].shift / n), math.Exp(out[p].width / n)}
	}
	return out, nil
}

// whole returns the rows of all shards as one.
func whole(shards []*cdf.Batch) *cdf.Batch {
	all := &cdf.Batch{Time: shards[len(shards)-1].Time}
	for j, c := range shards[0].Columns {
		c.Number, c.Int = nil, nil
		for _, b := range shards {
			c.Number, c.Int = append(c.Number, b.Columns[j].Number...), append(c.Int, b.Columns[j].Int...)
		}
		all.Columns, all.Rows = append(all.Columns, c), len(c.Number)
	}
	return all
}

// apart returns, for each parameter, the share of the replicates whose stream is far from the same rows at once.
func (f *found) apart() []float64 {
	shares := make([]float64, len(f.params))
	for i := range f.outcomes {
		for p, b := range f.outcomes[i].beside {
			if b.far() {
				shares[p] += 1 / float64(len(f.outcomes))
			}
		}
	}
	return shares
}

// besides writes the shares of streams without a flag that are far from their rows at once.
func (f *found) besides(w io.Writer) {
	fmt.Fprint(w, "\nFar from the same rows in one shard, of the replicates without a flag after the tenth:")
	for p, share := range f.silent(1).apart() {
		fmt.Fprintf(w, "%s `%s` %.3f", map[bool]string{true: ",", false: ""}[p > 0], f.params[p], share)
	}
	fmt.Fprintln(w, ".")
}
