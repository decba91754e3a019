// Package replay turns rows into shards and sends them: it cuts each key's
// rows, numbers the shards and delivers them in order, at a given rate,
// through outages.
package replay

import (
	"iter"
	"math"
	"strings"

	"github.com/credence-stream/credence/cdf"
)

// Field is one column of the rows to cut.
type Field struct {
	Name string
	Type cdf.ColumnType
}

// Value is one value of a row. Which of its parts count is up to the type of
// its field.
type Value struct {
	Null   bool
	Number float64 // Float; Time in seconds since 1970; Bool as 0 or 1
	Int    int64   // Integer
	Text   string  // Text; copied when it is kept, so that it may alias a larger buffer
}

// Shard is the next rows of one key.
type Shard struct {
	Key   string
	N     int64      // 1 for the first shard of the key, then one more each
	Batch *cdf.Batch // valid until the next row of the key is added
}

// Cutter collects the rows of each key until there are enough for a shard.
// It holds the rows that are left over for every key, and no others.
type Cutter struct {
	fields []Field
	rows   int
	keys   map[string]*pending
	order  []*pending // by first appearance
}

// pending is the unfinished shard of one key.
type pending struct {
	key    string
	n      int64 // shards cut
	cut    bool  // the batch was handed out
	batch  cdf.Batch
	levels []map[string]int32 // per field, nil unless it is text
}

// NewCutter returns a Cutter of shards of the given number of rows, at least 1.
func NewCutter(fields []Field, rows int) *Cutter {
	return &Cutter{fields: fields, rows: rows, keys: map[string]*pending{}}
}

// Add takes one row, a value per field, and returns the key's shard when it
// has become complete. The row isn't kept.
func (c *Cutter) Add(key string, row []Value) (Shard, bool) {
	p := c.keys[key]
	if p == nil {
		p = c.newPending(strings.Clone(key))
		c.keys[p.key] = p
		c.order = append(c.order, p)
	}
	p.add(row)
	if p.batch.Rows < c.rows {
		return Shard{}, false
	}
	return p.shard(), true
}

// Rest yields the short shards that are left, in the order in which their keys
// appeared. Nothing may be added after.
func (c *Cutter) Rest() iter.Seq[Shard] {
	return func(yield func(Shard) bool) {
		for _, p := range c.order {
			if !p.cut && p.batch.Rows > 0 && !yield(p.shard()) {
				return
			}
		}
	}
}

func (c *Cutter) newPending(key string) *pending {
	p := &pending{
		key:    key,
		batch:  cdf.Batch{Columns: make([]cdf.Column, len(c.fields))},
		levels: make([]map[string]int32, len(c.fields)),
	}
	for i, f := range c.fields {
		p.batch.Columns[i] = cdf.Column{Name: f.Name, Type: f.Type}
		if f.Type == cdf.Text {
			p.levels[i] = map[string]int32{}
		}
	}
	return p
}

func (p *pending) shard() Shard {
	p.cut = true
	p.n++
	return Shard{Key: p.key, N: p.n, Batch: &p.batch}
}

func (p *pending) add(row []Value) {
	if p.cut {
		p.reset()
	}
	p.batch.Rows++
	for i, v := range row {
		col := &p.batch.Columns[i]
		if col.Type == cdf.Text {
			col.Code = append(col.Code, p.level(i, v))
			continue
		}
		switch {
		case v.Null:
			v.Number, v.Int = math.NaN(), 0
		case col.Type == cdf.Integer:
			v.Number = float64(v.Int)
		}
		col.Number = append(col.Number, v.Number)
		if col.Type == cdf.Integer {
			col.Int = append(col.Int, v.Int)
		}
	}
}

// level returns the code of a text value. Levels are numbered as they appear
// in the shard, so that equal rows give equal shards.
func (p *pending) level(field int, v Value) int32 {
	if v.Null {
		return -1
	}
	code, ok := p.levels[field][v.Text]
	if !ok {
		col := &p.batch.Columns[field]
		text := strings.Clone(v.Text)
		code = int32(len(col.Levels))
		p.levels[field][text] = code
		col.Levels = append(col.Levels, text)
	}
	return code
}

func (p *pending) reset() {
	p.cut = false
	p.batch.Rows = 0
	for i := range p.batch.Columns {
		c := &p.batch.Columns[i]
		c.Number, c.Int, c.Code = c.Number[:0], c.Int[:0], c.Code[:0]
		clear(c.Levels)
		c.Levels = c.Levels[:0]
		clear(p.levels[i])
	}
}
