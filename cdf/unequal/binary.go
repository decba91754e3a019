package unequal

import (
	"encoding/binary"
	"math"
	"slices"
)

// headBytes and groupBytes are what an account takes in a state without its groups, and each of these.
const (
	headBytes  = 21
	groupBytes = 11
)

// numbers are those that a state holds of an account.
func (a *Account) numbers() [5]*float32 {
	return [...]*float32{&a.Threes, &a.Scale, &a.Middle, &a.Sum, &a.Variance}
}

// Append appends what Read reads.
func (a *Account) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(a.Groups)))
	for _, v := range a.numbers() {
		b = append32(b, *v)
	}
	early := byte(0)
	if a.Early {
		early = 1
	}
	b = append(b, early)
	at, size := len(b), len(a.Groups)*groupBytes
	b = slices.Grow(b, size)[:at+size]
	for i := range a.Groups {
		g, to := &a.Groups[i], b[at+i*groupBytes:][:groupBytes]
		binary.LittleEndian.PutUint32(to, math.Float32bits(g.first))
		binary.LittleEndian.PutUint32(to[4:], math.Float32bits(g.second))
		binary.LittleEndian.PutUint16(to[8:], uint16(g.off))
		to[10] = g.count
	}
	return b
}

func append32(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

// Read reads what Append wrote, and returns what follows. Groups that the account has are room. It reports whether Add can have left it.
func (a *Account) Read(b []byte) (rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)/groupBytes) || len(b)-size < headBytes+int(n)*groupBytes {
		return nil, false
	}
	b = b[size:]
	for i, to := range a.numbers() {
		*to = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	early := b[headBytes-1]
	a.Early, b = early == 1, b[headBytes:]
	if cap(a.Groups) < int(n) {
		a.Groups = make([]Group, n)
	}
	a.Groups = a.Groups[:n]
	finite := true
	for i := range a.Groups {
		g := b[i*groupBytes:][:groupBytes]
		first, second := math.Float32frombits(binary.LittleEndian.Uint32(g)), math.Float32frombits(binary.LittleEndian.Uint32(g[4:]))
		finite = finite && max(first, -first, second, -second) <= 2*greatest
		a.Groups[i] = Group{first, second, int16(binary.LittleEndian.Uint16(g[8:])), g[10]}
		finite = finite && g[10]&3 < 3
	}
	return b[int(n)*groupBytes:], early <= 1 && finite && a.valid()
}

func (a *Account) valid() bool {
	for _, v := range a.numbers() {
		if !(max(*v, -*v) <= math.MaxFloat32) {
			return false
		}
	}
	return min(a.Threes, a.Scale, a.Middle, a.Variance) >= 0 && a.Threes <= recalled && a.Middle <= 1
}
