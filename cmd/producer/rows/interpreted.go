package rows

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/credence-stream/credence/cdf"
)

// interpreted opens a file of typed columns. Those of text are read as a CSV
// file's are, for what people have there is the same: a first pass, where there
// are such columns, finds their forms.
func interpreted(ctx context.Context, tick func(int64), open func() (*recordSource, error)) (Source, error) {
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
	if len(at) == 0 {
		return first, nil
	}
	counted := about{}
	err = first.guess(ctx, tick, &counted, at, guesses)
	if err := errors.Join(err, first.Close()); err != nil {
		return nil, err
	}
	if err := counted.settle(first.name, names, guesses, &first.sel); err != nil {
		return nil, err
	}
	src, err := open()
	if err != nil {
		return nil, err
	}
	src.texts = make([]*reading, len(src.fields))
	for k, i := range at {
		src.texts[i], src.fields[i].Type = &counted.readings[k], counted.fields[k].Type
	}
	src.notes, src.rows = append(first.notes, counted.notes...), counted.rows
	src.unnoted, src.ended = first.unnoted+counted.unnoted, true
	return src, nil
}

// guess reads all rows for the forms of the columns of text at the places.
func (s *recordSource) guess(ctx context.Context, tick func(int64), counted *about, at []int, guesses []guess) error {
	for {
		_, row, err := s.Next()
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
		if err := counted.count(ctx, tick); err != nil {
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
