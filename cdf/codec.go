package cdf

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The snapshot is made of unsigned and zigzag varints, little-endian floats,
// and strings and lists that begin with their length.

func appendFloat(b []byte, v float64) []byte {
	if math.IsNaN(v) {
		v = math.NaN() // one bit pattern, however it came about
	}
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

func appendFloats(b []byte, v []float64) []byte {
	for _, x := range v {
		b = appendFloat(b, x)
	}
	return b
}

func appendFloat32(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendStrings(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = appendString(b, s)
	}
	return b
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// reader takes a snapshot apart. After the first failure it returns zeros;
// err says what was wrong. It allocates no more than the bytes it was given
// account for.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: "+format, append([]any{ErrSnapshot}, args...)...)
	}
	r.b = nil
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.fail("cut short")
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail("cut short")
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail("cut short")
		return 0
	}
	r.b = r.b[n:]
	return v
}

// natural reads a count that is not backed by bytes of its own.
func (r *reader) natural() int64 {
	v := r.int()
	if v < 0 {
		r.fail("negative count %d", v)
		return 0
	}
	return v
}

// length reads the length of a list whose elements take at least size bytes.
func (r *reader) length(size int) int {
	n := r.uint()
	if n > uint64(len(r.b)/size) {
		r.fail("a list of %d elements in %d bytes", n, len(r.b))
		return 0
	}
	return int(n)
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) bool() bool {
	switch b := r.take(1); {
	case b == nil:
		return false
	case b[0] > 1:
		r.fail("neither true nor false")
		return false
	default:
		return b[0] == 1
	}
}

func (r *reader) float() float64 {
	b := r.take(8)
	if b == nil {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

// float32 reads one that is finite.
func (r *reader) float32() float32 {
	b := r.take(4)
	if b == nil {
		return 0
	}
	v := math.Float32frombits(binary.LittleEndian.Uint32(b))
	if !finite(float64(v)) {
		r.fail("a number is not finite")
	}
	return v
}

// floats reads n floats, all finite.
func (r *reader) floats(n int) []float64 {
	if n < 0 || n > len(r.b)/8 {
		r.fail("cut short")
		return nil
	}
	v := make([]float64, n)
	for i := range v {
		if v[i] = r.float(); !finite(v[i]) {
			r.fail("a number is not finite")
			return nil
		}
	}
	return v
}

func (r *reader) string() string { return string(r.take(r.length(1))) }

func (r *reader) strings() []string {
	n := r.length(1)
	list := make([]string, 0, n)
	for range n {
		list = append(list, r.string())
	}
	return list
}
