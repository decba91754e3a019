package live

import (
	"encoding/binary"
	"slices"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// Point is a posterior as of a shard, with what was known of its key's
// calibration then. Rows beside their predictions are what Observed returns: it has none.
type Point struct {
	*pipeline.Point
	inside inside
}

// Flags returns the flags that held then.
func (p Point) Flags() []string { return flags(p.Point, p.inside) }

// The bytes of a point are two wordsIDs, flags, whole numbers, the transforms where the
// shard was scored, the numbers of the head, and the variables.
const (
	pointDeleted = 1 << iota
	pointPublished
	pointWeak
	pointPriorDominated
	pointFlagged
	pointScored
)

const (
	headNumbers = 8
	pointWords  = 8 // bytes of the two wordsIDs
)

// appendPoint appends the bytes of a point, without its key, and holds its words.
func (f *Feed) appendPoint(dst []byte, p Point) []byte {
	o := p.Point
	var kind wordsID
	if o.Kind != "" {
		kind = f.words.hold(useKind, []string{o.Kind, o.Variant})
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(kind))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(f.words.hold(useNames, o.Names)))
	flags, at := byte(0), len(dst)
	for _, flag := range [...]struct {
		bit byte
		up  bool
	}{
		{pointDeleted, o.Deleted},
		{pointPublished, o.Published},
		{pointWeak, o.Weak},
		{pointPriorDominated, o.PriorDominated},
		{pointFlagged, o.Flagged},
		{pointScored, o.Score.PIT != cdf.Transforms{}},
	} {
		if flag.up {
			flags |= flag.bit
		}
	}
	dst = append(dst, flags)
	for _, n := range [...]int64{
		int64(o.Partition), o.Offset, o.Time, o.T, o.N, o.Rows, int64(o.Variables),
		o.Score.Rows, o.Score.PredictedRows, int64(o.Score.Wild), int64(len(o.Numbers)),
	} {
		dst = binary.AppendVarint(dst, n)
	}
	if dst[at]&pointScored != 0 {
		for _, n := range o.Score.PIT {
			dst = binary.AppendUvarint(dst, uint64(n))
		}
	}
	s := &o.Score
	f.numbers = append(f.numbers[:0], o.NEff, o.MinESS, s.LogDensity, s.LogEvidence, s.RMSE, s.Coverage95, p.inside.rows, p.inside.held)
	return appendVariables(appendNumbers(dst, f.numbers), o.Numbers)
}

// readPoint fills a point of a key from its bytes and returns what is behind them. Without
// whole it has no numbers of variables, and nothing can be read after it.
func (f *Feed) readPoint(r reader, p *Point, whole bool) reader {
	o := p.Point
	numbers := o.Numbers[:0]
	*o = pipeline.Point{Key: o.Key}
	if kind := f.words.get(r.words()); kind != nil {
		o.Kind, o.Variant = kind[0], kind[1]
	}
	o.Names = f.words.get(r.words())
	flags := r.byte()
	o.Deleted, o.Published, o.Weak = flags&pointDeleted != 0, flags&pointPublished != 0, flags&pointWeak != 0
	o.PriorDominated, o.Flagged = flags&pointPriorDominated != 0, flags&pointFlagged != 0
	o.Partition, o.Offset, o.Time = int32(r.int()), r.int(), r.int()
	o.T, o.N, o.Rows, o.Variables = r.int(), r.int(), r.int(), int(r.int())
	s := &o.Score
	s.Rows, s.PredictedRows, s.Wild = r.int(), r.int(), uint32(r.int())
	n := int(r.int())
	if flags&pointScored != 0 {
		for i := range s.PIT {
			s.PIT[i] = uint32(r.uint())
		}
	}
	var head [headNumbers]float64
	r.numbers(head[:0], r.there(headNumbers), headNumbers)
	o.NEff, o.MinESS, s.LogDensity, s.LogEvidence, s.RMSE, s.Coverage95 = head[0], head[1], head[2], head[3], head[4], head[5]
	p.inside = inside{head[6], head[7]}
	if o.Numbers = numbers; whole && n > 0 {
		o.Numbers = r.variables(slices.Grow(numbers, n), n)
	}
	return r
}

// leavePoint lets go of the words that the bytes of a point hold.
func (f *Feed) leavePoint(r reader) {
	f.words.leave(r.words())
	f.words.leave(r.words())
}

// againPoint holds the words of a point's bytes once more.
func (f *Feed) againPoint(r reader) (kind, names wordsID) {
	kind, names = r.words(), r.words()
	f.words.again(kind)
	f.words.again(names)
	return kind, names
}
