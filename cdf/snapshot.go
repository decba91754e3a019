package cdf

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/credence-stream/credence/cdf/reliability"
)

// A snapshot is
//
//	"CDFS" | version | fingerprint (32) | kind | variant | progress | drops |
//	design, factors, account, parts, scaling, model (all six only after the first shard) |
//	CRC-32C of everything before (4)
//
// Whatever the version, it begins with magic and version and ends with the checksum:
// that tells a later release's from a damaged one. A state is written in the lowest version that holds it. Drops are there from
// version 2 on, and in that only of a key whose rows were dropped: one of version 1 may have dropped some, which were not counted
// then. In version 3 there is one part, what is known of correlated errors; in version 4 a byte, or two, say which parts there
// are. A part is there only where that is something.
//
// It holds no offset, partition, owner or time of processing: two filters
// that absorbed the same shards under the same configuration have the same
// snapshot.
const (
	snapshotMagic  = "CDFS"
	snapshotFirst  = 1
	snapshotDrops  = 2
	snapshotErrors = 3
	snapshotParts  = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendBinary appends the snapshot of the filter. The error is the model's,
// or that the state was lost.
func (f *Filter) AppendBinary(dst []byte) ([]byte, error) {
	if f.broken != nil {
		return dst, f.broken
	}
	start := len(dst)
	f.now.amended = f.now.amends(f.engine)
	b := append(dst, snapshotMagic...)
	version := f.now.version()
	b = append(b, version)
	b = append(b, f.print[:]...)
	b = appendString(b, f.spec.Kind)
	b = appendString(b, f.spec.Variant)
	s := &f.now
	b = s.appendProgress(b)
	if version >= snapshotDrops {
		b = appendDrops(b, s.drops)
	}
	b = appendBool(b, f.engine != nil)
	if f.engine != nil {
		b = s.design.append(b)
		for i := range s.factors {
			b = appendStrings(b, s.factors[i].levels)
		}
		b = s.account.append(b)
		b = s.appendParts(b, version)
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

// amends reports whether the model's state, or a part, is one that releases before partAmended do not read.
func (s *state) amends(e *engine) bool {
	return e != nil && e.amender != nil && e.amender.Amended() || s.account.season.Amended()
}

// version is the lowest that holds the state.
func (s *state) version() byte {
	switch held := s.held(); {
	case held > partErrors:
		return snapshotParts
	case held == partErrors:
		return snapshotErrors
	case len(s.drops) > 0:
		return snapshotDrops
	}
	return snapshotFirst
}

// MarshalBinary returns the snapshot of the filter.
func (f *Filter) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// UnmarshalBinary replaces the state by that of a snapshot. ErrSnapshot,
// wrapped, says that the bytes are damaged, of a later version (then ErrLater is
// wrapped, too), or made under another configuration; the filter then keeps the state
// it had. The bytes are not retained.
func (f *Filter) UnmarshalBinary(data []byte) error {
	h, r, err := open(data)
	if err != nil {
		return err
	}
	if r.err == nil && h.print != f.print {
		return fmt.Errorf("%w: made by %s/%s under configuration %s, this is %s/%s under %s", ErrSnapshot,
			h.kind, h.variant, hex.EncodeToString(h.print[:]), f.spec.Kind, f.spec.Variant, hex.EncodeToString(f.print[:]))
	}
	now := readProgress(&r)
	if h.version >= snapshotDrops {
		if now.drops = readDrops(&r); len(now.drops) == 0 && h.version == snapshotDrops {
			r.fail("version %d and no rows dropped", h.version)
		}
	}
	var fresh *engine
	size := 0
	if bound := r.bool(); bound {
		fresh, size = now.read(&r, h.version, f.spec, f.ws)
	} else if now.t != 0 || now.n != 0 {
		r.fail("%d shards and no columns", now.t)
	}
	if r.err == nil && len(r.b) > 0 {
		r.fail("%d bytes too many", len(r.b))
	}
	if r.err != nil {
		return r.err
	}
	if now.design != f.now.design {
		f.update, f.asked = layout{}, layout{}
	}
	was, engine := f.now, f.engine
	f.reset() // nothing refers to what was any more
	if f.broken == nil {
		f.ws.spare.take(&was, engine)
	}
	f.now, f.engine, f.bytes = now, fresh, size
	f.outdated()
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
// or, with ErrLater, of a later version.
func ReadHead(data []byte) (Head, error) {
	h, r, err := open(data)
	if err != nil {
		return Head{}, err
	}
	now := readProgress(&r)
	return Head{h.print, string(h.kind), string(h.variant), now.t, now.n}, r.err
}

// opened is what a snapshot says of itself before T and N, as it lies there.
type opened struct {
	version       byte
	print         [32]byte
	kind, variant []byte
}

// open checks a snapshot and reads its head up to T and N, where the reader
// goes on.
func open(data []byte) (h opened, r reader, err error) {
	head := len(snapshotMagic) + 1 + len(h.print)
	if len(data) < head+4 || string(data[:len(snapshotMagic)]) != snapshotMagic {
		return h, r, fmt.Errorf("%w: not a snapshot", ErrSnapshot)
	}
	h.version = data[len(snapshotMagic)]
	body := data[:len(data)-4]
	switch {
	case crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(data[len(body):]):
		return h, r, fmt.Errorf("%w: checksum does not match", ErrSnapshot)
	case h.version > snapshotParts:
		return h, r, fmt.Errorf("%w %w: version %d, this one reads %d to %d", ErrSnapshot, ErrLater, h.version, snapshotFirst, snapshotParts)
	case h.version < snapshotFirst:
		return h, r, fmt.Errorf("%w: version %d, there was none before %d", ErrSnapshot, h.version, snapshotFirst)
	}
	copy(h.print[:], body[len(snapshotMagic)+1:])
	r.b = body[head:]
	h.kind, h.variant = r.take(r.length(1)), r.take(r.length(1))
	return h, r, nil
}

// Rounded is a model whose state holds numbers that follow from its sums and prior, in an order of operations that may
// change between releases.
type Rounded interface {
	// TakeRounded takes these numbers over from a model of the same kind and settings, and reports
	// whether they are its own but for the last digits: RoundedSame.
	TakeRounded(from Model) bool
}

// rounding is the relative difference up to which two numbers count as one that was
// computed in another order.
const rounding = 1e-9

// RoundedSame reports whether a and b differ by rounding at most, by 1e-9 of the larger.
func RoundedSame(a, b float64) bool {
	return a == b || math.Abs(a-b) <= rounding*max(math.Abs(a), math.Abs(b))
}

// SameSums reports whether two snapshots of this configuration come from the same sums over the same shards: whether
// they differ, if at all, in the last digits of what follows from these, which are scores, the evidence, the account of
// predictions and what a Rounded names, and in what is behind the flags of predictions. So they do where another release has
// computed that in another order, or judges otherwise.
func (s *Spec) SameSums(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, y := NewFilter(s, ""), NewFilter(s, "")
	if x.UnmarshalBinary(a) != nil || y.UnmarshalBinary(b) != nil || (x.engine == nil) != (y.engine == nil) {
		return false
	}
	if x.engine == nil || !y.now.takeRounded(&x.now) {
		return false
	}
	if m, ok := y.engine.model.(Rounded); ok && !m.TakeRounded(x.engine.model) {
		return false
	}
	again, err := y.MarshalBinary()
	return err == nil && bytes.Equal(again, a)
}

// takeRounded is TakeRounded of all that a state holds beside its model. Logarithms are of products, and lose
// digits where they are near 0. So does the error of rows that the columns give exactly, which is a difference: the inverse of
// their density is about the unit of their prediction.
func (s *state) takeRounded(from *state) bool {
	same := true
	number := func(to *float64, v, unit float64) {
		same = same && (RoundedSame(*to, v) || math.Abs(*to-v) <= rounding*unit || math.IsNaN(*to) && math.IsNaN(v))
		*to = v
	}
	score := func(to, from *Score) {
		number(&to.LogDensity, from.LogDensity, 1)
		number(&to.LogEvidence, from.LogEvidence, 1+math.Abs(s.evidence))
		number(&to.RMSE, from.RMSE, math.Exp(-from.LogDensity))
		number(&to.Coverage95, from.Coverage95, 0)
	}
	score(&s.score, &from.score)
	score(&s.scaled, &from.scaled)
	number(&s.evidence, from.evidence, 1)
	s.account = from.account // judgements, whose rules may change as well
	return same
}

// appendReliability appends what is known of predicted probabilities.
func (a *account) appendReliability(b []byte) []byte {
	known := a.reliability
	b = appendFloat32(b, known.Rows)
	b = appendSums(b, known.Classes[:])
	return appendSums(b, known.Curves)
}

func appendSums(b []byte, sums []reliability.Sum) []byte {
	for i := range sums {
		b = appendFloat32(appendFloat32(b, sums[i].Off), sums[i].Variance)
	}
	return b
}

// readReliability reads what appendReliability wrote of a key of the design.
func (a *account) readReliability(r *reader, d *design) {
	if 8*len(d.names) > len(r.b) {
		r.fail("cut short")
		return
	}
	known := &reliability.Account{Rows: r.float32(), Curves: make([]reliability.Sum, len(d.names)), Intercept: d.intercept()}
	readSums(r, known.Classes[:])
	readSums(r, known.Curves)
	if r.err == nil && !known.Valid() {
		r.fail("%+v in the account of probabilities", *known)
	}
	a.reliability = known
}

func readSums(r *reader, sums []reliability.Sum) {
	for i := range sums {
		sums[i] = reliability.Sum{Off: r.float32(), Variance: r.float32()}
	}
}
