package rows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/replay"
)

// jsonHead is how many rows of a file of JSON Lines decide what its columns
// are: later ones may lack some, but bring no others.
const jsonHead = 1000

// jsonSource reads a file with one JSON object per line. Like a CSV file it is
// read twice, first to find out columns and types.
type jsonSource struct {
	*jsonFile
	about
	sel   *Selection
	place map[string]int // of a column among fields
	row   []replay.Value
}

// openJSON makes the first pass over the file. tick is told of the rows it
// reads.
func openJSON(ctx context.Context, name string, sel Selection, tick func(int64)) (*jsonSource, error) {
	src := &jsonSource{sel: &sel, place: map[string]int{}}
	if err := src.infer(ctx, name, tick); err != nil {
		return nil, err
	}
	var err error
	if src.jsonFile, err = openJSONFile(name); err != nil {
		return nil, err
	}
	return src, nil
}

// infer finds columns and types and checks all that can be wrong with a row,
// so that a bad file is refused before anything is sent.
func (s *jsonSource) infer(ctx context.Context, name string, tick func(int64)) error {
	f, err := openJSONFile(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.close() }()
	var names []string // of all columns that were seen
	var guesses []guess
	seen := map[string]int{} // place among names
	for {
		object, err := f.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if _, err := f.keyOf(object, s.sel); err != nil {
			return err
		}
		for i := range object {
			m := &object[i]
			at, known := seen[m.name]
			switch {
			case known:
			case s.sel.Columns != nil && !slices.Contains(s.sel.Columns, m.name) && m.name != s.sel.KeyColumn:
				continue
			case s.sel.Columns == nil && s.rows >= jsonHead && m.name != s.sel.KeyColumn:
				return f.errorf("%q is new here, and the first %d rows decide what the columns are: choose columns with --columns, or give the first row every key (null where it has no value)",
					m.name, jsonHead)
			default:
				at = len(names)
				seen[m.name] = at
				names, guesses = append(names, m.name), append(guesses, newGuess())
			}
			if err := f.guess(m, &guesses[at], s.sel); err != nil {
				return err
			}
		}
		if err := s.count(ctx, tick); err != nil {
			return err
		}
	}
	if s.rows == 0 {
		return fmt.Errorf("%s: %w: no rows", name, ErrInput)
	}
	_, columns, err := s.sel.resolve(names)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i, c := range columns {
		s.place[names[c]] = i
		s.add(names[c], &guesses[c])
	}
	s.row = make([]replay.Value, len(s.fields))
	return nil
}

// guess takes one value of a column into account.
func (f *jsonFile) guess(m *member, g *guess, sel *Selection) error {
	switch {
	case m.null(sel):
	case m.kind == jsonNested && (sel.Columns == nil || slices.Contains(sel.Columns, m.name)):
		return f.errorf("the value of %q is an object or an array, and a column holds numbers or texts: flatten it first, or choose other columns with --columns", m.name)
	case m.kind == jsonString:
		g.addQuoted(m.text)
	default:
		g.add(m.text)
	}
	return nil
}

func (s *jsonSource) Close() error { return s.close() }

func (s *jsonSource) Next() (string, []replay.Value, error) {
	object, err := s.read()
	if err != nil {
		return "", nil, err
	}
	key, err := s.keyOf(object, s.sel)
	if err != nil {
		return "", nil, err
	}
	for i := range s.row {
		s.row[i] = replay.Value{Null: true}
	}
	for i := range object {
		m := &object[i]
		at, ok := s.place[m.name]
		if !ok || m.null(s.sel) {
			continue
		}
		t := s.fields[at].Type
		ok = m.kind == jsonString && (t == cdf.Text || t == cdf.Time) || m.kind != jsonString && t != cdf.Time && m.kind != jsonNested
		if ok {
			s.row[at], ok = parseAs(m.text, t)
		}
		if !ok {
			return "", nil, s.errorf("%q was not there before: the file has changed", m.text)
		}
	}
	return key, s.row, nil
}

// keyOf returns the whole key of an object.
func (f *jsonFile) keyOf(object []member, sel *Selection) (string, error) {
	if sel.KeyColumn == "" {
		return sel.Prefix + sel.Key, nil
	}
	i := slices.IndexFunc(object, func(m member) bool { return m.name == sel.KeyColumn })
	if i < 0 || object[i].null(sel) || object[i].text == "" && object[i].kind == jsonString {
		return "", f.errorf("no key in %q", sel.KeyColumn)
	}
	m := &object[i]
	if m.kind == jsonNumber {
		if _, whole := parseInt(m.text); !whole {
			return "", f.errorf("the key in %q is %s; a key is text, an integer or a boolean", sel.KeyColumn, m.text)
		}
	}
	if m.kind == jsonNested {
		return "", f.errorf("the key in %q is an object or an array; a key is text, an integer or a boolean", sel.KeyColumn)
	}
	key := sel.Prefix + m.text
	if err := replay.CheckKey(key); err != nil {
		return "", f.errorf("%w", err)
	}
	return key, nil
}
