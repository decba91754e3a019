package rows

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/credence-stream/credence/cmd/internal/replay"
)

// otherEncoding is what is wrong with a text in another encoding, and the way out.
const otherEncoding = "not UTF-8; iconv -f WINDOWS-1252 -t UTF-8 converts the file, if it is of Western Europe"

// csvSource reads a CSV file with a header line. The file is read twice, first
// to find out the types of its columns, so that a late text doesn't break what
// began as numbers, and never held in memory.
type csvSource struct {
	*csvFile
	about
	sel   *Selection
	row   []replay.Value
	given int64 // rows
}

// csvFile is one pass over the file.
type csvFile struct {
	name    string
	file    *os.File
	reader  *csv.Reader
	quotes  *quotes // before it
	header  int     // fields
	key     int     // field, -1: none
	columns []int
	said    *about // the source's on the first pass
}

// openCSV makes the first pass over the file.
func openCSV(ctx context.Context, name string, sel Selection, w Watch) (Source, error) {
	src := &csvSource{sel: &sel}
	if err := src.infer(ctx, name, &w); err != nil {
		return nil, err
	}
	return src.at(name)
}

// at returns a source of the file whose columns are those of s.
func (s *csvSource) at(name string) (Source, error) {
	file, _, err := openCSVFile(name, s.sel, new(about))
	if err != nil {
		return nil, err
	}
	return &csvSource{csvFile: file, about: s.about, sel: s.sel, row: make([]replay.Value, len(s.fields))}, nil
}

func (s *csvSource) Again() (Source, error) { return s.at(s.name) }

// infer finds the types of the selected columns and checks all that can be
// wrong with a row, so that a bad file is refused before anything is sent.
func (s *csvSource) infer(ctx context.Context, name string, w *Watch) error {
	f, header, err := openCSVFile(name, s.sel, &s.about)
	if err != nil {
		return err
	}
	defer func() { _ = f.close() }()
	names, guesses := make([]string, len(f.columns)), make([]guess, len(f.columns))
	for i, c := range f.columns {
		names[i] = header[c]
		guesses[i] = newGuess(names[i], s.sel)
	}
	for {
		record, err := f.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		key, skip, err := f.keyed(record, s.sel)
		if err != nil {
			return err
		}
		if skip {
			continue
		}
		for i, c := range f.columns {
			field := record[c]
			if guesses[i].missing(field) {
				continue
			}
			if !utf8.ValidString(field) {
				return f.errorf(c, "%q is "+otherEncoding, clipped(field))
			}
			line, _ := f.reader.FieldPos(c)
			guesses[i].add(field, line)
		}
		if err := s.count(ctx, w, key); err != nil {
			return err
		}
	}
	s.keysMet(s.sel)
	if s.rows == 0 {
		return fmt.Errorf("%s: %w: no rows below the header%s", name, ErrInput, keylessRows(s.keyless))
	}
	return s.settle(name, names, guesses, s.sel)
}

func (s *csvSource) Close() error { return s.close() }

func (s *csvSource) Next() (string, []replay.Value, error) {
	var record []string
	var key string
	for skip := true; skip; {
		var err error
		if record, err = s.read(); errors.Is(err, io.EOF) {
			return "", nil, s.end(s.name, s.given)
		} else if err != nil {
			return "", nil, err
		}
		if key, skip, err = s.keyed(record, s.sel); err != nil {
			return "", nil, err
		}
	}
	s.given++
	for i, c := range s.columns {
		r := &s.readings[i]
		if r.nulls.is(record[c]) {
			s.row[i] = replay.Value{Null: true}
			continue
		}
		var ok bool
		if s.row[i], ok = r.value(record[c]); !ok {
			return "", nil, s.errorf(c, "%q was not there before: the file has changed", record[c])
		}
	}
	return key, s.row, nil
}

// openCSVFile opens the file and reads its header.
func openCSVFile(name string, sel *Selection, said *about) (*csvFile, []string, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	f := &csvFile{name: name, file: file, said: said}
	header, err := f.start(sel)
	if err != nil {
		_ = f.close()
		return nil, nil, err
	}
	return f, header, nil
}

func (f *csvFile) start(sel *Selection) ([]string, error) {
	buffered, err := textOf(f.file)
	if err != nil {
		return nil, err
	}
	if why := strange(buffered); why != "" {
		return nil, fmt.Errorf("%s: %w: %s", f.name, ErrInput, why)
	}
	comma := separator(buffered, f.name)
	f.quotes = newQuotes(buffered, comma)
	f.reader = csv.NewReader(f.quotes)
	f.reader.Comma = comma
	if word := separators[f.reader.Comma]; word != "" {
		f.said.note("its columns are separated by %s", word)
	}
	f.reader.ReuseRecord = true
	record, err := f.read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w: no header line", f.name, ErrInput)
	}
	if err != nil {
		return nil, err
	}
	header := make([]string, len(record))
	for i, name := range record {
		if !utf8.ValidString(name) {
			return nil, f.errorf(i, "column name %q is "+otherEncoding, clipped(name))
		}
		header[i] = trimmed(name)
	}
	f.header = len(header)
	if err := f.said.headless(sel, header); err != nil {
		return nil, f.errorf(0, "%w", err)
	}
	if f.key, f.columns, err = f.said.resolve(sel, header); err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	return header, nil
}

func (f *csvFile) close() error { return f.file.Close() }

// read returns the next record, valid until the next call, or io.EOF.
func (f *csvFile) read() ([]string, error) {
	record, err := f.reader.Read()
	f.quotes.show(record)
	if err == nil || errors.Is(err, io.EOF) {
		return record, err
	}
	var bad *csv.ParseError
	switch {
	case errors.Is(err, errRecord):
		return nil, fmt.Errorf("%s:%d: %w: %w", f.name, f.quotes.begin, ErrInput, f.quotes.long())
	case !errors.As(err, &bad):
		return nil, fmt.Errorf("%s: %w: %w", f.name, ErrInput, err)
	case errors.Is(err, csv.ErrFieldCount):
		return nil, fmt.Errorf("%s:%d: %w: %s", f.name, bad.Line, ErrInput, f.uneven(record))
	default: // a quote, for those outside of fields in quotes are text
		if _, next := f.reader.Read(); f.quotes.inside && errors.Is(next, io.EOF) {
			return nil, fmt.Errorf("%s:%d: %w: the quotes that field %d begins with have no end", f.name, bad.StartLine, ErrInput, len(record)+1)
		}
		return nil, fmt.Errorf(`%s:%d:%d: %w: field %d is in quotes and goes on behind them; a quote inside is written twice, as in "5"" pipe"`, f.name, bad.Line, bad.Column, ErrInput, len(record)+1)
	}
}

// uneven says of a record with more or fewer fields than names what to do.
func (f *csvFile) uneven(record []string) string {
	have := fmt.Sprintf("%d fields", len(record))
	if len(record) == 1 {
		have = "1 field"
	}
	remedy := "a row has one for each name, empty where there is no value"
	switch {
	case f.header == 1:
		remedy = "if the first line is a title or a comment and not the names of the columns, tail -n +2 leaves it out"
	case len(record) > f.header && strings.Trim(strings.Join(record[f.header:], ""), " ") == "":
		remedy = fmt.Sprintf("the line ends in %q, and the header does not: take it off, or add it to the header", f.reader.Comma)
	case len(record) > f.header:
		remedy = fmt.Sprintf("a field that has %q in it goes in quotes", f.reader.Comma)
	}
	return fmt.Sprintf("%s where the header has %d; %s", have, f.header, remedy)
}

// keyed returns the whole key of a record, valid as long as the record, and
// whether the record is left out because it has none.
func (f *csvFile) keyed(record []string, sel *Selection) (key string, skip bool, err error) {
	if f.key < 0 {
		return sel.Prefix + sel.Key, false, nil
	}
	own := record[f.key]
	if nulls(sel.Null).is(own) {
		own = ""
	}
	if key, skip, err = f.said.keyOf(sel, own); err == nil && !skip {
		err = replay.CheckKey(key)
	}
	if err != nil {
		err = f.errorf(f.key, "%w", err)
	}
	return key, skip, err
}

// keylessRows says so where a file has rows that no key was found for.
func keylessRows(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", but for %d that have no key", n)
}

// errorf returns an ErrInput at a field of the current record.
func (f *csvFile) errorf(field int, format string, args ...any) error {
	line, _ := f.reader.FieldPos(field)
	return fmt.Errorf("%s:%d: %w: %w", f.name, line, ErrInput, fmt.Errorf(format, args...))
}
