package study

import (
	"math"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/research/measure"
)

// Look is what one method knows after a shard, beside what is true. It is
// valid during the call that it is passed to.
type Look struct {
	T       int64
	Rows    []cdf.Row // as published after shard T
	Truth   map[string]float64
	Draws   [][]float64 // many of each row of Rows, nil but at the shards in Measures.Many
	Other   *Posterior  // the reference's after the same shard, nil without one
	Filter  *cdf.Filter
	Stream  *Stream
	S       int     // draws per shard
	Seconds float64 // spent on all shards so far
}

// Posterior is what is kept of a reference after a shard.
type Posterior struct {
	moments map[string][2]float64 // mean and sd
	draws   map[string][]float64  // nil but at the shards in Measures.Many
}

// keep copies a posterior.
func (l *Look) keep() *Posterior {
	p := &Posterior{moments: map[string][2]float64{}, draws: map[string][]float64{}}
	for i := range l.Rows {
		r := &l.Rows[i]
		p.moments[r.Variable] = [2]float64{r.Mean, r.SD}
		if l.Draws != nil {
			p.draws[r.Variable] = l.Draws[i]
		}
	}
	return p
}

// block is the variables of a parameter whose truth is known.
type block struct{ mean, lo, hi, truth []float64 }

// block returns the variables called name or name[...] whose truth is known,
// in the order of publication, the first n of them where n > 0.
func (l *Look) block(name string, n int) block {
	var b block
	for i := range l.Rows {
		r := &l.Rows[i]
		truth, known := l.Truth[r.Variable]
		if !known || !of(r.Variable, name) {
			continue
		}
		b.mean, b.truth = append(b.mean, r.Mean), append(b.truth, truth)
		b.lo, b.hi = append(b.lo, r.Q025), append(b.hi, r.Q975)
		if len(b.mean) == n {
			break
		}
	}
	return b
}

// departure compares a parameter's variables with the reference's: the mean overlap
// of the normal densities of their moments, the root mean square of the misses of
// the means in sds of the reference, and the mean ratio of the sds.
func (l *Look) departure(param string) (overlap, shift, ratio float64) {
	n := 0.0
	for i := range l.Rows {
		r := &l.Rows[i]
		m, ok := l.Other.moments[r.Variable]
		if !ok || !of(r.Variable, param) {
			continue
		}
		z := (r.Mean - m[0]) / m[1]
		overlap += measure.NormalOverlap(r.Mean, r.SD, m[0], m[1])
		shift += z * z
		ratio += r.SD / m[1]
		n++
	}
	return overlap / n, math.Sqrt(shift / n), ratio / n
}

// of reports whether a variable belongs to the parameter of the given name.
func of(variable, name string) bool {
	rest, ok := strings.CutPrefix(variable, name)
	return ok && (rest == "" || rest[0] == '[')
}

// ess returns the mean bulk effective sample size of a parameter's variables,
// NaN where none is sampled.
func (l *Look) ess(name string) float64 {
	sum, n := 0.0, 0.0
	for i := range l.Rows {
		if r := &l.Rows[i]; of(r.Variable, name) && !math.IsNaN(r.ESSBulk) {
			sum += r.ESSBulk
			n++
		}
	}
	return sum / n
}
