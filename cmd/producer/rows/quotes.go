package rows

import (
	"io"
	"strings"
)

const (
	bareQuote = 0xff // stands for a quote that is text; no UTF-8 has it
	notUTF8   = 0xfe // stands for that byte, and no UTF-8 has it either
)

// quotes hides from a reader of CSV the quotes in fields that do not begin with one, as in
// 5" pipe: they are text, as Python, pandas and DuckDB have it. No byte changes its place.
// A quote in a field in quotes that is not doubled is left to the reader, who refuses it:
// there these programs differ.
type quotes struct {
	in     io.Reader
	comma  byte
	before byte // the last byte
	inside bool // of a field in quotes
	hidden bool // something is
}

func newQuotes(in io.Reader, comma rune) *quotes {
	return &quotes{in: in, comma: byte(comma), before: '\n'}
}

func (q *quotes) Read(b []byte) (int, error) {
	n, err := q.in.Read(b)
	for i, c := range b[:n] {
		if c == '"' || c == bareQuote {
			c = q.meet(c)
			b[i] = c
		}
		q.before = c
	}
	return n, err
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
