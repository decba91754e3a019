// Package draft is the command init: it looks at a sample of someone's data and
// drafts a configuration for it: what each column can serve as, which kind fits,
// and why.
package draft

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/collinear"
)

// mostDistinct bounds how many different values of a column are told apart.
const mostDistinct = 10_000

// Profile is what a sample says about its columns. It is for one goroutine.
type Profile struct {
	Rows    int
	Shards  int
	Keys    map[string]bool
	Events  bool      // shards are events, in which a column without values is of any type
	Of      int64     // rows of the file that the sample is of, -1: not known; 0: it is of a topic
	columns []*column // by first appearance
	skipped []cdf.Skipped
	rows    collinear.Rows
	first   collinear.Rows // the first shard of a file, for check
}

// column is what a sample says about one column.
type column struct {
	name     string
	kind     cdf.ColumnType
	mixed    bool // other shards have it in another type
	open     bool // no event had a value yet that would say its type
	there    int  // rows of shards that have it
	values   int  // not null
	infinite int

	// of numbers
	least, most float64
	mean, m2    float64 // m2: sum of squared distances from the mean
	whole       bool    // no fractions
	dates       bool    // whole days, if it holds times
	rising      bool    // never falls within a key
	falls       int     // from a row to the next of its key
	last        map[string]float64

	// within keys
	named  map[string]string // of labels: the last of each key
	after  int               // values that came after another of their key
	varies bool              // some key has two different ones

	counts map[string]int // of labels, for every type but Float
	exact  map[float64]int
	full   bool // more than mostDistinct different values
}

// newProfile returns the profile of an empty sample.
func newProfile() *Profile { return &Profile{Keys: map[string]bool{}} }

// Add takes a shard of a key into account.
func (p *Profile) Add(key string, b *cdf.Batch) {
	p.Rows += b.Rows
	p.Shards++
	p.Keys[key] = true
	if p.Events {
		b = p.valued(b)
	}
	p.rows.Add(key, b)
	if p.Shards == 1 && p.Of != 0 { // shards of a topic may differ in their columns
		p.first.Add(key, b)
	}
	for i := range b.Columns {
		c := p.columnOf(&b.Columns[i])
		c.there += b.Rows
		c.add(key, &b.Columns[i], b.Rows)
	}
	for _, s := range b.Skipped {
		if !slices.Contains(p.skipped, s) {
			p.skipped = append(p.skipped, cdf.Skipped{Name: strings.Clone(s.Name), Type: strings.Clone(s.Type)})
		}
	}
}

// valued returns the columns of a shard that have a value, and notes the others: which event
// comes first must not decide what they are.
func (p *Profile) valued(b *cdf.Batch) *cdf.Batch {
	some := *b
	some.Columns = nil
	for i := range b.Columns {
		in := &b.Columns[i]
		c := p.columnOf(in) // in the order of the record
		if !collinear.Blank(in) {
			some.Columns = append(some.Columns, *in)
		} else if c.values+c.infinite == 0 && !c.mixed {
			c.open = true
		}
	}
	return &some
}

// check returns why a model would refuse the first shard for its columns: what is wrong with
// those is wrong with all that come.
func (p *Profile) check(spec *cdf.Spec) error {
	first := p.first.Batch()
	if first.Rows == 0 {
		return nil // they were too many to keep
	}
	if _, err := cdf.NewFilter(spec, "").Check(first); errors.Is(err, cdf.ErrSchema) {
		return err
	}
	if all := p.rows.Batch(); spec.Columns.Formula != nil && all.Rows > 0 {
		// A baseline that no row of the sample has is none of a first shard's.
		if _, err := spec.Columns.Formula.Begin(all, spec.Limits.Columns, false); errors.Is(err, cdf.ErrSchema) {
			return err
		}
	}
	return nil
}

func (p *Profile) columnOf(c *cdf.Column) *column {
	if known := p.find(c.Name); known != nil {
		return known
	}
	fresh := &column{
		name: strings.Clone(c.Name), kind: c.Type, least: math.Inf(1), most: math.Inf(-1),
		whole: true, dates: true, rising: true, last: map[string]float64{}, named: map[string]string{}, counts: map[string]int{}, exact: map[float64]int{},
	}
	p.columns = append(p.columns, fresh)
	return fresh
}

func (p *Profile) find(name string) *column {
	i := slices.IndexFunc(p.columns, func(c *column) bool { return name == c.name })
	if i < 0 {
		return nil
	}
	return p.columns[i]
}

func (c *column) add(key string, in *cdf.Column, rows int) {
	kind, joined := collinear.Joined(c.kind, in.Type)
	switch {
	case c.open:
		kind = in.Type
	case !joined:
		c.mixed = true
		return
	}
	c.kind, c.open = kind, false
	for i := range rows {
		if in.Type == cdf.Text {
			if label, ok := in.Label(i); ok {
				c.values++
				c.label(label)
				c.follow(key, label)
			}
			continue
		}
		v := in.Number[i]
		switch {
		case math.IsNaN(v):
			continue
		case math.IsInf(v, 0):
			c.infinite++
			continue
		}
		c.number(v)
		if last, ok := c.last[key]; ok {
			c.after++
			if v < last {
				c.rising = false
				c.falls++
			}
			c.varies = c.varies || v != last
		}
		c.last[key] = v
		if kind != cdf.Float {
			label, _ := in.Label(i)
			c.label(label)
		}
	}
}

func (c *column) number(v float64) {
	c.values++
	c.least, c.most = min(c.least, v), max(c.most, v)
	c.whole = c.whole && v == math.Trunc(v)
	c.dates = c.dates && math.Mod(v, 86_400) == 0
	step := v - c.mean
	c.mean += step / float64(c.values)
	c.m2 += step * (v - c.mean)
	if _, ok := c.exact[v]; ok || len(c.exact) < mostDistinct {
		c.exact[v]++
	} else {
		c.full = true
	}
}

func (c *column) label(text string) {
	if n, ok := c.counts[text]; ok {
		c.counts[text] = n + 1
	} else if len(c.counts) < mostDistinct {
		c.counts[strings.Clone(text)] = 1
	} else {
		c.full = true
	}
}

// follow notes whether a label is that of the row before, of the same key.
func (c *column) follow(key, label string) {
	if c.varies {
		return
	}
	last, ok := c.named[key]
	if !ok {
		c.named[key] = strings.Clone(label)
		return
	}
	c.after++
	c.varies = last != label
}

// keyed reports a column that is the same in all rows of a key, and not in all keys. A few
// rows can be so by chance.
func (c *column) keyed() bool { return !c.varies && c.after >= fewRows && c.distinct() > 1 }

// recurs reports integers that come again and again, as the hours of each day do and the
// weeks of each patient; those of a clock do not.
func (c *column) recurs() bool { return c.kind == cdf.Integer && 2*c.distinct() <= c.values }

// distinct is how many different values there are, mostDistinct for more.
func (c *column) distinct() int { return max(len(c.counts), len(c.exact)) }

// sd is the standard deviation, 0 for fewer than two values.
func (c *column) sd() float64 {
	if c.values < 2 {
		return 0
	}
	return math.Sqrt(c.m2 / float64(c.values-1))
}

func (c *column) numeric() bool { return c.kind != cdf.Text }

// binary reports values of 0 and 1, both of them there.
func (c *column) binary() bool {
	return c.numeric() && c.kind != cdf.Time && len(c.exact) == 2 && c.exact[0] > 0 && c.exact[1] > 0
}

// count reports whole numbers from 0 on that are more than a yes or no.
func (c *column) count() bool {
	return c.numeric() && c.kind != cdf.Time && c.kind != cdf.Bool && c.whole && c.least >= 0 && len(c.exact) > 2
}

// levels are the labels, the most frequent first.
func (c *column) levels() []string { return byFrequency(c.counts) }

// byFrequency returns texts, the most frequent first, then in byte order.
func byFrequency(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
}
