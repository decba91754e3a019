package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/mcmc"
	"github.com/credence-stream/credence/models/kind"
)

// ranked is L, the draws that a truth is ranked among: ranks are 0 to 99.
const ranked = 99

// enlarge is how often the draws of a replicate are doubled, from the start
// of its stream, while a variable has an effective sample size below ranked.
const enlarge = 4

// outcome is what one replicate says about one variable.
type outcome struct {
	rank int     // draws below the truth
	u    float64 // the rank made continuous: uniform on (0, 1)
	z    float64 // (truth - published mean) / published sd, NaN where undefined
	// spread is the variance of z^2 under the posterior, of the ranked draws.
	spread float64
	inside [len(levels)]bool // the truth lies in the published interval
	ess    float64           // bulk, of all draws; +Inf where they are independent
}

// levels are the probabilities of the central intervals that are published.
var levels = [...]float64{.5, .9, .95}

// replication is all outcomes of a study: of[v][r] is variable v in the r-th
// replicate that was not refused.
type replication struct {
	variables []string
	of        [][]outcome
	refused   int
	refusal   error // of the first refused replicate
}

// replicate runs n replicates on all cores. The outcome of each is a function
// of the seed, the study and its number.
func (s *study) replicate(ctx context.Context, k *kind.Kind, seed uint64, n int) (*replication, error) {
	spec, err := s.spec(k, seed)
	if err != nil {
		return nil, err
	}
	all, refusals := make([][]outcome, n), make([]error, n)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			all[i], refusals[i], err = s.once(spec, i)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, fmt.Errorf("%s, %s: %w", s.kind, s.name, err)
	}
	out := &replication{}
	for _, t := range s.experiment(spec, 0).truth {
		out.variables = append(out.variables, t.Variable)
	}
	out.of = make([][]outcome, len(out.variables))
	for i := range n {
		if refusals[i] != nil {
			if out.refused++; out.refusal == nil {
				out.refusal = refusals[i]
			}
			continue
		}
		for v := range out.of {
			out.of[v] = append(out.of[v], all[i][v])
		}
	}
	return out, nil
}

func (s *study) stream(spec *cdf.Spec, i int, purpose string) *rand.Rand {
	return cdf.NewStream(spec.Seed, s.kind+"/"+s.name, int64(i), purpose)
}

func (s *study) experiment(spec *cdf.Spec, i int) experiment {
	return s.simulate(s.stream(spec, i, "experiment"))
}

// once runs replicate i. refused says that the filter did not take a shard.
func (s *study) once(spec *cdf.Spec, i int) (out []outcome, refused, err error) {
	e := s.experiment(spec, i)
	one := *spec
	for k := 0; ; k++ {
		f := cdf.NewFilter(&one, fmt.Sprintf("%s/%s/%d", s.kind, s.name, i))
		var sum *cdf.Summary
		for _, b := range e.shards {
			if sum, refused = f.Update(b); refused != nil {
				return nil, refused, nil
			}
		}
		if out, err = compare(&e, f, sum, s.stream(spec, i, "ties")); err != nil {
			return nil, nil, err
		}
		least := math.Inf(1)
		for _, o := range out {
			least = min(least, o.ess)
		}
		if s.draws == 0 || least >= ranked || k == enlarge {
			return out, nil, nil
		}
		one.Draws *= 2
	}
}

// compare ranks every truth among the thinned draws and holds it against the
// published moments and intervals.
func compare(e *experiment, f *cdf.Filter, sum *cdf.Summary, r *rand.Rand) ([]outcome, error) {
	draws := f.LastDraws()
	if draws == nil || draws.S < ranked {
		return nil, fmt.Errorf("fewer than %d draws are published", ranked)
	}
	var diagnostics mcmc.Diagnostics
	out := make([]outcome, len(e.truth))
	for v, t := range e.truth {
		i := 0
		for i < len(sum.Rows) && sum.Rows[i].Variable != t.Variable {
			i++
		}
		if i == len(sum.Rows) {
			return nil, fmt.Errorf("%s is not published", t.Variable)
		}
		row, x, o := &sum.Rows[i], draws.Row(i), &out[v]
		o.ess = math.Inf(1)
		if !f.SelfDescribing() {
			o.ess = diagnostics.ESSBulk(x, draws.Chains)
		}
		o.z = (t.Value - row.Mean) / row.SD
		o.rank, o.u, o.spread = rank(x, t.Value, row.Mean, row.SD, r)
		for k, q := range [...][2]float64{{row.Q25, row.Q75}, {row.Q05, row.Q95}, {row.Q025, row.Q975}} {
			o.inside[k] = q[0] <= t.Value && t.Value <= q[1]
		}
	}
	return out, nil
}

// rank thins the draws evenly and returns the rank of a truth among them,
// ties broken at random, the rank made continuous, and the variance of the
// squared standardised draws.
func rank(x []float64, truth, mean, sd float64, r *rand.Rand) (below int, u, spread float64) {
	ties := 0
	var sum, squares float64
	for i := range ranked {
		v := x[(2*i+1)*len(x)/(2*ranked)]
		if v < truth {
			below++
		} else if v == truth {
			ties++
		}
		z := (v - mean) / sd
		sum += z * z
		squares += z * z * z * z
	}
	below += r.IntN(ties + 1)
	m := sum / ranked
	return below, (float64(below) + r.Float64()) / (ranked + 1), squares/ranked - m*m
}
