package quantity

import (
	"encoding/binary"
	"hash"
	"hash/fnv"
	"math"
	"strconv"
)

// Kind says what the figure of a quantity is.
type Kind string

// The kinds of quantities.
const (
	KindForm        Kind = "form"        // the law of a form of variables
	KindProbability Kind = "probability" // the probability of a comparison: its mean
	KindPrediction  Kind = "prediction"  // a new observation: mean, sd and interval
	KindQuantile    Kind = "quantile"    // a quantile of a form or of a new observation: its mean
)

// Quantity is a figure that is published beside the variables of a model.
type Quantity struct {
	Name string
	Kind Kind
	Form Form // of KindForm; of KindProbability the linear form that is positive where it holds
	// Cells are the columns of the row that a KindPrediction is of; Ahead, where
	// it is not 0, the steps to it from the newest row.
	Cells []Cell
	Ahead int
	// Level is that of a KindQuantile, in (0, 1). It is one of the Form where that has
	// terms, else of the prediction.
	Level float64
}

// Predicts reports that the figure is one of a new observation.
func (q *Quantity) Predicts() bool {
	return q.Kind == KindPrediction || q.Kind == KindQuantile && len(q.Form.Terms) == 0
}

// At returns the quantity's quantile at a level, which is called by the percentage, as
// sales[q95].
func (q *Quantity) At(level float64) Quantity {
	at := *q
	at.Kind, at.Level = KindQuantile, level
	at.Name += "[q" + strconv.FormatFloat(100*level, 'g', 10, 64) + "]"
	return at
}

// Cell is a column and its value, as text.
type Cell struct{ Column, Text string }

// Alert watches a figure: it rises once that exceeds Bound in For consecutive
// shards, and falls once it is below Clear in as many.
type Alert struct {
	Name         string
	When         string // as it was written
	Of           Quantity
	Bound, Clear float64 // Clear <= Bound
	For          int64   // at least 1
}

// Told says what a summary has of a quantity: a row of its name, or why there is
// none.
type Told struct {
	Name   string
	Kind   Kind
	Absent string // empty: there is a row
}

// Sum tells definitions of an alert apart.
func (a *Alert) Sum() uint64 {
	h := fnv.New64a()
	text := func(s string) {
		number(h, uint64(len(s)))
		_, _ = h.Write([]byte(s))
	}
	real := func(v float64) { number(h, math.Float64bits(v)) }
	text(a.When)
	real(a.Bound)
	real(a.Clear)
	number(h, uint64(a.For))
	q := &a.Of
	text(string(q.Kind))
	number(h, uint64(q.Ahead))
	for _, c := range q.Cells {
		text(c.Column)
		text(c.Text)
	}
	f := &q.Form
	text(string(f.Function))
	for _, v := range [...]float64{f.Const, f.Shift, f.Scale} {
		real(v)
	}
	for _, t := range f.Terms {
		text(t.Variable)
		real(t.Weight)
	}
	if q.Level != 0 {
		real(q.Level)
	}
	return h.Sum64()
}

func number(h hash.Hash64, v uint64) {
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, v))
}
