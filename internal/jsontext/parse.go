package jsontext

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
)

// Number reads a number or null, which is NaN.
type Number float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// Floats returns v as numbers, nil where there are none.
func Floats(v []Number) []float64 {
	var out []float64
	for _, x := range v {
		out = append(out, float64(x))
	}
	return out
}

// Scaling reads what AppendScaling writes, in order; no constants are nil.
type Scaling []cdf.Constant

// UnmarshalJSON implements json.Unmarshaler.
func (s *Scaling) UnmarshalJSON(b []byte) error {
	*s = nil
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("scaling: not an object")
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		c := struct{ Center, Scale Number }{Number(math.NaN()), Number(math.NaN())}
		if err := d.Decode(&c); err != nil {
			return err
		}
		column, ok := t.(string)
		if !ok {
			return fmt.Errorf("scaling: no column name")
		}
		*s = append(*s, cdf.Constant{Column: column, Center: float64(c.Center), Scale: float64(c.Scale)})
	}
	return nil
}

// mark may stand before text and says nothing (RFC 8259, 8.1).
const mark = "\uFEFF"

// PassMark passes over a byte order mark. An error of the reader comes again with what is read next.
func PassMark(r *bufio.Reader) {
	if head, _ := r.Peek(len(mark)); string(head) == mark {
		_, _ = r.Discard(len(mark))
	}
}
