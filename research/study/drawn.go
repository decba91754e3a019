package study

import (
	"math"
	"slices"
)

// Drawn is the posterior of one variable by one method, as draws.
type Drawn struct {
	Method   string
	T        int64 // after this shard
	Variable string
	Truth    float64   // NaN where nobody knows
	Draws    []float64 // at least 10,000
}

// Drawn returns the posteriors of the first replication at the shards where
// the experiment takes many draws, the reference first, by shard, those of its
// variables that it draws in the order of publication. There are none unless Options.Keep was set. It may
// be called once the job has ended.
func (j *Job) Drawn() []Drawn { return j.drawn }

// keeper returns what keeps the draws of a replication, nil but for the first
// and where nobody asks.
func (j *Job) keeper(rep int) func(method string, l *Look) {
	if rep > 0 || !j.keep {
		return nil
	}
	return func(method string, l *Look) {
		for i := range l.Rows {
			name := l.Rows[i].Variable
			if !slices.Contains(j.Experiment.Drawn, name) {
				continue
			}
			truth, known := l.Truth[name]
			if !known {
				truth = math.NaN()
			}
			j.drawn = append(j.drawn, Drawn{method, l.T, name, truth, l.Draws[i]})
		}
	}
}
