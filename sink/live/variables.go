package live

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/credence-stream/credence/cdf"
)

// A variable is the numbers of a cdf.Row in the order of cdf.RowColumns.
const (
	columnMean = iota
	columnSD
	columnMedian
	columnQ025
	columnQ05
	columnQ25
	columnQ75
	columnQ95
	columnQ975
	columnMCSE
	columns = len(cdf.RowColumns)
)

// missing is the size that a number has which is not there: no bytes.
const missing = 9

// sizesBytes are those of the sizes of the numbers of a variable, two in a byte.
const sizesBytes = (columns + 1) / 2

// variable is one of a list and what the one before tells of it. A law is about as long to both sides of its median, and those of
// a model have about the same form: quantiles are about as many sds from the mean as those of the variable before.
type variable struct {
	is, was [columns]float64
	sds     [3]float64 // from the mean down to q2.5, q5 and q25
}

// first is before any variable.
func (v *variable) first() {
	*v = variable{sds: [3]float64{1.96, 1.64, .67}}
}

// next makes the variable the one before.
func (v *variable) next() {
	v.was = v.is
	if sd := v.is[columnSD]; sd > 0 {
		for i := range v.sds {
			v.sds[i] = (v.is[columnMean] - v.is[columnQ025+i]) / sd
		}
	}
}

// guess returns what the numbers are about, each by those in front of it: every number for itself, so that it is the same where these are
// read and where they are written. Products are rounded, since a fused one has other bits.
func (v *variable) guess() (g [columns]float64) {
	is := &v.is
	g[columnSD], g[columnMedian] = v.was[columnSD], is[columnMean]
	for i, sds := range v.sds {
		g[columnQ025+i] = is[columnMean] - float64(sds*is[columnSD])
	}
	twice := is[columnMedian] + is[columnMedian]
	g[columnQ75], g[columnQ95], g[columnQ975] = twice-is[columnQ25], twice-is[columnQ05], twice-is[columnQ025]
	copy(g[columnMCSE:], v.was[columnMCSE:])
	return g
}

// appendVariables appends variables: of each the sizes of its numbers, and of each number how far its bits are from those of what it is about. All
// come back with the same bits. Those of a closed form take some 30 bytes in place of 80.
func appendVariables(dst []byte, list []float64) []byte {
	var v variable
	v.first()
	var room [sizesBytes + 8*columns + 8]byte
	for ; len(list) >= columns; list = list[columns:] {
		v.is = [columns]float64(list)
		guess, at := v.guess(), sizesBytes
		clear(room[:at])
		for i, n := range v.is {
			b := math.Float64bits(n)
			off := int64(b - math.Float64bits(guess[i]))
			far := uint64(off<<1) ^ uint64(off>>63)
			size := (bits.Len64(far) + 7) / 8
			binary.LittleEndian.PutUint64(room[at:], far)
			if at += size; b == undefined {
				at, size = at-size, missing
			}
			room[i/2] |= byte(size) << (i % 2 * 4)
		}
		dst = append(dst, room[:at]...)
		v.next()
	}
	return dst
}

// variables appends n numbers that appendVariables has appended, which come next.
func (r *reader) variables(dst []float64, n int) []float64 {
	var v variable
	v.first()
	for ; n >= columns; n -= columns {
		sizes := (*r)[:sizesBytes]
		*r = (*r)[sizesBytes:]
		var guess [columns]float64
		for i := range columns {
			switch i { // what the next ones are about is known by now
			case columnMean, columnMedian, columnQ025, columnQ75:
				guess = v.guess()
			}
			size := int(sizes[i/2] >> (i % 2 * 4) & 15)
			if size == missing {
				v.is[i] = math.NaN()
				continue
			}
			far := uint64(0)
			for k, b := range (*r)[:size] {
				far |= uint64(b) << (8 * k)
			}
			*r = (*r)[size:]
			off := far>>1 ^ -(far & 1)
			v.is[i] = math.Float64frombits(math.Float64bits(guess[i]) + off)
		}
		dst = append(dst, v.is[:]...)
		v.next()
	}
	return dst
}
