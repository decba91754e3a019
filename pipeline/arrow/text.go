package arrow

import (
	"errors"
	"unicode/utf8"

	"github.com/credence-stream/credence/cdf"
)

// Reasons for which the text of a column cannot be read.
var (
	errText  = errors.New("text outside its buffer")
	errUTF8  = errors.New("text that is not UTF-8")
	errIndex = errors.New("index outside the dictionary")
)

// texts gives every text that it meets a number, so that a label costs one
// look-up a row and no allocation once it is known.
type texts struct {
	ids    map[string]int32
	labels []string
	// stamps hold, per text, the last field that met it and the code that
	// the text has there.
	stamps []stamp
	// codes hold the same for every field, where several batches take turns.
	codes map[place]int32
	bytes int
}

type stamp struct {
	field uint64
	code  int32
}

type place struct {
	field uint64
	text  int32
}

// The table starts anew when it holds more than this.
const (
	keptTexts     = 1 << 15
	keptTextBytes = 1 << 20
)

func (t *texts) reset() {
	if t.ids == nil || len(t.labels) > keptTexts || t.bytes > keptTextBytes {
		*t = texts{ids: make(map[string]int32)}
	}
	if len(t.codes) > keptTexts {
		t.codes = nil
	}
	clear(t.codes)
}

// number returns the number of text b.
func (d *Decoder) number(b []byte) (int32, error) {
	t := &d.texts
	id, known := t.ids[string(b)]
	switch {
	case known && t.stamps[id].field >= d.first: // it is in this record already
		return id, nil
	case !known && !utf8.Valid(b):
		return 0, errUTF8
	}
	// Also of a text that is known: whether a record is refused must not depend on those
	// before it.
	if err := d.charge(1, len(b)+64); err != nil || known {
		return id, err
	}
	s := string(b)
	id = int32(len(t.labels))
	t.ids[s] = id
	t.labels = append(t.labels, s)
	t.stamps = append(t.stamps, stamp{})
	t.bytes += len(b)
	return id, nil
}

// code returns the code of text id in field i, whose column is c.
func (d *Decoder) code(i int, c *cdf.Column, id int32) int32 {
	t, field := &d.texts, d.first+uint64(i)
	s := &t.stamps[id]
	if field == s.field {
		return s.code
	}
	s.field = field
	several := d.count > 1
	if several {
		if code, ok := t.codes[place{field, id}]; ok {
			s.code = code
			return code
		}
	}
	s.code = int32(len(c.Levels))
	c.Levels = append(c.Levels, t.labels[id])
	if several {
		if t.codes == nil {
			t.codes = make(map[place]int32)
		}
		t.codes[place{field, id}] = s.code
	}
	return s.code
}

// textData are the buffers of a text column: offsets into one buffer, or
// views into several.
type textData struct {
	layout
	at    []byte   // rows+1 offsets, or rows views
	data  []byte   // of offsets
	views [][]byte // of views
}

// textData opens the buffers of n > 0 texts.
func (d *Decoder) textData(l layout, r *record, buffer, extra, n int) (textData, error) {
	at, err := d.inflate.bytes(r, buffer)
	if err != nil {
		return textData{}, err
	}
	s := textData{layout: l, at: at}
	if l.kind == kindTextView {
		d.pieces = d.pieces[:0]
		for k := range extra {
			b, err := d.inflate.bytes(r, buffer+1+k)
			if err != nil {
				return s, err
			}
			d.pieces = append(d.pieces, b)
		}
		s.views = d.pieces
		if len(at) < 16*n {
			return s, errShort
		}
		return s, nil
	}
	if len(at) < l.width*(n+1) {
		return s, errShort
	}
	s.data, err = d.inflate.bytes(r, buffer+1)
	return s, err
}

// get returns text i.
func (s *textData) get(i int) ([]byte, error) {
	switch s.kind {
	case kindText:
		from, to := le.Uint32(s.at[4*i:]), le.Uint32(s.at[4*i+4:])
		if from > to || uint64(to) > uint64(len(s.data)) {
			return nil, errText
		}
		return s.data[from:to], nil
	case kindLargeText:
		from, to := le.Uint64(s.at[8*i:]), le.Uint64(s.at[8*i+8:])
		if from > to || to > uint64(len(s.data)) {
			return nil, errText
		}
		return s.data[from:to], nil
	}
	v := s.at[16*i : 16*i+16]
	n := uint64(le.Uint32(v))
	if n <= 12 {
		return v[4 : 4+n], nil
	}
	piece, from := uint64(le.Uint32(v[8:])), uint64(le.Uint32(v[12:]))
	if piece >= uint64(len(s.views)) {
		return nil, errText
	}
	b := s.views[piece]
	if from > uint64(len(b)) || n > uint64(len(b))-from {
		return nil, errText
	}
	return b[from : from+n], nil
}

// text reads a column of texts.
func (d *Decoder) text(i int, f *field, r *record, buffer, at int, valid []byte) error {
	c, n := &d.columns[i], r.rows
	s, err := d.textData(f.layout, r, buffer, d.extra(f), n)
	if err != nil {
		return inColumn(f, err)
	}
	codes := d.coded(c, at, n)
	for j := range codes {
		if valid != nil && valid[j>>3]>>(j&7)&1 == 0 {
			codes[j] = -1 // a view where nothing is may show anything
			continue
		}
		b, err := s.get(j)
		if err != nil {
			return inColumn(f, err)
		}
		// Views may show the same bytes many times over.
		if f.kind == kindTextView {
			if err := d.charge(1, len(b)); err != nil {
				return err
			}
		}
		id, err := d.number(b)
		if err != nil {
			return inColumn(f, err)
		}
		codes[j] = d.code(i, c, id)
	}
	return nil
}

// extra returns the data buffers of the view column f in the batch at hand.
func (d *Decoder) extra(f *field) int {
	if f.kind != kindTextView {
		return 0
	}
	return d.offset[f.views+1] - d.offset[f.views]
}

// coded returns c.Code of rows at to at+n, making c.Code first.
func (d *Decoder) coded(c *cdf.Column, at, n int) []int32 {
	if c.Code == nil {
		c.Code = d.codes.take(d.batch.Rows)
	}
	return c.Code[at : at+n]
}

// inColumn names the column that an error was met in. What exceeds a limit
// keeps its own class.
func inColumn(f *field, err error) error {
	if errors.Is(err, cdf.ErrShard) {
		return err
	}
	return damaged("column %.64q: %v", f.name, err)
}
