// Package projection holds the matrix of a fixed projection and the text that
// it is written in.
package projection

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/cdf/lin"
)

// Matrix is an m x p projection, stored by columns. It is not changed after
// it was read.
type Matrix struct {
	M       int         // numbers per column
	Names   []string    // of the columns, nil where the file has none
	Columns [][]float64 // p columns of m numbers
}

// Parse reads the file at path from r: one line per column of X with m
// numbers, separated by commas or white space, behind the column's name or
// without it. A heading is passed over, as are empty lines and those that begin
// with #. Where all numbers are 1 or -1 they are signs, and are divided by
// sqrt(m). Errors name the file and the line.
func Parse(path string, r io.Reader) (*Matrix, error) {
	out := &Matrix{}
	var named, began bool
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	number := 0
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s:%d: "+format, append([]any{path, number}, args...)...)
	}
	seen := map[string]int{}
	for lines.Scan() {
		number++
		fields := split(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if !began {
			began = true
			if heading(fields) {
				named = true
				continue
			}
			named = !numeric(fields[0])
		}
		if named {
			if first := seen[fields[0]]; first > 0 {
				return nil, fail("column %q again, first in line %d", fields[0], first)
			}
			seen[fields[0]] = number
			out.Names = append(out.Names, fields[0])
			fields = fields[1:]
		}
		column := make([]float64, len(fields))
		for i, text := range fields {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || !lin.Finite(v) {
				return nil, fail("%q is not a finite number", text)
			}
			column[i] = v
		}
		if out.M == 0 {
			out.M = len(column)
		}
		if len(column) == 0 || len(column) != out.M {
			return nil, fail("%d numbers, the first column has %d", len(column), out.M)
		}
		out.Columns = append(out.Columns, column)
	}
	if err := lines.Err(); err != nil {
		number++
		return nil, fail("%w", err)
	}
	if len(out.Columns) == 0 {
		return nil, fmt.Errorf("%s: no columns", path)
	}
	out.scaleSigns()
	return out, nil
}

func split(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\r' })
}

func numeric(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// heading reports a line that has no number behind its first field.
func heading(fields []string) bool {
	for _, f := range fields[1:] {
		if numeric(f) {
			return false
		}
	}
	return !numeric(fields[0])
}

func (m *Matrix) scaleSigns() {
	for _, c := range m.Columns {
		for _, v := range c {
			if v != 1 && v != -1 {
				return
			}
		}
	}
	scale := 1 / math.Sqrt(float64(m.M))
	for _, c := range m.Columns {
		for i := range c {
			c[i] *= scale
		}
	}
}

// Digest identifies the content: names and numbers, in hexadecimal.
func (m *Matrix) Digest() string {
	h := sha256.New()
	b := binary.LittleEndian.AppendUint64(nil, uint64(m.M))
	for j, c := range m.Columns {
		name := ""
		if m.Names != nil {
			name = m.Names[j]
		}
		b = binary.LittleEndian.AppendUint64(b, uint64(len(name)))
		b = append(b, name...)
		for _, v := range c {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		h.Write(b)
		b = b[:0]
	}
	return hex.EncodeToString(h.Sum(nil))
}
