package cdf

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf/bound"
	"github.com/credence-stream/credence/cdf/correlated"
	"github.com/credence-stream/credence/cdf/repeated"
	"github.com/credence-stream/credence/cdf/season"
)

// The snapshot is made of unsigned and zigzag varints, little-endian floats,
// and strings and lists that begin with their length.

func appendFloat(b []byte, v float64) []byte {
	if math.IsNaN(v) {
		v = math.NaN() // one bit pattern, however it came about
	}
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

func appendFloats(b []byte, v []float64) []byte {
	for _, x := range v {
		b = appendFloat(b, x)
	}
	return b
}

func appendFloat32(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendStrings(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = appendString(b, s)
	}
	return b
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// reader takes a snapshot apart. After the first failure it returns zeros;
// err says what was wrong. It allocates no more than the bytes it was given
// account for.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: "+format, append([]any{ErrSnapshot}, args...)...)
	}
	r.b = nil
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.fail("cut short")
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail("cut short")
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail("cut short")
		return 0
	}
	r.b = r.b[n:]
	return v
}

// natural reads a count that is not backed by bytes of its own.
func (r *reader) natural() int64 {
	v := r.int()
	if v < 0 {
		r.fail("negative count %d", v)
		return 0
	}
	return v
}

// length reads the length of a list whose elements take at least size bytes.
func (r *reader) length(size int) int {
	n := r.uint()
	if n > uint64(len(r.b)/size) {
		r.fail("a list of %d elements in %d bytes", n, len(r.b))
		return 0
	}
	return int(n)
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) bool() bool {
	switch b := r.take(1); {
	case b == nil:
		return false
	case b[0] > 1:
		r.fail("neither true nor false")
		return false
	default:
		return b[0] == 1
	}
}

func (r *reader) float() float64 {
	b := r.take(8)
	if b == nil {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

// float32 reads one that is finite.
func (r *reader) float32() float32 {
	b := r.take(4)
	if b == nil {
		return 0
	}
	v := math.Float32frombits(binary.LittleEndian.Uint32(b))
	if !finite(float64(v)) {
		r.fail("a number is not finite")
	}
	return v
}

// floats reads n floats, all finite.
func (r *reader) floats(n int) []float64 {
	if n < 0 || n > len(r.b)/8 {
		r.fail("cut short")
		return nil
	}
	v := make([]float64, n)
	for i := range v {
		if v[i] = r.float(); !finite(v[i]) {
			r.fail("a number is not finite")
			return nil
		}
	}
	return v
}

func (r *reader) string() string { return string(r.take(r.length(1))) }

func (r *reader) strings() []string {
	n := r.length(1)
	list := make([]string, 0, n)
	for range n {
		list = append(list, r.string())
	}
	return list
}

// The parts that a snapshot holds only where they are something, by their bits in the byte that says
// which of them follow, in this order, and in a second byte that follows it where there are others.
const (
	partErrors      = 1 << iota // the one that snapshots of version 3 have
	partRepeats                 // of a key some of whose shards told enough to be remembered
	partReliability             // of a model of two classes
	partTimeless                // the last shard's time was ignored: nothing follows
	partCurved                  // of columns that may lack a curve
	partMore                    // there is a second byte
	partSeason                  // of a time series
	partFar                     // values far behind the first rows
	partUnequal                 // of groups that a model has one variance for
	partAmended                 // releases before this part do not read the model's state, or a part: nothing follows
	partUneven                  // of columns that the size of errors may depend on, beside partCurved
	partBound                   // of measurements one of whose shards had an extreme several times
	partTwice                   // of measurements of which a row came again in its shard
	partSerial                  // of rows whose neighbours' errors were alike
	allParts        = 1<<iota - 1
)

// held returns the bits of the parts that are there.
func (s *state) held() (bits uint16) {
	a := &s.account
	if a.errors != (correlated.Errors{}) {
		bits |= partErrors
	}
	if a.repeats.Shards > 0 {
		bits |= partRepeats
	}
	if a.reliability != nil && a.reliability.Rows > 0 {
		bits |= partReliability
	}
	if a.curved != nil {
		bits |= partCurved
	}
	if a.season != nil {
		bits |= partSeason
	}
	if s.timeless {
		bits |= partTimeless
	}
	if a.far > 0 {
		bits |= partFar
	}
	if a.unequal != nil {
		bits |= partMore | partUnequal
	}
	if s.amended {
		bits |= partMore | partAmended
	}
	if a.curved != nil && a.curved.Uneven.Rows > 0 {
		bits |= partMore | partUneven
	}
	if a.bound != nil {
		bits |= partMore | partBound
	}
	if a.twice != nil {
		bits |= partMore | partTwice
	}
	if a.serial > 0 {
		bits |= partMore | partSerial
	}
	return bits
}

// appendParts appends the parts that are there, in a snapshot of a version.
func (s *state) appendParts(b []byte, version byte) []byte {
	bits, a := s.held(), &s.account
	if version >= snapshotParts {
		if b = append(b, byte(bits)); bits&partMore != 0 {
			b = append(b, byte(bits>>8))
		}
	}
	if bits&partErrors != 0 {
		b = a.appendErrors(b)
	}
	if bits&partRepeats != 0 {
		b = a.repeats.Append(b)
	}
	if bits&partReliability != 0 {
		b = a.appendReliability(b)
	}
	if bits&partCurved != 0 {
		b = a.curved.Append(b)
	}
	if bits&partSeason != 0 {
		b = a.season.Append(b)
	}
	if bits&partFar != 0 {
		b = appendFloat(b, a.far)
	}
	if bits&partUnequal != 0 {
		b = a.unequal.Append(b)
	}
	if bits&partUneven != 0 {
		b = a.curved.AppendUneven(b)
	}
	if bits&partBound != 0 {
		b = a.bound.Append(b)
	}
	if bits&partTwice != 0 {
		b = a.twice.Append(b)
	}
	if bits&partSerial != 0 {
		b = appendFloat32(b, float32(a.serial))
	}
	return b
}

// readParts reads what appendParts wrote.
func (s *state) readParts(r *reader, version byte, spec *Spec, from *spare) {
	bits, a := uint16(0), &s.account
	switch {
	case version == snapshotErrors:
		bits = partErrors
	case version >= snapshotParts:
		if bits = uint16(r.byte()); bits&partMore != 0 {
			bits |= uint16(r.byte()) << 8
		}
		if bits <= partErrors || bits&partMore != 0 && bits>>8 == 0 {
			r.fail("parts %b in version %d", bits, version)
		} else if bits&^allParts != 0 {
			r.err, r.b = fmt.Errorf("%w %w: parts %b, this one reads %b", ErrSnapshot, ErrLater, bits, allParts), nil
		}
	}
	if r.err == nil && bits&partErrors != 0 {
		a.readErrors(r)
	}
	if r.err == nil && bits&partRepeats != 0 {
		a.readRepeats(r)
	}
	if r.err == nil && bits&partReliability != 0 {
		a.readReliability(r, s.design)
	}
	if r.err == nil && bits&partCurved != 0 {
		ok := false
		a.curved = from.curves()
		if r.b, ok = a.curved.Read(r.b); !ok {
			r.fail("%+v in the account of curves", *a.curved)
		}
	}
	if r.err == nil && bits&partSeason != 0 {
		ok := false
		a.season = new(season.Account)
		if r.b, ok = a.season.Read(r.b); !ok {
			r.fail("%+v in the account of a season", *a.season)
		}
	}
	if r.err == nil && bits&partFar != 0 {
		if a.far = r.float(); !(a.far > 0 && finite(a.far)) {
			r.fail("squares of %g far from the centre", a.far)
		}
	}
	if r.err == nil && bits&partUnequal != 0 {
		ok := false
		a.unequal = from.groups()
		if r.b, ok = a.unequal.Read(r.b); !ok || len(s.factors) == 0 || len(a.unequal.Groups) != len(s.factors[0].levels) {
			r.fail("an account of %d groups, or of others", len(a.unequal.Groups))
		}
	}
	if r.err == nil && bits&partUneven != 0 {
		ok := false
		if r.b, ok = a.curved.ReadUneven(r.b); !ok {
			r.fail("an account of how the size of errors depends on columns")
		}
	}
	a.readMeasurements(r, bits, spec)
	if r.err == nil && bits&partSerial != 0 {
		a.readSerial(r)
	}
	s.amended = bits&partAmended != 0
	if s.timeless = bits&partTimeless != 0; s.timeless && !spec.ages() {
		r.fail("a time was ignored, and none is needed")
	}
}

// readSerial reads what is known of correlation from row to row, which is not written where it is 0.
func (a *account) readSerial(r *reader) {
	if a.serial = correlated.Serial(r.float32()); r.err == nil && !a.serial.Valid() {
		r.fail("%g in the account of correlation from row to row", a.serial)
	}
}

// readMeasurements reads the parts that measurements alone have.
func (a *account) readMeasurements(r *reader, bits uint16, spec *Spec) {
	ok := false
	if r.err == nil && bits&partBound != 0 {
		a.bound = new(bound.Account)
		if r.b, ok = a.bound.Read(r.b); !ok || spec.RawResponse {
			r.fail("%+v in the account of the ends of responses", *a.bound)
		}
	}
	if r.err == nil && bits&partTwice != 0 {
		a.twice = new(repeated.Twice)
		if r.b, ok = a.twice.Read(r.b); !ok || spec.RawResponse || spec.Steps {
			r.fail("%+v in the account of rows that came again", *a.twice)
		}
	}
}

// readRepeats reads what is remembered of shards.
func (a *account) readRepeats(r *reader) {
	var ok bool
	if r.b, ok = a.repeats.Read(r.b); !ok {
		r.fail("%+v in the account of shards that came again", a.repeats)
	}
}
