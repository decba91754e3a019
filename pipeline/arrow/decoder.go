package arrow

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/fault"
	"github.com/credence-stream/credence/pipeline"
)

// Limits bound what one record may ask for. Zero stands for the default.
type Limits struct {
	Record  int // bytes of a value; 32 MiB
	Rows    int // rows of a shard; 1,000,000
	Columns int // columns of a schema; 5,000
	// Memory bounds what large records are laid out in by all decoders that
	// share it, each until its Release. Its holders must not wait for anything
	// else. Nil: nothing is shared.
	Memory *pipeline.Budget
}

// A decoder's bookkeeping of schemas it has met. Larger ones are kept only
// while they are the last.
const (
	keptPlans  = 8
	keptSchema = 64 << 10
)

// expansion is how many times limits.record the bytes of a record may become
// when they are decompressed, and again when they are laid out as columns.
const expansion = 4

// errNoRows reports a stream without rows.
var errNoRows = fmt.Errorf("%w: no rows", cdf.ErrShard)

var _ pipeline.Decoder = (*Decoder)(nil)

// Decoder reads the values of input records. It is used by one goroutine at
// a time. Its buffers are kept from call to call.
type Decoder struct {
	limits Limits
	plans  []*plan // the last one used first
	plan   *plan
	rest   []byte // of the value, after the schema
	count  int    // messages in rest
	head   frame  // the first of them
	more   frame  // the one of the others that is looked at

	batch   cdf.Batch
	columns []cdf.Column
	wide    []bool // per field: an unsigned value above the largest int64 was met
	levels  [][]string
	first   uint64 // stamp of the first field in this call
	stamps  uint64 // given to fields so far, in all calls
	budget  int    // bytes that may still be laid out
	held    int64  // of limits.Memory

	floats  arena[float64]
	ints    arena[int64]
	codes   arena[int32]
	texts   texts
	dicts   []dictionary
	pieces  [][]byte // data buffers of the view column at hand
	offset  []int    // per view column of the batch at hand: data buffers before it
	inflate inflater
}

// NewDecoder returns a decoder that holds records to the limits.
func NewDecoder(limits Limits) *Decoder {
	return &Decoder{limits: Limits{
		Record: cmp.Or(limits.Record, 32<<20), Rows: cmp.Or(limits.Rows, 1_000_000), Columns: cmp.Or(limits.Columns, 5000),
		Memory: limits.Memory,
	}}
}

// Decode reads one complete Arrow IPC stream: a schema, then record batches
// whose rows together are the shard, then the end of stream, which may be
// missing. The batch aliases value and the decoder's buffers; it is valid
// until the next call, but its strings may be kept. Time is zero.
//
// Columns that cannot be read as numbers or labels are not in Columns; they
// are listed in Skipped. Columns of Arrow's null type are numbers, all NaN.
// Levels holds the labels that occur, in order of first appearance, however
// the column was encoded. Unsigned numbers above the largest int64 make their
// column Float in that shard: numbers to 53 bits, unfit for a group.
//
// pipeline.ErrDecode, wrapped, reports bytes that are not such a stream,
// cdf.ErrSchema too many columns, cdf.ErrShard no rows, too many rows or too
// many bytes, a fault.Error a panic.
func (d *Decoder) Decode(value []byte) (b *cdf.Batch, err error) {
	defer func() {
		if p := recover(); p != nil {
			// It must not end the process; nothing of this decoder is reused.
			held := d.held
			*d = *NewDecoder(d.limits)
			d.held = held
			b, err = nil, fault.Of(p)
		}
	}()
	if len(value) > d.limits.Record {
		return nil, fmt.Errorf("%w: %d bytes, more than limits.record (%d)", cdf.ErrShard, len(value), d.limits.Record)
	}
	if d.rest, err = d.schema(value); err != nil {
		return nil, err
	}
	rows, err := d.scan()
	if err != nil {
		return nil, err
	}
	d.occupy(rows)
	if err := d.prepare(rows); err != nil {
		return nil, err
	}
	if err := d.read(); err != nil {
		return nil, err
	}
	d.finish()
	d.rest, d.head = nil, frame{}
	return &d.batch, nil
}

// schema sets the plan for the stream and returns what follows the schema.
func (d *Decoder) schema(value []byte) ([]byte, error) {
	for i, p := range d.plans {
		if len(value) >= len(p.raw) && bytes.Equal(value[:len(p.raw)], p.raw) {
			if i > 0 {
				copy(d.plans[1:i+1], d.plans[:i])
				d.plans[0] = p
			}
			d.plan = p
			return value[len(p.raw):], nil
		}
	}
	m, end, _, err := next(value)
	if err != nil {
		return nil, foreign(value, err)
	}
	if end {
		return nil, damaged("no schema")
	}
	if m.kind != headerSchema {
		return nil, damaged("message of type %d where the schema belongs", m.kind)
	}
	p, err := newPlan(&m, value[:m.size], d.limits.Columns)
	if err != nil {
		return nil, err
	}
	if len(d.plans) > 0 && len(d.plans[0].raw) > keptSchema {
		d.plans = slices.Delete(d.plans, 0, 1)
	}
	if len(d.plans) == keptPlans {
		d.plans = d.plans[:keptPlans-1]
	}
	d.plans = slices.Insert(d.plans, 0, p)
	d.plan = p
	return value[m.size:], nil
}

// foreign names what producers send in place of an Arrow stream, whose bytes would be told
// of as lengths that make no sense; err for anything else.
func foreign(value []byte, err error) error {
	text := bytes.TrimLeft(value, " \t\r\n")
	switch {
	case bytes.HasPrefix(value, []byte("ARROW1")):
		return damaged("an Arrow file, where a stream is needed: write it by a stream writer, as pyarrow.ipc.new_stream is one")
	case bytes.HasPrefix(value, []byte("PAR1")):
		return damaged("a Parquet file, where an Arrow stream is needed")
	case len(text) > 0 && (text[0] == '{' || text[0] == '['):
		return damaged("text such as JSON, where an Arrow stream is needed: input.format says what records are")
	}
	return err
}

// scan walks the framing of the messages after the schema and returns the
// rows of the shard.
func (d *Decoder) scan() (int, error) {
	rows, b, last := 0, d.rest, byte(headerSchema)
	m := &d.head // most streams have no other
	for d.count = 0; ; d.count++ {
		if d.count == 1 {
			m = &d.more
		}
		end, marked, err := m.read(b)
		if err != nil {
			return 0, err
		}
		if end {
			if !marked && last != headerRecord {
				return 0, damaged("stream ends without a record batch")
			}
			// Some writers pad the end; anything else would be lost data.
			for _, c := range b[m.size:] {
				if c != 0 {
					return 0, damaged("%d bytes after the end of the stream", len(b)-m.size)
				}
			}
			break
		}
		switch m.kind {
		case headerRecord:
			n := m.meta.i64(m.head, 0)
			if m.meta.bad || n < 0 {
				return 0, damaged("record batch of %d rows", n)
			}
			if n > int64(d.limits.Rows-rows) {
				return 0, fmt.Errorf("%w: more rows than limits.rows (%d)", cdf.ErrShard, d.limits.Rows)
			}
			rows += int(n)
		case headerDictionary:
		default:
			return 0, damaged("message of type %d where a batch belongs", m.kind)
		}
		b, last = b[m.size:], m.kind
	}
	if rows == 0 {
		return 0, errNoRows
	}
	return rows, nil
}

// prepare makes room for rows rows of every column.
func (d *Decoder) prepare(rows int) error {
	p := d.plan
	d.budget = expansion * d.limits.Record
	if err := d.charge(rows, 8*p.numbers+8*p.ints+4*p.texts); err != nil {
		return err
	}
	d.floats.reset(rows * p.numbers)
	d.ints.reset(rows * p.ints)
	d.codes.reset(rows * p.texts)
	d.inflate.reset(expansion * d.limits.Record)
	d.texts.reset()
	d.first = d.stamps + 1
	d.stamps += uint64(len(p.fields))
	d.batch = cdf.Batch{Rows: rows, Skipped: p.skipped}
	d.columns = slices.Grow(d.columns[:0], len(p.fields))[:len(p.fields)]
	d.wide = slices.Grow(d.wide[:0], len(p.fields))[:len(p.fields)]
	clear(d.wide)
	for len(d.levels) < p.texts {
		d.levels = append(d.levels, nil)
	}
	for len(d.dicts) < len(p.dicts) {
		d.dicts = append(d.dicts, dictionary{})
	}
	for i := range p.dicts {
		d.dicts[i].clear()
	}
	texts := 0
	for i := range p.fields {
		f := &p.fields[i]
		d.columns[i] = cdf.Column{Name: f.name, Type: f.column()}
		if f.text() {
			if outgrown(16*cap(d.levels[texts]), 0) {
				d.levels[texts] = nil
			}
			d.columns[i].Levels = d.levels[texts][:0]
			texts++
		}
	}
	return nil
}

// charge takes n times size bytes from what the record may be laid out in.
func (d *Decoder) charge(n, size int) error {
	if size > 0 && n > d.budget/size {
		return fmt.Errorf("%w: its columns take more than %d times limits.record (%d bytes)",
			cdf.ErrShard, expansion, d.limits.Record)
	}
	d.budget -= n * size
	return nil
}

// read fills the columns from the messages, in their order: a dictionary may
// replace an earlier one.
func (d *Decoder) read() error {
	at, b := 0, d.rest
	m := &d.head
	for i := range d.count {
		if i > 0 {
			more, _, _, err := next(b)
			if err != nil {
				return err
			}
			d.head = more
		}
		b = b[m.size:]
		if m.kind == headerDictionary {
			if err := d.dictionary(m); err != nil {
				return err
			}
			continue
		}
		r, err := readRecord(&m.meta, m.head, m.body)
		if err != nil {
			return err
		}
		if err := d.record(&r, at); err != nil {
			return err
		}
		at += r.rows
	}
	return nil
}

// finish hands the columns over and keeps what grew.
func (d *Decoder) finish() {
	texts := 0
	for i := range d.columns {
		c := &d.columns[i]
		if c.Type == cdf.Text {
			d.levels[texts] = c.Levels
			texts++
		}
		if d.wide[i] {
			c.Type, c.Int = cdf.Float, nil
		}
	}
	d.batch.Columns = d.columns
}
