package rows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// typedSource is the rows of a file of typed columns.
type typedSource struct {
	*recordSource
	open func() (*typedSource, error)
}

func (s *typedSource) Again() (Source, error) { return s.open() }

// interpreted opens a file of typed columns. Those of text are read as a CSV
// file's are, for what people have there is the same: a first pass, where there
// are such columns or keys are asked for, finds their forms.
func interpreted(ctx context.Context, w Watch, open func() (*recordSource, error)) (Source, error) {
	first, err := open()
	if err != nil {
		return nil, err
	}
	var names []string
	var at []int
	var guesses []guess
	for i, f := range first.fields {
		if f.Type == cdf.Text {
			names, at = append(names, f.Name), append(at, i)
			guesses = append(guesses, newGuess(f.Name, &first.sel))
		}
	}
	var again func() (*typedSource, error)
	if len(at) == 0 && w.Key == nil {
		again = func() (*typedSource, error) {
			src, err := open()
			if err != nil {
				return nil, err
			}
			return &typedSource{src, again}, nil
		}
		return &typedSource{first, again}, nil
	}
	counted := about{}
	err = first.guess(ctx, &w, &counted, at, guesses)
	if err := errors.Join(err, first.Close()); err != nil {
		return nil, err
	}
	if err := counted.settle(first.name, names, guesses, &first.sel); err != nil {
		return nil, err
	}
	again = func() (*typedSource, error) {
		src, err := open()
		if err != nil {
			return nil, err
		}
		src.texts = make([]*reading, len(src.fields))
		for k, i := range at {
			src.texts[i], src.fields[i].Type = &counted.readings[k], counted.fields[k].Type
		}
		src.notes, src.rows = slices.Concat(first.notes, counted.notes), counted.rows
		src.unnoted, src.ended = first.unnoted+counted.unnoted, true
		return &typedSource{src, again}, nil
	}
	return again()
}

// guess reads all rows for the forms of the columns of text at the places.
func (s *recordSource) guess(ctx context.Context, w *Watch, counted *about, at []int, guesses []guess) error {
	for {
		key, row, err := s.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for k, i := range at {
			if v := &row[i]; !v.Null && !guesses[k].missing(v.Text) {
				guesses[k].addQuoted(v.Text, int(s.row))
			}
		}
		if err := counted.count(ctx, w, key); err != nil {
			return err
		}
	}
}

// interpret reads the text that the row has in a column.
func (s *recordSource) interpret(c int) error {
	v, r := &s.values[c], s.texts[c]
	if r == nil || v.Null {
		return nil
	}
	if v.Null = r.nulls.is(v.Text); v.Null {
		return nil
	}
	read, ok := r.value(v.Text)
	if !ok {
		return fmt.Errorf("%w: %q was not there before: the file has changed", ErrInput, v.Text)
	}
	*v = read
	return nil
}
