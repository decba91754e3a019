package rows

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// errRecord reports a record that has more bytes than one may have.
var errRecord = errors.New("too long a record")

const (
	bareQuote = 0xff // stands for a quote that is text; no UTF-8 has it
	notUTF8   = 0xfe // stands for that byte, and no UTF-8 has it either
)

// quotes hides from a reader of CSV the quotes in fields that do not begin with one, as in
// 5" pipe: they are text, as Python, pandas and DuckDB have it. No byte changes its place.
// A quote in a field in quotes that is not doubled is left to the reader, who refuses it:
// there these programs differ. It also knows where a record ends, and stops at one that
// would not fit into memory: a quote without its end makes the rest of a file one field.
type quotes struct {
	in     io.Reader
	comma  byte
	before byte // the last byte
	inside bool // of a field in quotes
	hidden bool // something is

	most   int // bytes of a record
	size   int // of the record at hand, so far
	line   int // of the byte at hand, from 1
	begin  int // line in which the record at hand begins
	opened int // line in which the last field in quotes began
}

func newQuotes(in io.Reader, comma rune) *quotes {
	return &quotes{in: in, comma: byte(comma), before: '\n', most: maxLine, line: 1, begin: 1}
}

func (q *quotes) Read(b []byte) (int, error) {
	n, err := q.in.Read(b)
	start := 0 // of the record in b
	for i, c := range b[:n] {
		switch c {
		case '"', bareQuote:
			c = q.meet(c)
			b[i] = c
		case '\n':
			if q.line++; !q.inside {
				q.begin, q.size, start = q.line, 0, i+1
			}
		}
		q.before = c
	}
	if q.size += n - start; q.size > q.most {
		err = errRecord
	}
	return n, err
}

// long says what is wrong with the record that errRecord is about.
func (q *quotes) long() error {
	if q.inside {
		return fmt.Errorf("the quotes that begin in line %d have no end in the %d bytes that a row may have; a quote inside is written twice, as in \"5\"\" pipe\"", q.opened, q.most)
	}
	return fmt.Errorf("a row of more than %d bytes", q.most)
}

// meet returns what a reader is to see of a quote, or of the byte that stands for one.
func (q *quotes) meet(c byte) byte {
	switch {
	case c == bareQuote:
		q.hidden = true
		return notUTF8
	case q.inside:
		q.inside = false // a second one begins it anew
	case q.before == q.comma, q.before == '\n', q.before == '"':
		if q.before != '"' {
			q.opened = q.line
		}
		q.inside = true
	default:
		q.hidden = true
		return bareQuote
	}
	return '"'
}

// shown puts back what was hidden.
var shown = strings.NewReplacer(string([]byte{bareQuote}), `"`, string([]byte{notUTF8}), string([]byte{bareQuote}))

// show puts back in fields what was hidden. Most files have none of it.
func (q *quotes) show(fields []string) {
	if !q.hidden {
		return
	}
	for i, f := range fields {
		if strings.IndexByte(f, bareQuote) >= 0 || strings.IndexByte(f, notUTF8) >= 0 {
			fields[i] = shown.Replace(f)
		}
	}
}
