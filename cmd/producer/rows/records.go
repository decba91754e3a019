package rows

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/replay"
)

// recordSource reads the rows of Arrow records, wherever they come from.
type recordSource struct {
	name   string
	sel    Selection
	next   func() (arrow.Record, error) // io.EOF after the last; valid until the next call
	closer io.Closer

	about       // rows: -1 when unknown
	key     int // column, -1: none
	keyType cdf.ColumnType
	columns []int
	texts   []*reading // per column: how its text is read, nil where it is none

	record  arrow.Record
	i       int // next row of record
	row     int64
	ended   bool
	keys    getter
	getters []getter
	values  []replay.Value
	left    []bool // columns that are read no more; nil: none may be
}

// newRecordSource finds the selected columns in the schema.
func newRecordSource(name string, sel Selection, schema *arrow.Schema) (*recordSource, error) {
	s := &recordSource{name: name, sel: sel, about: about{rows: -1}}
	names := make([]string, schema.NumFields())
	for i, f := range schema.Fields() {
		names[i] = f.Name
	}
	var err error
	if s.key, s.columns, err = s.resolve(&s.sel, names); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	chosen := s.columns
	s.columns = nil
	for _, c := range chosen {
		f := schema.Field(c)
		t, ok := columnType(f.Type)
		if ok {
			s.fields = append(s.fields, replay.Field{Name: f.Name, Type: t})
			s.columns = append(s.columns, c)
			continue
		}
		// A column that was asked for by name must not go missing.
		span := ""
		if f.Type.ID() == arrow.DURATION {
			span = ", a span of time (write it as a number, as of seconds)"
		}
		what := fmt.Sprintf("column %q is %s%s, neither numbers nor text", f.Name, f.Type, span)
		if sel.Columns != nil {
			return nil, fmt.Errorf("%s: %w: %s", name, ErrInput, what)
		}
		s.notes = append(s.notes, what+": it is left out")
	}
	if len(s.columns) == 0 {
		return nil, fmt.Errorf("%s: %w: no column is left to send: %s", name, ErrInput, strings.Join(s.notes, "; "))
	}
	if s.key >= 0 {
		f := schema.Field(s.key)
		t, ok := columnType(f.Type)
		if !ok || t == cdf.Float || t == cdf.Time {
			return nil, fmt.Errorf("%s: %w: column %q is %s; a key is text, an integer or a boolean",
				name, ErrInput, f.Name, f.Type)
		}
		if f.Type.ID() == arrow.UINT64 {
			t = cdf.Text // half of them are beyond integers of shards
		}
		s.keyType = t
	}
	s.values = make([]replay.Value, len(s.fields))
	return s, nil
}

func (s *recordSource) Close() error { return s.closer.Close() }

func (s *recordSource) Next() (key string, row []replay.Value, err error) {
	// The Arrow library panics on files that are not what they say.
	defer recovered(s.name, &err)
	i := 0
	for skip := true; skip; {
		for s.record == nil || s.i == int(s.record.NumRows()) {
			if err := s.load(); err != nil {
				return "", nil, err
			}
		}
		i = s.i
		s.i++
		s.row++
		if key, skip, err = s.keyAt(i); err != nil {
			return "", nil, err
		}
	}
	for c, get := range s.getters {
		if s.left != nil && s.left[c] {
			s.values[c] = replay.Value{Null: true}
			continue
		}
		if s.values[c], err = get(i); err != nil && s.left != nil {
			s.left[c], s.values[c] = true, replay.Value{Null: true}
			s.note("column %q is left out: row %d: %s", s.fields[c].Name, s.row, reason(err))
			err = nil
		} else if err != nil {
			err = fmt.Errorf("%w; choose other columns with --columns", err)
		} else if s.texts != nil {
			err = s.interpret(c)
		}
		if err != nil {
			return "", nil, fmt.Errorf("%s: row %d: column %q: %w", s.name, s.row, s.fields[c].Name, err)
		}
	}
	return key, s.values, nil
}

// reason is an error of a value without the word that it has in common with all.
func reason(err error) string { return strings.TrimPrefix(err.Error(), ErrInput.Error()+": ") }

// load moves to the next record.
func (s *recordSource) load() error {
	record, err := s.next()
	switch {
	case errors.Is(err, io.EOF) && s.row == 0:
		return fmt.Errorf("%s: %w: no rows", s.name, ErrInput)
	case errors.Is(err, io.EOF):
		if !s.ended {
			s.ended = true
			s.keysMet(&s.sel)
		}
		return io.EOF
	case err != nil:
		return fmt.Errorf("%s: after row %d: %w: %w; %s", s.name, s.row, ErrInput, err, anew)
	}
	s.record, s.i = record, 0
	s.getters = s.getters[:0]
	for _, c := range s.columns {
		get, err := reader(record.Column(c), nil)
		if err != nil {
			return fmt.Errorf("%s: column %q: %w", s.name, record.ColumnName(c), err)
		}
		s.getters = append(s.getters, get)
	}
	if s.key >= 0 {
		if s.keys, err = keyReader(record.Column(s.key), s.sel.Null); err != nil {
			return fmt.Errorf("%s: column %q: %w", s.name, s.sel.KeyColumn, err)
		}
	}
	return nil
}

// keyAt returns the key of row i of the record, and whether the row is left out
// because it has none.
func (s *recordSource) keyAt(i int) (key string, skip bool, err error) {
	if s.key < 0 {
		return s.sel.Prefix + s.sel.Key, false, nil
	}
	own := ""
	v, err := s.keys(i)
	if err == nil {
		if !v.Null {
			own = keyText(v, s.keyType)
		}
		if key, skip, err = s.keyOf(&s.sel, own); err != nil {
			err = fmt.Errorf("%w: %w", ErrInput, err)
		}
	}
	if err == nil && !skip {
		err = replay.CheckKey(key)
	}
	if err != nil {
		return "", false, fmt.Errorf("%s: row %d: %w", s.name, s.row, err)
	}
	return key, skip, nil
}

// openRecords opens a file that the Arrow library reads with an allocator.
func openRecords(name string, open func(*os.File, memory.Allocator) (*recordSource, error)) (src *recordSource, err error) {
	defer recovered(name, &err)
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	alloc, err := allocatorFor(f)
	if err != nil {
		return nil, err
	}
	return open(f, alloc)
}

// anew is what helps where a file is not what it says.
const anew = "the file is damaged, or was not written or copied whole: make it anew"

// recovered turns a panic of the Arrow library into an error.
func recovered(name string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: %w: %v; %s", name, ErrInput, r, anew)
	}
}
