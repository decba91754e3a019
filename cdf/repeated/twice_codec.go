package repeated

import (
	"encoding/binary"
	"math"
)

// Append appends what Read reads.
func (a *Twice) Append(b []byte) []byte {
	for _, v := range a.counts() {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(*v))
	}
	b = append(b, byte(a.Shards), byte(a.Kept), byte(a.Next))
	for _, r := range a.Last[:a.Kept] {
		b = binary.LittleEndian.AppendUint32(b, r.Columns)
		b = binary.LittleEndian.AppendUint32(b, r.Response)
	}
	return b
}

// Read reads what Append wrote into an empty account and returns what follows; false where it cannot be that.
func (a *Twice) Read(b []byte) (rest []byte, ok bool) {
	r := reader{b, true}
	for _, v := range a.counts() {
		*v = math.Float32frombits(binary.LittleEndian.Uint32(r.take(4)))
	}
	for _, n := range [...]*int32{&a.Shards, &a.Kept, &a.Next} {
		*n = int32(r.take(1)[0])
	}
	r.ok = r.ok && a.valid()
	for i := range a.Last[:min(a.Kept, prints)] {
		a.Last[i] = Row{binary.LittleEndian.Uint32(r.take(4)), binary.LittleEndian.Uint32(r.take(4))}
	}
	return r.b, r.ok
}

// counts are the numbers of an account.
func (a *Twice) counts() [10]*float32 {
	e := a.evidence()
	return [...]*float32{&a.Again, e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7], e[8]}
}

// valid reports whether Add can have left the counts.
func (a *Twice) valid() bool {
	for _, v := range a.counts() {
		if !(*v >= 0 && *v <= math.MaxFloat32) {
			return false
		}
	}
	full := a.Kept == prints
	return a.Squares > 0 && a.Many <= a.Sets && a.Found <= a.Alike && a.Shards <= leastShards &&
		a.Kept > 0 && a.Kept <= prints && (a.Next == a.Kept && !full || a.Next < prints && full)
}
