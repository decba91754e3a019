package rows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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
// are such columns, keys are asked for, or columns may be left out, finds their forms.
func interpreted(ctx context.Context, w Watch, sel Selection, open func(Selection) (*recordSource, error)) (Source, error) {
	first, err := open(sel)
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
	lenient := sel.Lenient && sel.Columns == nil
	if len(at) == 0 && w.Key == nil && !lenient {
		again = func() (*typedSource, error) {
			src, err := open(sel)
			if err != nil {
				return nil, err
			}
			return &typedSource{src, again}, nil
		}
		return &typedSource{first, again}, nil
	}
	counted := about{}
	if lenient {
		first.left = make([]bool, len(first.fields))
	}
	err = first.guess(ctx, &w, &counted, at, guesses)
	if err := errors.Join(err, first.Close()); err != nil {
		return nil, err
	}
	for k := len(at) - 1; k >= 0 && lenient; k-- {
		if first.left[at[k]] {
			names, guesses = slices.Delete(names, k, k+1), slices.Delete(guesses, k, k+1)
		}
	}
	if err := counted.settle(first.name, names, guesses, &first.sel); err != nil {
		return nil, err
	}
	if slices.Contains(first.left, true) {
		for i, f := range first.fields {
			if !first.left[i] {
				sel.Columns = append(sel.Columns, f.Name)
			}
		}
		if sel.Columns == nil {
			return nil, fmt.Errorf("%s: %w: no column is left to send: %s", first.name, ErrInput, strings.Join(first.notes, "; "))
		}
		counted.chosen = sel.Columns
	}
	again = func() (*typedSource, error) {
		src, err := open(sel)
		if err != nil {
			return nil, err
		}
		src.texts = make([]*reading, len(src.fields))
		for i, f := range src.fields {
			if k := slices.Index(names, f.Name); k >= 0 {
				src.texts[i], src.fields[i].Type = &counted.readings[k], counted.fields[k].Type
			}
		}
		src.chosen = counted.chosen
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
