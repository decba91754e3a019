package rows

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"testing"
)

// endless is a file that has a beginning, then the same lines as long as it is read.
type endless struct {
	in   io.Reader
	read int
}

func (e *endless) Read(b []byte) (int, error) {
	n, err := e.in.Read(b)
	if errors.Is(err, io.EOF) {
		e.in, err = strings.NewReader("b,2\n"), nil
	}
	e.read += n
	return n, err
}

// TestLongRecords reads files that are one record from some line on, as a quote without its
// end makes them: they are refused once a record has more bytes than one may have.
func TestLongRecords(t *testing.T) {
	const most = 1 << 16
	for _, c := range []struct{ name, begins, want string }{
		{"a quote that never ends", "g,x\na,1\na,\"5\n", `in.csv:3: unusable input: the quotes that begin in line 3 have no end in the 65536 bytes that a row may have; a quote inside is written twice, as in "5"" pipe"`},
		{"behind others that do", "g,x\na,1\n\"a\nb\",\"c\"\"d\n", `in.csv:3: unusable input: the quotes that begin in line 4 have no end`},
		{"in the header", "g,\"x\n", `in.csv:1: unusable input: the quotes that begin in line 1 have no end`},
		{"a line that never ends", "g,x\na,1\na," + strings.Repeat("5", 2*most), "in.csv:3: unusable input: a row of more than 65536 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := &endless{in: strings.NewReader(c.begins)}
			f := &csvFile{name: "in.csv", quotes: newQuotes(in, ',')}
			f.quotes.most = most
			f.reader = csv.NewReader(f.quotes)
			var err error
			for err == nil {
				_, err = f.read()
			}
			if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %q", err, c.want)
			}
			if in.read > 4*most {
				t.Errorf("%d bytes were read of a file whose records have at most %d", in.read, most)
			}
		})
	}
}

// TestManyRecords has more bytes than one record may have, but in many.
func TestManyRecords(t *testing.T) {
	f := &csvFile{name: "in.csv", quotes: newQuotes(strings.NewReader("g,x\n"+strings.Repeat("\"a\nb\",2\n", 1000)), ',')}
	f.quotes.most = 4200 // the reader asks for 4096 at a time
	f.reader = csv.NewReader(f.quotes)
	n := 0
	for ; ; n++ {
		if _, err := f.read(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n != 1001 {
		t.Errorf("%d records, want 1001", n)
	}
}
