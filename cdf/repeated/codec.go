package repeated

import (
	"encoding/binary"
	"math"
	"slices"
)

// Append appends the sketch, which is of one shard at least.
func (s *Sketch) Append(b []byte) []byte {
	b = binary.AppendVarint(b, s.Shards)
	for _, list := range s.lists() {
		n := slices.Index(list, 0)
		if n < 0 {
			n = len(list)
		}
		b = append(b, byte(n))
		for _, print := range list[:n] {
			b = binary.LittleEndian.AppendUint32(b, print)
		}
	}
	a := &s.Again
	if b = binary.AppendVarint(b, a.Shards); a.Shards > 0 {
		for _, v := range a.numbers() {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(*v))
		}
		b = append(b, byte(a.Far))
	}
	return b
}

// Read reads what Append wrote into an empty sketch and returns what follows; false where it
// cannot be that.
func (s *Sketch) Read(b []byte) (rest []byte, ok bool) {
	r := reader{b, true}
	s.Shards = r.int()
	for _, list := range s.lists() {
		n := int(r.take(1)[0])
		r.ok = r.ok && n <= len(list)
		for i := range list[:min(n, len(list))] {
			list[i] = binary.LittleEndian.Uint32(r.take(4))
			r.ok = r.ok && list[i] != 0
		}
	}
	a := &s.Again
	if a.Shards = r.int(); a.Shards > 0 {
		for _, v := range a.numbers() {
			*v = math.Float32frombits(binary.LittleEndian.Uint32(r.take(4)))
		}
		a.Far = int32(r.take(1)[0])
	}
	return r.b, r.ok && s.valid()
}

func (s *Sketch) lists() [2][]uint32 { return [...][]uint32{s.Recent[:], s.Least[:]} }

func (a *Again) numbers() [4]*float32 {
	return [...]*float32{&a.Bits, &a.Stood, &a.Rows, &a.Beyond}
}

// reader reads zeros once there is nothing left.
type reader struct {
	b  []byte
	ok bool
}

var zeros [4]byte

func (r *reader) take(n int) []byte {
	if len(r.b) < n {
		r.b, r.ok = nil, false
		return zeros[:n]
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.b, r.ok = nil, false
		return 0
	}
	r.b = r.b[n:]
	return v
}

// valid reports whether Add can have left this, of one shard at least.
func (s *Sketch) valid() bool {
	if s.Shards < 1 || s.Recent[0] == 0 || s.Least[0] == 0 {
		return false
	}
	for i := 1; i < least; i++ {
		if s.Least[i] != 0 && s.Least[i] <= s.Least[i-1] {
			return false
		}
	}
	for i, p := range s.Recent {
		if p != 0 && slices.Contains(s.Recent[:i], p) {
			return false
		}
	}
	return s.Again.valid(s.Shards)
}

func (a *Again) valid(shards int64) bool {
	if a.Shards == 0 {
		return *a == Again{}
	}
	for _, v := range a.numbers() {
		if !(*v >= 0 && *v <= math.MaxFloat32) {
			return false
		}
	}
	return a.Shards > 0 && a.Shards < shards && a.Bits >= Least && a.Bits <= certain && a.Stood >= 1 && a.Far >= 0 && a.Far <= 2
}
