package cdftest

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/credence-stream/credence/cdf"
)

// Suite is a model under test and data that it can take.
type Suite struct {
	// New returns a configuration of the model with `forget: 1`,
	// `scaling: first` and original units, a fresh one on every call.
	New func() *cdf.Spec
	// Shards returns the first n shards of a stream, the same for the same
	// seed. It has a few rows per shard, all of them usable, and
	// every group appears within the first 20 shards.
	Shards func(seed uint64, n int) []*cdf.Batch
	// Steps says that a row without a response is a missing observation, at
	// which time passes, rather than nothing.
	Steps bool
	// Evidence is how far joint evidences may miss each other, relative, where
	// they come from quadrature; 0 is 1e-6.
	Evidence float64
}

// TestModel checks the contract of a model. The data are those of
// Suite.Shards.
func TestModel(t *testing.T, newSpec func() *cdf.Spec, shards func(seed uint64, n int) []*cdf.Batch) {
	Suite{New: newSpec, Shards: shards}.Test(t)
}

// Test checks the contract, one subtest per case.
func (s Suite) Test(t *testing.T) {
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			if err := c.Check(s); err != nil {
				t.Errorf("%v\n%s", err, c.Explanation)
			}
		})
	}
}

// Case is one clause of the contract.
type Case struct {
	Name        string
	Explanation string
	check       func(Suite) error
}

// Check returns what breaks the clause, nil when it holds. A panic of the
// model is an error.
func (c Case) Check(s Suite) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return c.check(s)
}

// Cases returns the clauses of the contract.
func Cases() []Case {
	return slices.Concat(stateCases(), outputCases())
}

const key = "a/key"

// run takes a fresh filter through the shards and returns it with the
// snapshots after each of them.
func run(spec *cdf.Spec, shards []*cdf.Batch) (*cdf.Filter, [][]byte, error) {
	f := cdf.NewFilter(spec, key)
	var snaps [][]byte
	for _, b := range shards {
		if _, err := f.Update(b); err != nil {
			return nil, nil, err
		}
		snap, err := f.AppendBinary(nil)
		if err != nil {
			return nil, nil, err
		}
		snaps = append(snaps, snap)
	}
	return f, snaps, nil
}

// final returns a copy of the last summary of a run.
func final(spec *cdf.Spec, shards []*cdf.Batch) (*cdf.Summary, error) {
	f, _, err := run(spec, shards)
	if err != nil {
		return nil, err
	}
	return copied(f.Summary())
}

func copied(s *cdf.Summary, err error) (*cdf.Summary, error) {
	if err != nil {
		return nil, err
	}
	c := *s
	c.Rows, c.Scaling = slices.Clone(s.Rows), slices.Clone(s.Scaling)
	c.PriorDominated, c.WeakMixing = slices.Clone(s.PriorDominated), slices.Clone(s.WeakMixing)
	c.Covariance = slices.Clone(s.Covariance)
	c.Flags = slices.Clone(s.Flags)
	return &c, nil
}

// print shows a summary to the bit (%v of a float is exact): NaN equals NaN.
func print(s *cdf.Summary) string { return fmt.Sprintf("%+v", *s) }

func same(what string, got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	return fmt.Errorf("%s: snapshots of %d and %d bytes differ from byte %d on", what, len(got), len(want), at)
}

// clone returns a deep copy of a batch.
func clone(b *cdf.Batch) *cdf.Batch {
	c := *b
	c.Columns = slices.Clone(b.Columns)
	for i := range c.Columns {
		col := &c.Columns[i]
		col.Number, col.Int = slices.Clone(col.Number), slices.Clone(col.Int)
		col.Code, col.Levels = slices.Clone(col.Code), slices.Clone(col.Levels)
	}
	return &c
}

// edited returns a copy that f has changed.
func edited(b *cdf.Batch, f func(*cdf.Batch)) *cdf.Batch {
	c := clone(b)
	f(c)
	return c
}

// response returns the index of the response column.
func response(spec *cdf.Spec, b *cdf.Batch) int {
	name := spec.Columns.Response.Name
	if name == "" {
		name = "y"
	}
	return slices.IndexFunc(b.Columns, func(c cdf.Column) bool { return c.Name == name })
}

// joined returns the rows of all shards as one. Text columns must share
// their levels.
func joined(shards []*cdf.Batch) *cdf.Batch {
	all := clone(shards[0])
	for _, b := range shards[1:] {
		all.Rows += b.Rows
		for i := range all.Columns {
			c := &all.Columns[i]
			c.Number = append(c.Number, b.Columns[i].Number...)
			c.Int = append(c.Int, b.Columns[i].Int...)
			c.Code = append(c.Code, b.Columns[i].Code...)
		}
	}
	return all
}

// text shows an error that was the wrong one, or its absence.
func text(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}
