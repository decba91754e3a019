// Package collinear finds columns of a sample that follow from others: whose effects no
// model can tell apart, however many rows come that are like these.
package collinear

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
)

// mostCells bounds what is kept: rows times columns.
const mostCells = 2_000_000

// Rows is a copy of the first rows of a sample, as many as fit. It is for one goroutine.
type Rows struct {
	keys    []string
	columns []cdf.Column
	codes   []map[string]int32 // of labels, per column of text
	mixed   []string           // columns that came in several types
	full    bool
}

// Add copies a batch of a key.
func (r *Rows) Add(key string, b *cdf.Batch) {
	if r.full = r.full || (len(r.keys)+b.Rows)*max(len(b.Columns), len(r.columns)) > mostCells; r.full {
		return
	}
	before := len(r.keys)
	key = strings.Clone(key)
	for range b.Rows {
		r.keys = append(r.keys, key)
	}
	for i := range b.Columns {
		r.add(&b.Columns[i], before, b.Rows)
	}
	for i := range r.columns {
		r.fill(i, len(r.keys))
	}
}

func (r *Rows) add(c *cdf.Column, before, rows int) {
	if slices.Contains(r.mixed, c.Name) {
		return
	}
	at := slices.IndexFunc(r.columns, func(known cdf.Column) bool { return known.Name == c.Name })
	if at < 0 {
		at = len(r.columns)
		r.columns = append(r.columns, cdf.Column{Name: strings.Clone(c.Name), Type: c.Type})
		r.codes = append(r.codes, map[string]int32{})
		r.fill(at, before)
	}
	own := &r.columns[at]
	kind, joined := Joined(own.Type, c.Type)
	if own.Type = kind; kind == cdf.Float {
		own.Int = nil
	}
	switch {
	case !joined:
		r.mixed = append(r.mixed, own.Name)
		r.columns, r.codes = slices.Delete(r.columns, at, at+1), slices.Delete(r.codes, at, at+1)
	case c.Type != cdf.Text:
		own.Number = append(own.Number, c.Number[:rows]...)
		if kind == cdf.Integer {
			own.Int = append(own.Int, c.Int[:rows]...)
		}
	default:
		for i := range rows {
			label, ok := c.Label(i)
			if !ok {
				own.Code = append(own.Code, -1)
				continue
			}
			code, known := r.codes[at][label]
			if !known {
				code, label = int32(len(own.Levels)), strings.Clone(label)
				r.codes[at][label], own.Levels = code, append(own.Levels, label)
			}
			own.Code = append(own.Code, code)
		}
	}
}

// Joined returns the type of a column that goes on with values of another: what one shard has
// as whole numbers and the next with fractions are numbers. False says that they are of no
// type together, and the first is returned.
func Joined(a, b cdf.ColumnType) (cdf.ColumnType, bool) {
	if a != b && (a == cdf.Float || a == cdf.Integer) && (b == cdf.Float || b == cdf.Integer) {
		return cdf.Float, true
	}
	return a, a == b
}

// Blank reports whether every value of a column is missing; an infinite one is there.
func Blank(c *cdf.Column) bool {
	return !slices.ContainsFunc(c.Number, func(v float64) bool { return !math.IsNaN(v) }) &&
		!slices.ContainsFunc(c.Code, func(code int32) bool { return code >= 0 })
}

// fill says of a column that the rows up to one have no value of it.
func (r *Rows) fill(at, rows int) {
	c := &r.columns[at]
	if c.Type == cdf.Text {
		for len(c.Code) < rows {
			c.Code = append(c.Code, -1)
		}
		return
	}
	for len(c.Number) < rows {
		c.Number = append(c.Number, math.NaN())
	}
	for c.Type == cdf.Integer && len(c.Int) < rows {
		c.Int = append(c.Int, 0)
	}
}

// Batch are the rows, as one shard, which it does not copy.
func (r *Rows) Batch() *cdf.Batch { return &cdf.Batch{Rows: len(r.keys), Columns: r.columns} }

// Keyed are the rows of each key, of those that have the most rows first, and of so many keys.
func (r *Rows) Keyed(most int) (all []*Rows) {
	of := byKey(r.keys)
	if len(of) == 1 {
		return []*Rows{r}
	}
	for _, key := range largest(of, most) {
		some := &Rows{columns: Pick(r.Batch(), of[key]).Columns}
		for range of[key] {
			some.keys = append(some.keys, key)
		}
		all = append(all, some)
	}
	return all
}

// Pick copies some rows of a batch.
func Pick(b *cdf.Batch, rows []int) *cdf.Batch {
	some := &cdf.Batch{Rows: len(rows)}
	for _, c := range b.Columns {
		if c.Number != nil {
			c.Number = at(c.Number, rows)
		}
		if c.Int != nil {
			c.Int = at(c.Int, rows)
		}
		if c.Code != nil {
			c.Code = at(c.Code, rows)
		}
		some.Columns = append(some.Columns, c)
	}
	return some
}

// byKey are the rows of each key.
func byKey(keys []string) map[string][]int {
	of := map[string][]int{}
	for i, key := range keys {
		of[key] = append(of[key], i)
	}
	return of
}

// largest are the keys that have the most rows.
func largest(of map[string][]int, most int) []string {
	order := slices.SortedFunc(maps.Keys(of), func(a, b string) int { return cmp.Or(cmp.Compare(len(of[b]), len(of[a])), strings.Compare(a, b)) })
	return order[:min(len(order), most)]
}
