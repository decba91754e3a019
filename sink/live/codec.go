package live

import (
	"encoding/binary"
	"math"
)

// undefined is the NaN that numbers are where there are none: only it is left out of bytes.
var undefined = math.Float64bits(math.NaN())

// appendNumbers appends numbers as a bit for each, set where there is one, the first lowest, and
// the eight bytes of those that there are. All come back with the same bits.
func appendNumbers(dst []byte, list []float64) []byte {
	at := len(dst)
	for range (len(list) + 7) / 8 {
		dst = append(dst, 0)
	}
	for i, v := range list {
		if b := math.Float64bits(v); b != undefined {
			dst[at+i/8] |= 1 << (i % 8)
			dst = binary.LittleEndian.AppendUint64(dst, b)
		}
	}
	return dst
}

// reader takes apart what the functions of this package put together.
type reader []byte

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(*r)
	*r = (*r)[n:]
	return v
}

func (r *reader) int() int64 {
	v, n := binary.Varint(*r)
	*r = (*r)[n:]
	return v
}

func (r *reader) byte() byte {
	b := (*r)[0]
	*r = (*r)[1:]
	return b
}

func (r *reader) words() wordsID {
	id := binary.LittleEndian.Uint32(*r)
	*r = (*r)[4:]
	return wordsID(id)
}

// text returns a copy of bytes behind their length.
func (r *reader) text() string { return string(r.bytes()) }

// bytes returns bytes behind their length, of the reader's memory.
func (r *reader) bytes() []byte {
	n := r.uint()
	b := (*r)[:n]
	*r = (*r)[n:]
	return b
}

// there returns the bits of n numbers, of the reader's memory.
func (r *reader) there(n int) []byte {
	bits := (*r)[:(n+7)/8]
	*r = (*r)[len(bits):]
	return bits
}

// numbers appends n of them, which come next behind their bits.
func (r *reader) numbers(dst []float64, bits []byte, n int) []float64 {
	for i := range n {
		v := math.NaN()
		if bits[i/8]>>(i%8)&1 == 1 {
			v = math.Float64frombits(binary.LittleEndian.Uint64(*r))
			*r = (*r)[8:]
		}
		dst = append(dst, v)
	}
	return dst
}
