//go:build unix

package main

import (
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/credence-stream/credence/cdf"
)

// shape says what shards look like.
type shape struct {
	rows, columns int
	groups        int  // 0: no column of groups
	binary, count bool // response; else a real one
}

// regression is the shape of most rows of the table.
func regression(rows, columns int) shape { return shape{rows: rows, columns: columns} }

// make returns a shard, whose groups begin at the given one.
func (s shape) make(r *rand.Rand, from int) *cdf.Batch {
	b := &cdf.Batch{Rows: s.rows}
	y := make([]float64, s.rows)
	for j := range s.columns {
		x := make([]float64, s.rows)
		for i := range x {
			x[i] = r.NormFloat64()
			y[i] += x[i] / math.Sqrt(float64(s.columns))
		}
		b.Columns = append(b.Columns, cdf.Column{Name: "x" + strconv.Itoa(j+1), Number: x})
	}
	if s.groups > 0 {
		g := cdf.Column{Name: "g", Type: cdf.Integer, Number: make([]float64, s.rows), Int: make([]int64, s.rows)}
		for i := range g.Int {
			g.Int[i] = int64((from + i) % s.groups)
			g.Number[i] = float64(g.Int[i])
			y[i] += math.Sin(g.Number[i])
		}
		b.Columns = append(b.Columns, g)
	}
	for i := range y {
		switch y[i] += r.NormFloat64(); {
		case s.binary && y[i] > 0:
			y[i] = 1
		case s.binary:
			y[i] = 0
		case s.count:
			y[i] = math.Floor(math.Exp(y[i] / 2))
		}
	}
	b.Columns = append(b.Columns, cdf.Column{Name: "y", Number: y})
	return b
}

// several returns shards whose groups follow each other.
func (s shape) several(n int) []*cdf.Batch {
	next := s.fresh()
	all := make([]*cdf.Batch, n)
	for i := range all {
		all[i] = next()
	}
	return all
}

// fresh returns what makes the next of such shards.
func (s shape) fresh() func() *cdf.Batch {
	r, from := rand.New(rand.NewPCG(1, 1)), -s.rows
	return func() *cdf.Batch {
		from += s.rows
		return s.make(r, from)
	}
}

// renew changes a number of a shard by its last bit, so that a shard that is
// absorbed again is another: what is sent twice is counted and told.
func renew(b *cdf.Batch) {
	first := &b.Columns[0]
	if first.Type == cdf.Integer {
		first = &b.Columns[len(b.Columns)-1]
	}
	first.Number[0] = math.Nextafter(first.Number[0], math.Inf(1))
}

// turns is how many shards are absorbed in turn, here and by the peers.
const turns = 4
