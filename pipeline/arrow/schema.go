package arrow

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/credence-stream/credence/cdf"
)

// kind is how the values of a column lie in its buffers.
type kind uint8

const (
	kindSkipped   kind = iota // a type that is not read
	kindNull                  // no buffers, every value null
	kindBool                  // bits
	kindSigned                // width bytes
	kindUnsigned              // width bytes
	kindFloat                 // width bytes
	kindTick                  // signed, per ticks a second
	kindDay                   // signed, days
	kindText                  // offsets of 4 bytes, text
	kindLargeText             // offsets of 8 bytes, text
	kindTextView              // views of 16 bytes, any number of texts
)

// layout is how the values of a column or of a dictionary are stored.
type layout struct {
	kind  kind
	width int
	per   int64
}

func (l layout) text() bool { return l.kind >= kindText }

// column returns what the values can serve as.
func (l layout) column() cdf.ColumnType {
	switch l.kind {
	case kindBool:
		return cdf.Bool
	case kindSigned, kindUnsigned:
		return cdf.Integer
	case kindTick, kindDay:
		return cdf.Time
	case kindText, kindLargeText, kindTextView:
		return cdf.Text
	default:
		return cdf.Float
	}
}

// field is a column that is read, and where it lies in a record batch.
type field struct {
	name string
	layout
	index  layout // of the indices of a dictionary column
	dict   int    // the column's dictionary in plan.dicts, -1: none
	node   int    // its FieldNode
	buffer int    // its first Buffer, not counting the data buffers of views before it
	views  int    // view columns before it
}

// slot is one dictionary of a stream.
type slot struct {
	id int64
	layout
}

// plan is what a schema message says.
type plan struct {
	raw     []byte // the whole message, framing included
	fields  []field
	skipped []cdf.Skipped
	dicts   []slot
	nodes   int // FieldNodes of a record batch
	buffers int // Buffers of a record batch, not counting the data buffers of views
	views   int // view columns
	numbers int // columns with Number
	ints    int // columns with Int
	texts   int // columns with Code
}

// maxDepth bounds the nesting of fields.
const maxDepth = 64

// planner reads one schema message.
type planner struct {
	plan
	f       *flat
	version int
	ids     map[int64]int // dictionary id to index in dicts
	visits  int
	named   int // bytes of names
}

// newPlan reads the schema message m, whose bytes raw it keeps a copy of.
// More than limit columns are cdf.ErrSchema.
func newPlan(m *frame, raw []byte, limit int) (*plan, error) {
	f := m.meta
	p := planner{f: &f, version: m.version}
	big := f.i16(m.head, 0, 0) != 0
	fields, at := f.vector(m.head, 1, 4)
	if f.bad {
		return nil, damaged("schema does not fit its bytes")
	}
	if big {
		return nil, damaged("big-endian data")
	}
	if n := len(fields) / 4; n > limit {
		return nil, fmt.Errorf("%w: %d columns, more than limits.columns (%d)", cdf.ErrSchema, n, limit)
	}
	for i := range len(fields) / 4 {
		if err := p.column(f.item(at, i)); err != nil {
			return nil, err
		}
	}
	p.raw = bytes.Clone(raw)
	done := p.plan
	return &done, nil
}

// column adds a top-level field to the plan.
func (p *planner) column(t table) error {
	name, _ := p.f.vector(t, 0, 1)
	c := field{dict: -1, node: p.nodes, buffer: p.buffers, views: p.views}
	values, err := p.visit(t, 0, true)
	if err != nil {
		return err
	}
	p.named += len(name)
	if p.named > len(p.f.b) {
		return damaged("schema names overlap")
	}
	if !utf8.Valid(name) {
		return damaged("column name that is not UTF-8")
	}
	c.name, c.layout = string(name), values.layout
	if c.kind == kindSkipped {
		p.skipped = append(p.skipped, cdf.Skipped{Name: c.name, Type: values.typ})
		return nil
	}
	if values.dictionary {
		c.index, c.dict = values.index, p.ids[values.id]
	}
	switch c.column() {
	case cdf.Text:
		p.texts++
	case cdf.Integer:
		p.ints++
		p.numbers++
	default:
		p.numbers++
	}
	p.fields = append(p.fields, c)
	return nil
}

// visited is what a field turned out to be.
type visited struct {
	layout
	typ        string
	dictionary bool
	id         int64
	index      layout
}

// visit reads field t and its children. counted says that the field has
// buffers in a record batch: the children of a dictionary have none.
func (p *planner) visit(t table, depth int, counted bool) (visited, error) {
	// A field takes more than eight bytes, so more visits than that mean
	// that tables are shared, and sharing can make a small message endless.
	if p.visits++; p.visits > len(p.f.b)/8 || depth > maxDepth {
		return visited{}, damaged("schema nested too deep")
	}
	code := p.f.u8(t, 2, 0)
	typ, _ := p.f.sub(t, 3)
	var v visited
	var buffers int
	v.layout, v.typ, buffers = p.typed(code, typ)
	if p.f.bad {
		return v, damaged("schema does not fit its bytes")
	}
	if buffers < 0 {
		return v, damaged("schema: %s", v.typ)
	}
	encoding, dictionary := p.f.sub(t, 4)
	if dictionary {
		v.dictionary, v.id = true, p.f.i64(encoding, 0)
		v.index = layout{kind: kindSigned, width: 4}
		if it, ok := p.f.sub(encoding, 1); ok {
			v.index, _, _ = p.integer(it)
		}
		if v.index.kind == kindSkipped {
			return v, damaged("schema: dictionary index width")
		}
		if err := p.dictionary(v.id, v.layout); err != nil {
			return v, err
		}
		v.typ = "dictionary of " + v.typ
		if v.kind == kindNull {
			v.kind = kindSkipped
		}
	}
	if counted {
		p.nodes++
		switch {
		case dictionary:
			p.buffers += 2
		default:
			p.buffers += buffers
			if code == typeBinaryView || code == typeUtf8View {
				p.views++
			}
		}
	}
	children, at := p.f.vector(t, 5, 4)
	for i := range len(children) / 4 {
		if _, err := p.visit(p.f.item(at, i), depth+1, counted && !dictionary); err != nil {
			return v, err
		}
	}
	if p.f.bad {
		return v, damaged("schema does not fit its bytes")
	}
	return v, nil
}

// dictionary notes the dictionary id, whose values lie as l says.
func (p *planner) dictionary(id int64, l layout) error {
	if i, ok := p.ids[id]; ok {
		if p.dicts[i].layout != l {
			return damaged("schema: dictionary %d has two types", id)
		}
		return nil
	}
	if p.ids == nil {
		p.ids = make(map[int64]int)
	}
	p.ids[id] = len(p.dicts)
	p.dicts = append(p.dicts, slot{id: id, layout: l})
	return nil
}
