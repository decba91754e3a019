package arrow

import (
	"errors"
	"math"
	"unsafe"
)

// errShort reports a buffer with fewer values than its rows.
var errShort = errors.New("buffer shorter than its rows")

// littleEndian tells whether this machine lays numbers out as Arrow does.
var littleEndian = func() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 1
}()

// bytes returns the bytes that n values of fixed width take.
func (l layout) bytes(n int) int {
	if l.kind == kindBool {
		return (n + 7) / 8
	}
	return n * l.width
}

// read fills number, and ints where they are asked for, from data, which
// holds at least as many values. It reports whether ints can hold unsigned
// values that do not fit and appear as negative ones.
func (l layout) read(number []float64, ints []int64, data []byte) bool {
	switch l.kind {
	case kindBool:
		for i := range number {
			number[i] = float64(data[i>>3] >> (i & 7) & 1)
		}
	case kindFloat:
		floats(number, data, l.width)
	case kindDay:
		for i := range number {
			number[i] = 86400 * float64(int32(le.Uint32(data[4*i:])))
		}
	case kindTick:
		for i := range number {
			number[i] = seconds(int64(le.Uint64(data[8*i:])), l.per)
		}
	case kindSigned, kindUnsigned:
		if l.width == 8 && littleEndian {
			words(ints, data)
		} else {
			for i := range ints {
				ints[i] = l.integer(data, i)
			}
		}
		if l.kind == kindUnsigned && l.width == 8 {
			for i, v := range ints {
				number[i] = float64(uint64(v))
			}
			return true
		}
		widen(number, ints)
	}
	return false
}

// integer returns integer i of data.
func (l layout) integer(data []byte, i int) int64 {
	var v int64
	switch l.width {
	case 1:
		v = int64(data[i])
	case 2:
		v = int64(le.Uint16(data[2*i:]))
	case 4:
		v = int64(le.Uint32(data[4*i:]))
	default:
		v = int64(le.Uint64(data[8*i:]))
	}
	if l.kind == kindSigned {
		above := 64 - 8*l.width // bits, to which the sign is spread
		v = v << above >> above
	}
	return v
}

// widen writes ints as numbers.
func widen(number []float64, ints []int64) {
	for i, v := range ints {
		number[i] = float64(v)
	}
}

// floats reads floating point numbers of 2, 4 or 8 bytes.
func floats(number []float64, data []byte, width int) {
	switch width {
	case 8:
		if littleEndian {
			words(number, data)
			return
		}
		for i := range number {
			number[i] = math.Float64frombits(le.Uint64(data[8*i:]))
		}
	case 4:
		for i := range number {
			number[i] = float64(math.Float32frombits(le.Uint32(data[4*i:])))
		}
	default:
		for i := range number {
			number[i] = half(le.Uint16(data[2*i:]))
		}
	}
}

// words copies the bytes of numbers that lie in data as the host has them.
func words[T float64 | int64](dst []T, data []byte) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), 8*len(dst)), data)
}

// half returns the number that the IEEE 754 binary16 bits h stand for.
func half(h uint16) float64 {
	sign, exponent, fraction := h>>15, int(h>>10&31), float64(h&1023)
	var v float64
	switch exponent {
	case 0:
		v = math.Ldexp(fraction, -24)
	case 31:
		v = math.Inf(1)
		if fraction != 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(1024+fraction, exponent-25)
	}
	if sign == 1 {
		return -v
	}
	return v
}

// seconds returns ticks, per of them a second, as seconds. Whole seconds and
// the rest are converted apart so that nanoseconds keep what a float64 holds.
func seconds(ticks, per int64) float64 {
	return float64(ticks/per) + float64(ticks%per)/float64(per)
}
