package shelf

import (
	"encoding/binary"
	"math/bits"
)

// patterns are values that others are stored as the difference to: those of one model and
// one length have names, counts, zeros and ones of the same places in common. A pattern
// stays as long as a record needs it.
type patterns struct {
	slots [numPatterns]pattern
	bytes int64 // of all
	room  []byte
}

type pattern struct {
	bytes []byte
	used  int // records that are folded by it
}

const (
	numPatterns = 32 // a power of two, at most 256
	// patternBytes is the most that the patterns of a shelf take.
	patternBytes = 64 << 10
)

// A folded value is the number of its pattern, its length as a uvarint, and pairs of
// lengths, as uvarints: how many bytes are those of the pattern, and how many of its own
// follow, behind which these lie. Where the pattern ends the rest is its own.

// fold returns v as its difference to a pattern, valid until the next call; nil: that
// would not take a sixteenth less, and v is to be stored as it is.
func (p *patterns) fold(v []byte) []byte {
	if len(v) < 64 || len(v) > largest {
		return nil
	}
	at := len(v) & (numPatterns - 1)
	slot := &p.slots[at]
	if slot.used == 0 && !p.begin(slot, v) {
		return nil
	}
	base, most := slot.bytes, len(v)-len(v)/16
	out := binary.AppendUvarint(append(p.room[:0], byte(at)), uint64(len(v)))
	both := min(len(base), len(v))
	for i := 0; i < len(v) && len(out) < most; {
		run := equal(v[i:both], base[i:both])
		own := run + differing(v[i+run:both], base[i+run:both])
		if i+own == both {
			own = len(v) - i
		}
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(run)), uint64(own-run))
		out = append(out, v[i+run:i+own]...)
		i += own
	}
	p.room = out
	if len(out) >= most {
		return nil
	}
	slot.used++
	return out
}

// begin makes v the pattern of a slot that nobody needs; false: there is no room for it.
func (p *patterns) begin(slot *pattern, v []byte) bool {
	p.bytes -= int64(cap(slot.bytes))
	slot.bytes = append(slot.bytes[:0], v...)
	if p.bytes += int64(cap(slot.bytes)); p.bytes > patternBytes {
		p.bytes -= int64(cap(slot.bytes))
		slot.bytes = nil
		return false
	}
	return true
}

// unfold returns the value that was folded.
func (p *patterns) unfold(folded []byte) []byte {
	base := p.slots[folded[0]].bytes
	r := folded[1:]
	number := func() int {
		n, w := binary.Uvarint(r)
		r = r[w:]
		return int(n)
	}
	v := make([]byte, number())
	copy(v, base)
	for i := 0; len(r) > 0; {
		i += number()
		n := number()
		i += copy(v[i:], r[:n])
		r = r[n:]
	}
	return v
}

// leave is told that a folded value is gone.
func (p *patterns) leave(folded []byte) { p.slots[folded[0]].used-- }

// equal returns how many bytes a and b, of one length, have in common in the beginning.
func equal(a, b []byte) int {
	i := 0
	for ; i+8 <= len(a); i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i
}

// differing returns where the next run of equal bytes of a and b, of one length, begins, their
// length where there is none. It finds all of seven bytes or more and none of less than four,
// which would save nothing.
func differing(a, b []byte) int {
	for i := 0; i+8 <= len(a); i += 8 {
		x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:])
		if uint32(x) != 0 {
			if x>>32 != 0 {
				continue
			}
			i += 4
		}
		for i > 0 && a[i-1] == b[i-1] {
			i--
		}
		return i
	}
	return len(a)
}
