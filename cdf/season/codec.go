package season

import (
	"encoding/binary"
	"math"
)

// Beside the number of scores these say what follows: the clock, which rows that come at even times have not, and when the mean moved.
const (
	clocked = 2 * Window
	moves   = 2 * clocked
)

func (c *clock) numbers() [5]*int64 {
	return [5]*int64{&c.Rest, &c.Crowded, &c.Most, &c.Sparse, &c.Least}
}

// Amended reports whether Append appends a clock, or that the mean moved, which releases before these do not read.
func (a *Account) Amended() bool { return a != nil && (a.clock != (clock{}) || a.Moved > 0) }

// Append appends the account. But for a clock, and a mean that moved, it takes the same room from the first row on, so that a state does not
// grow with its stream.
func (a *Account) Append(b []byte) []byte {
	n, uneven := int64(len(a.Scores)), a.clock != (clock{})
	if uneven {
		n |= clocked
	}
	if a.Moved > 0 {
		n |= moves
	}
	for _, v := range [...]int64{a.Unit, a.Rows, a.Fresh, n} {
		b = binary.AppendUvarint(b, uint64(v))
	}
	if uneven {
		for _, v := range a.numbers() {
			b = binary.AppendVarint(b, *v)
		}
	}
	if a.Moved > 0 {
		b = binary.AppendUvarint(b, uint64(a.Moved))
	}
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(a.Period))
	for _, v := range a.Scores {
		b = append(b, byte(v))
	}
	return append(b, make([]byte, Window-len(a.Scores))...)
}

// Read reads what Append wrote and returns what follows; false where it cannot be that.
func (a *Account) Read(b []byte) (rest []byte, ok bool) {
	var v [4]uint64
	for i := range v {
		n := 0
		if v[i], n = binary.Uvarint(b); n <= 0 || v[i] > math.MaxInt64 {
			return nil, false
		}
		b = b[n:]
	}
	a.clock, a.Moved = clock{}, 0
	n := v[3] &^ (clocked | moves)
	if v[3]&clocked != 0 {
		for _, to := range a.numbers() {
			size := 0
			if *to, size = binary.Varint(b); size <= 0 {
				return nil, false
			}
			b = b[size:]
		}
		if a.clock == (clock{}) {
			return nil, false
		}
	}
	if v[3]&moves != 0 {
		ago, size := binary.Uvarint(b)
		if size <= 0 || ago == 0 || ago > longest {
			return nil, false
		}
		a.Moved, b = int64(ago), b[size:]
	}
	if n > Window || len(b) < 4+Window {
		return nil, false
	}
	a.Unit, a.Rows, a.Fresh = int64(v[0]), int64(v[1]), int64(v[2])
	a.Period = math.Float32frombits(binary.LittleEndian.Uint32(b))
	b = b[4:]
	a.Scores = make([]int8, n)
	for i, v := range b[:Window] {
		switch {
		case uint64(i) < n:
			a.Scores[i] = int8(v)
		case v != 0:
			return nil, false
		}
	}
	return b[Window:], a.Valid()
}
