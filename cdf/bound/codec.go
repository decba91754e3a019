package bound

import (
	"encoding/binary"
	"math"
)

// size is what an account takes in a state.
const size = 7*4 + 5*8

// values are the responses that an account holds.
func (a *Account) values() [5]*float64 {
	return [...]*float64{&a.Last, &a.Ends[0].Value, &a.Ends[0].Next, &a.Ends[1].Value, &a.Ends[1].Next}
}

// Append appends what Read reads.
func (a *Account) Append(b []byte) []byte {
	for _, v := range a.counts() {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(*v))
	}
	for _, v := range a.values() {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(*v))
	}
	return b
}

// Read reads what Append wrote, and returns what follows. It reports whether Add can have left it.
func (a *Account) Read(b []byte) (rest []byte, ok bool) {
	if len(b) < size {
		return nil, false
	}
	for _, v := range a.counts() {
		*v, b = math.Float32frombits(binary.LittleEndian.Uint32(b)), b[4:]
	}
	for _, v := range a.values() {
		*v, b = math.Float64frombits(binary.LittleEndian.Uint64(b)), b[8:]
	}
	return b, a.valid()
}

func (a *Account) valid() bool {
	for _, v := range a.counts() {
		if !(*v >= 0 && *v <= recalled) {
			return false
		}
	}
	low, high := &a.Ends[0], &a.Ends[1]
	least, greatest := low.Value, high.Value
	inside := func(v float64) bool { return least < v && v < greatest }
	return a.Rows > 0 && a.Equal <= a.Between && least-least == 0 && greatest-greatest == 0 && least <= greatest &&
		(inside(a.Last) || math.IsInf(a.Last, 1)) &&
		least < low.Next && (low.Next <= greatest || math.IsInf(low.Next, 1)) &&
		greatest > high.Next && (high.Next >= least || math.IsInf(high.Next, -1))
}
