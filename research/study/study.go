// Package study holds the experiments of the C-DF paper (arXiv:1401.3632) and
// what runs them: data with a known truth, the methods that are compared, the
// figures they are judged by, and the figures that the paper prints.
package study

import (
	"fmt"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// Experiment is one of the paper's experiments.
type Experiment struct {
	Name  string
	About string // one line
	Kind  string // of the models
	// Columns are the roles of the data's columns. Nothing is scaled.
	Columns cdf.Roles
	Size    Size // what runs unless asked otherwise
	Quick   Size // what --quick runs
	Methods []Method
	// Reference is the method whose marginals the accuracy of the others is
	// measured against, "" for none. Without it accuracies are left out.
	Reference string
	// Open prepares the data and returns what makes a replication's.
	Open func(Options) (Open, error)
	// Measure returns the figures that a method is judged by over a stream of
	// the given number of shards.
	Measure func(shards int64) Measures
	// Drawn are the variables whose densities are drawn.
	Drawn []string
}

// Size is how much of an experiment runs.
type Size struct {
	Reps   int
	Shards int64
}

// Open makes the data of one replication, a function of the seed alone.
type Open func(seed uint64, shards int64) (*Stream, error)

// Options are what a run may change.
type Options struct {
	Seed    uint64
	Reps    int      // 0: the experiment's
	Shards  int64    // 0: the experiment's
	Methods []string // nil: all
	Quick   bool
	Data    string // path of the file that an experiment reads
	Keep    bool   // the draws of the first replication, see Job.Drawn
}

// size returns what runs under the options.
func (e *Experiment) size(o Options) Size {
	s := e.Size
	if o.Quick {
		s = e.Quick
	}
	if o.Reps > 0 {
		s.Reps = o.Reps
	}
	if o.Shards > 0 {
		s.Shards = o.Shards
	}
	return s
}

// Reduced says what --quick leaves out, "" where it is nothing.
func (e *Experiment) Reduced() string {
	if e.Quick == e.Size {
		return ""
	}
	return fmt.Sprintf("%s: %d replications of %d shards instead of %d of %d",
		e.Name, e.Quick.Reps, e.Quick.Shards, e.Size.Reps, e.Size.Shards)
}

// choose returns the methods that run: those asked for, or all where asked is
// nil, the reference first, because the others are compared with it.
func (e *Experiment) choose(asked []string) []*Method {
	var first, rest []*Method
	for i := range e.Methods {
		switch m := &e.Methods[i]; {
		case asked != nil && !slices.Contains(asked, m.Name):
		case m.Name == e.Reference:
			first = append(first, m)
		default:
			rest = append(rest, m)
		}
	}
	return append(first, rest...)
}

// Among returns those of the methods that the experiment has, nil for nil.
func (e *Experiment) Among(methods []string) []string {
	var out []string
	for _, name := range methods {
		if slices.ContainsFunc(e.Methods, func(m Method) bool { return m.Name == name }) {
			out = append(out, name)
		}
	}
	return out
}
