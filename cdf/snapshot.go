package cdf

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
)

// A snapshot is
//
//	"CDFS" | version | fingerprint (32) | kind | variant | progress |
//	design, factors, account, scaling, model (all five only after the first shard) |
//	CRC-32C of everything before (4)
//
// It holds no offset, partition, owner or time of processing: two filters
// that absorbed the same shards under the same configuration have the same
// snapshot.
const (
	snapshotMagic   = "CDFS"
	snapshotVersion = 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendBinary appends the snapshot of the filter. The error is the model's,
// or that the state was lost.
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) {
	if f.broken != nil {
		return dst, f.broken
	}
	start := len(dst)
	b := append(dst, snapshotMagic...)
	b = append(b, snapshotVersion)
	b = append(b, f.print[:]...)
	b = appendString(b, f.spec.Kind)
	b = appendString(b, f.spec.Variant)
	s := &f.now
	b = s.appendProgress(b)
	b = appendBool(b, f.engine != nil)
	if f.engine != nil {
		b = s.design.append(b)
		for i := range s.factors {
			b = appendStrings(b, s.factors[i].levels)
		}
		b = s.account.append(b)
		b = s.scaling.append(b)
		// The model's length goes before it, and is known only after.
		at := len(b)
		b = append(b, make([]byte, 8)...)
		var err error
		if b, err = f.engine.model.AppendBinary(b); err != nil {
			return dst, err
		}
		f.bytes = len(b) - at - 8
		binary.LittleEndian.PutUint64(b[at:], uint64(f.bytes))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli)), nil
}

// MarshalBinary returns the snapshot of the filter.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// UnmarshalBinary replaces the state by that of a snapshot. ErrSnapshot,
// wrapped, says that the bytes are damaged, of a version that this build does
// not know, or made under another configuration; the filter then keeps the state
// it had. The bytes are not retained.
func (f *Filter) UnmarshalBinary(data []byte) error {
	h, r, err := open(data)
	if err != nil {
		return err
	}
	if r.err == nil && h.Fingerprint != f.print {
		return fmt.Errorf("%w: made by %s/%s under configuration %s, this is %s/%s under %s", ErrSnapshot,
			h.Kind, h.Variant, hex.EncodeToString(h.Fingerprint[:]), f.spec.Kind, f.spec.Variant, hex.EncodeToString(f.print[:]))
	}
	now := readProgress(&r)
	var fresh *engine
	size := 0
	if bound := r.bool(); bound {
		fresh, size = now.read(&r, f.spec)
	} else if now.t != 0 || now.n != 0 {
		r.fail("%d shards and no columns", now.t)
	}
	if r.err == nil && len(r.b) > 0 {
		r.fail("%d bytes too many", len(r.b))
	}
	if r.err != nil {
		return r.err
	}
	f.reset()
	f.now, f.engine, f.bytes = now, fresh, size
	f.view = view{stale: true}
	f.update, f.asked = layout{}, layout{}
	f.broken = nil
	return nil
}

// Head is what a snapshot says of itself before the model's part.
type Head struct {
	Fingerprint   [32]byte // of the spec that made it
	Kind, Variant string
	T, N          int64 // shards and rows absorbed
}

// ReadHead reads the head of a snapshot of any configuration and checks the
// checksum of all of it. ErrSnapshot, wrapped, says that the bytes are damaged
// or of a version that this build does not know.
func ReadHead(data []byte) (Head, error) {
	h, r, err := open(data)
	if err != nil {
		return h, err
	}
	now := readProgress(&r)
	h.T, h.N = now.t, now.n
	return h, r.err
}

// open checks a snapshot and reads of its head what precedes T and N, where
// the reader goes on.
func open(data []byte) (h Head, r reader, err error) {
	head := len(snapshotMagic) + 1 + len(h.Fingerprint)
	if len(data) < head+4 || string(data[:len(snapshotMagic)]) != snapshotMagic {
		return h, r, fmt.Errorf("%w: not a snapshot", ErrSnapshot)
	}
	if v := data[len(snapshotMagic)]; v != snapshotVersion {
		return h, r, fmt.Errorf("%w: version %d, this build reads %d", ErrSnapshot, v, snapshotVersion)
	}
	body := data[:len(data)-4]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(data[len(body):]) {
		return h, r, fmt.Errorf("%w: checksum does not match", ErrSnapshot)
	}
	copy(h.Fingerprint[:], body[len(snapshotMagic)+1:])
	r.b = body[head:]
	h.Kind, h.Variant = r.string(), r.string()
	return h, r, nil
}
