package rows

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/credence-stream/credence/cmd/internal/replay"
)

// csvSource reads a CSV file with a header line. The file is read twice, first
// to find out the types of its columns, so that a late text doesn't break what
// began as numbers, and never held in memory.
type csvSource struct {
	*csvFile
	about
	sel *Selection
	row []replay.Value
}

// csvFile is one pass over the file.
type csvFile struct {
	name    string
	file    *os.File
	reader  *csv.Reader
	nulls   nulls
	header  int // fields
	key     int // field, -1: none
	columns []int
}

// openCSV makes the first pass over the file. tick is told of the rows it
// reads.
func openCSV(ctx context.Context, name string, sel Selection, tick func(int64)) (*csvSource, error) {
	src := &csvSource{sel: &sel}
	if err := src.infer(ctx, name, tick); err != nil {
		return nil, err
	}
	var err error
	if src.csvFile, _, err = openCSVFile(name, &sel); err != nil {
		return nil, err
	}
	return src, nil
}

// infer finds the types of the selected columns and checks all that can be
// wrong with a row, so that a bad file is refused before anything is sent.
func (s *csvSource) infer(ctx context.Context, name string, tick func(int64)) error {
	f, header, err := openCSVFile(name, s.sel)
	if err != nil {
		return err
	}
	defer func() { _ = f.close() }()
	guesses := slices.Repeat([]guess{newGuess()}, len(f.columns))
	for {
		record, err := f.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if _, err := f.keyOf(record, s.sel); err != nil {
			return err
		}
		for i, c := range f.columns {
			if field := record[c]; !f.nulls.is(field) {
				if !utf8.ValidString(field) {
					return f.errorf(c, "%q is not UTF-8", field)
				}
				guesses[i].add(field)
			}
		}
		if err := s.count(ctx, tick); err != nil {
			return err
		}
	}
	for i, c := range f.columns {
		s.add(header[c], &guesses[i])
	}
	if s.rows == 0 {
		return fmt.Errorf("%s: %w: no rows below the header", name, ErrInput)
	}
	s.row = make([]replay.Value, len(s.fields))
	return nil
}

func (s *csvSource) Close() error { return s.close() }

func (s *csvSource) Next() (string, []replay.Value, error) {
	record, err := s.read()
	if err != nil {
		return "", nil, err
	}
	key, err := s.keyOf(record, s.sel)
	if err != nil {
		return "", nil, err
	}
	for i, c := range s.columns {
		if s.nulls.is(record[c]) {
			s.row[i] = replay.Value{Null: true}
			continue
		}
		var ok bool
		if s.row[i], ok = parseAs(record[c], s.fields[i].Type); !ok {
			return "", nil, s.errorf(c, "%q was not there before: the file has changed", record[c])
		}
	}
	return key, s.row, nil
}

// openCSVFile opens the file and reads its header.
func openCSVFile(name string, sel *Selection) (*csvFile, []string, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	f := &csvFile{name: name, file: file, nulls: sel.Null}
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
	f.reader = csv.NewReader(buffered)
	f.reader.Comma = separator(buffered)
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
			return nil, f.errorf(i, "column name %q is not UTF-8", name)
		}
		header[i] = strings.TrimSpace(name)
	}
	f.header = len(header)
	if f.key, f.columns, err = sel.resolve(header); err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	return header, nil
}

func (f *csvFile) close() error { return f.file.Close() }

// read returns the next record, valid until the next call, or io.EOF.
func (f *csvFile) read() ([]string, error) {
	record, err := f.reader.Read()
	if err == nil || errors.Is(err, io.EOF) {
		return record, err
	}
	var bad *csv.ParseError
	switch {
	case !errors.As(err, &bad):
		return nil, fmt.Errorf("%s: %w: %w", f.name, ErrInput, err)
	case errors.Is(err, csv.ErrFieldCount):
		return nil, fmt.Errorf("%s:%d: %w: %d fields where the header has %d", f.name, bad.Line, ErrInput, len(record), f.header)
	default:
		return nil, fmt.Errorf("%s:%d: %w: %w", f.name, bad.Line, ErrInput, bad.Err)
	}
}

// keyOf returns the whole key of a record, valid as long as the record.
func (f *csvFile) keyOf(record []string, sel *Selection) (string, error) {
	if f.key < 0 {
		return sel.Prefix + sel.Key, nil
	}
	field := record[f.key]
	if f.nulls.is(field) {
		return "", f.errorf(f.key, "no key in column %q", sel.KeyColumn)
	}
	key := sel.Prefix + field
	if err := replay.CheckKey(key); err != nil {
		return "", f.errorf(f.key, "%w", err)
	}
	return key, nil
}

// errorf returns an ErrInput at a field of the current record.
func (f *csvFile) errorf(field int, format string, args ...any) error {
	line, _ := f.reader.FieldPos(field)
	return fmt.Errorf("%s:%d: %w: %w", f.name, line, ErrInput, fmt.Errorf(format, args...))
}
