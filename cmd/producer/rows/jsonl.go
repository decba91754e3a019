package rows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

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
	given int64 // rows
}

// openJSON makes the first pass over the file.
func openJSON(ctx context.Context, name string, sel Selection, w Watch) (Source, error) {
	src := &jsonSource{sel: &sel, place: map[string]int{}}
	if err := src.infer(ctx, name, &w); err != nil {
		return nil, err
	}
	return src.at(name)
}

// at returns a source of the file whose columns are those of s.
func (s *jsonSource) at(name string) (Source, error) {
	file, err := openJSONFile(name)
	if err != nil {
		return nil, err
	}
	return &jsonSource{jsonFile: file, about: s.about, sel: s.sel, place: s.place, row: make([]replay.Value, len(s.fields))}, nil
}

func (s *jsonSource) Again() (Source, error) { return s.at(s.name) }

// infer finds columns and types and checks all that can be wrong with a row,
// so that a bad file is refused before anything is sent.
func (s *jsonSource) infer(ctx context.Context, name string, w *Watch) error {
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
		key, skip, err := s.keyed(f, object)
		if err != nil {
			return err
		}
		if skip {
			continue
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
				names, guesses = append(names, m.name), append(guesses, newGuess(m.name, s.sel))
			}
			if err := f.guess(m, &guesses[at], s.sel); err != nil {
				return err
			}
		}
		if err := s.count(ctx, w, key); err != nil {
			return err
		}
	}
	s.keysMet(s.sel)
	if s.rows == 0 {
		return fmt.Errorf("%s: %w: no rows%s", name, ErrInput, keylessRows(s.keyless))
	}
	_, columns, err := s.resolve(s.sel, names)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	chosen, found := make([]string, len(columns)), make([]guess, len(columns))
	for i, c := range columns {
		s.place[names[c]] = i
		chosen[i], found[i] = names[c], guesses[c]
	}
	return s.settle(name, chosen, found, s.sel)
}

// guess takes one value of a column into account.
func (f *jsonFile) guess(m *member, g *guess, sel *Selection) error {
	switch {
	case m.kind == jsonNull:
	case m.kind == jsonNested && (sel.Columns == nil || slices.Contains(sel.Columns, m.name)):
		rows := ""
		if m.text == "[" && f.objects == 1 {
			rows = fmt.Sprintf("; if these are the rows, jq '.[%q]' takes them out", m.name)
		}
		return f.errorf("the value of %q is an object or an array, and a column holds numbers or texts: flatten it first, or choose other columns with --columns%s", m.name, rows)
	case m.kind == jsonNested:
	case m.kind == jsonNumber:
		g.addNumber(m.text, f.line)
	case m.kind == jsonBool:
		g.add(m.text, f.line)
	case !g.missing(m.text):
		g.addQuoted(m.text, f.line)
	}
	return nil
}

func (s *jsonSource) Close() error { return s.close() }

func (s *jsonSource) Next() (string, []replay.Value, error) {
	var object []member
	var key string
	for skip := true; skip; {
		var err error
		if object, err = s.read(); errors.Is(err, io.EOF) {
			return "", nil, s.end(s.name, s.given)
		} else if err != nil {
			return "", nil, err
		}
		if key, skip, err = s.keyed(s.jsonFile, object); err != nil {
			return "", nil, err
		}
	}
	s.given++
	for i := range s.row {
		s.row[i] = replay.Value{Null: true}
	}
	for i := range object {
		m := &object[i]
		at, ok := s.place[m.name]
		if !ok || m.kind == jsonNull {
			continue
		}
		r := &s.readings[at]
		switch {
		case m.kind == jsonString && r.nulls.is(m.text):
			continue
		case m.kind == jsonNumber:
			s.row[at], ok = r.plain(m.text)
		case m.kind == jsonString && (r.form == asInteger || r.form == asNumber), m.kind == jsonNested:
			ok = false
		default:
			s.row[at], ok = r.value(m.text)
		}
		if !ok {
			return "", nil, s.errorf("%q was not there before: the file has changed", m.text)
		}
	}
	return key, s.row, nil
}

// keyed returns the whole key of an object of a pass, and whether the object is
// left out because it has none.
func (s *jsonSource) keyed(f *jsonFile, object []member) (key string, skip bool, err error) {
	sel, own := s.sel, ""
	if sel.KeyColumn == "" {
		return sel.Prefix + sel.Key, false, nil
	}
	if i := slices.IndexFunc(object, func(m member) bool { return m.name == sel.KeyColumn }); i >= 0 {
		switch m := &object[i]; m.kind {
		case jsonNumber:
			if _, whole := parseInt(m.text); !whole {
				return "", false, f.errorf("the key in %q is %s; a key is text, an integer or a boolean", sel.KeyColumn, m.text)
			}
			own = m.text
		case jsonNested:
			return "", false, f.errorf("the key in %q is an object or an array; a key is text, an integer or a boolean", sel.KeyColumn)
		case jsonString:
			if !nulls(sel.Null).is(m.text) {
				own = m.text
			}
		case jsonBool:
			own = m.text
		}
	}
	if key, skip, err = s.keyOf(sel, own); err == nil && !skip {
		err = replay.CheckKey(key)
	}
	if err != nil {
		err = f.errorf("%w", err)
	}
	return key, skip, err
}
