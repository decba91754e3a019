package study

import (
	"fmt"
	"math"
	"slices"

	"github.com/credence-stream/credence/research/measure"
)

// Figure is one number about one method in one replication.
type Figure struct {
	T      int64
	Metric string
	Value  float64
}

// Measures are the figures of an experiment.
type Measures struct {
	// At are the shards after which posteriors are compared with the
	// reference's, ascending.
	At []int64
	// Many are those of At after which they are compared by many draws.
	Many []int64
	// Shown are the shards at which the first replication, where it is kept,
	// takes as many draws, although moments are what is compared.
	Shown []int64
	All   []Measure
}

// Measure begins to follow one method through one stream. What it returns is
// called after every shard, in order, and returns the figures that are due.
type Measure func() func(*Look) ([]Figure, error)

// Params that a figure is of beside the main one carry the name in brackets,
// as in accuracy[sigma2].
func named(metric, of string) string {
	if of == "" {
		return metric
	}
	return fmt.Sprintf("%s[%s]", metric, of)
}

// upTo returns the shards of a stream at which the paper reports: those of at
// that it reaches, and its last one.
func upTo(shards int64, at ...int64) []int64 {
	at = slices.DeleteFunc(at, func(t int64) bool { return t >= shards })
	return append(at, shards)
}

// intervals reports coverage and length of the 95 % intervals of a parameter,
// averaged over its variables and over the shards every, 2 every, ... so far;
// with every = 0 they are those of the reported shard.
func intervals(param string, every int64, at []int64) Measure {
	return func() func(*Look) ([]Figure, error) {
		var cover, length, n float64
		return func(l *Look) ([]Figure, error) {
			due := slices.Contains(at, l.T)
			if every == 0 {
				cover, length, n = 0, 0, 0
			}
			if every > 0 && l.T%every == 0 || every == 0 && due {
				b := l.block(param, 0)
				cover += measure.Coverage(b.lo, b.hi, b.truth)
				length += measure.Length(b.lo, b.hi)
				n++
			}
			if !due || n == 0 {
				return nil, nil
			}
			return []Figure{{l.T, "coverage", cover / n}, {l.T, "length", length / n}}, nil
		}
	}
}

// errorsOf reports the mean squared error of a parameter's means.
func errorsOf(param string, at []int64) Measure { return squared("mse", param, 0, at) }

// errorsOfFirst is errorsOf for the first n variables.
func errorsOfFirst(n int, param string, at []int64) Measure {
	return squared(fmt.Sprint("mse", n), param, n, at)
}

func squared(metric, param string, n int, at []int64) Measure {
	return when(at, func(l *Look) ([]Figure, error) {
		b := l.block(param, n)
		return []Figure{{l.T, metric, measure.MSE(b.mean, b.truth)}}, nil
	})
}

// runningErrors is errorsOf averaged over all shards so far.
func runningErrors(param string, at []int64) Measure {
	return func() func(*Look) ([]Figure, error) {
		sum := 0.0
		return func(l *Look) ([]Figure, error) {
			b := l.block(param, 0)
			sum += measure.MSE(b.mean, b.truth)
			if !slices.Contains(at, l.T) {
				return nil, nil
			}
			return []Figure{{l.T, "mse", sum / float64(l.T)}}, nil
		}
	}
}

// when is a measure without memory, taken at the given shards.
func when(at []int64, f func(*Look) ([]Figure, error)) Measure {
	return func() func(*Look) ([]Figure, error) {
		return func(l *Look) ([]Figure, error) {
			if !slices.Contains(at, l.T) {
				return nil, nil
			}
			return f(l)
		}
	}
}

// marginal is a parameter whose accuracy is reported; variances are compared
// on the log scale.
type marginal struct {
	param string
	label string // in brackets behind the metric, "" for the main one
	log   bool
}

// accuracies reports 1 - 1/2 integral |p - q| of the marginal densities of
// method and reference, averaged over a parameter's variables, by kernel
// estimates from many draws of each.
func accuracies(at []int64, list ...marginal) Measure {
	return when(at, func(l *Look) ([]Figure, error) {
		if l.Other == nil || l.Draws == nil {
			return nil, nil
		}
		var out []Figure
		for _, m := range list {
			sum, n := 0.0, 0.0
			for i := range l.Rows {
				other := l.Other.draws[l.Rows[i].Variable]
				if !of(l.Rows[i].Variable, m.param) || other == nil {
					continue
				}
				x, y := l.Draws[i], other
				if m.log {
					x, y = measure.Logs(x), measure.Logs(y)
				}
				sum += measure.Overlap(x, y)
				n++
			}
			if n > 0 {
				out = append(out, Figure{l.T, named("accuracy", m.label), sum / n})
			}
		}
		return out, nil
	})
}

// normalAccuracies compares means and sds of a parameter with the
// reference's: accuracy is the overlap of the normal densities of these
// moments, bias_sd and sd_ratio are those of departure.
func normalAccuracies(param string, at []int64) Measure {
	return when(at, func(l *Look) ([]Figure, error) {
		if l.Other == nil {
			return nil, nil
		}
		overlap, shift, ratio := l.departure(param)
		return []Figure{{l.T, "accuracy", overlap}, {l.T, "bias_sd", shift}, {l.T, "sd_ratio", ratio}}, nil
	})
}

// relativeDeviances reports the summed distance of a parameter's means from the
// reference's, relative to their summed size.
func relativeDeviances(param string, at []int64) Measure {
	return when(at, func(l *Look) ([]Figure, error) {
		if l.Other == nil {
			return nil, nil
		}
		off, size := 0.0, 0.0
		for i := range l.Rows {
			if m, ok := l.Other.moments[l.Rows[i].Variable]; ok && of(l.Rows[i].Variable, param) {
				off += math.Abs(l.Rows[i].Mean - m[0])
				size += math.Abs(m[0])
			}
		}
		return []Figure{{l.T, "relative_deviance", off / size}}, nil
	})
}

// costs reports the seconds for all shards, the bytes of the state that goes
// from one shard to the next, and the mean effective sample size of the draws
// of a parameter.
func costs(param string, at []int64) Measure {
	return when(at, func(l *Look) ([]Figure, error) {
		snapshot, err := l.Filter.MarshalBinary()
		if err != nil {
			return nil, err
		}
		out := []Figure{{l.T, Seconds, l.Seconds}, {l.T, "state_bytes", float64(len(snapshot))}}
		if v := l.ess(param); !math.IsNaN(v) {
			out = append(out, Figure{l.T, "ess", v})
		}
		return out, nil
	})
}
