package pipeline

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline/alert"
	"github.com/credence-stream/credence/pipeline/gather"
)

// maxRuns is how many producer runs a key remembers for telling repeats.
const maxRuns = 8

// run is the highest shard number applied of one producer run.
type run struct {
	id string
	n  uint64
}

// Envelope is what is stored around a key's snapshot: where its state stands
// in the log, and the summary that the snapshot of a model that draws cannot
// tell. The snapshot itself knows no offset.
type Envelope struct {
	Offset   int64 // of the last applied record
	Time     int64 // of that record, milliseconds since 1970
	Gaps     int   // ranges that had been given up by then
	Outlier  int64 // one past the offset of the last record that has outliers, 0 where none has
	Snapshot []byte
	Summary  []byte        // see cdf.Filter.AppendSummary; empty where the snapshot tells it
	Alerts   []alert.State // replaced, never changed
	// Waiting are rows that no shard has yet, nil: none. Ended is where the last shard
	// did, where records came since; nil: with the last applied record.
	Waiting *gather.Rows
	Ended   *gather.Mark
	Moved   *Moved // since the topic was rescaled no shard has ended; replaced, never changed
	runs    []run  // least recently used first
}

const (
	envelopeMagic = "CE"
	// Version 2 has a summary after the snapshot, version 3 that and the last
	// outlier, version 4 all of these, empty or not, and sections. Only what has them
	// is written so: a program that knows only version 1 reads the rest.
	envelopePlain   = 1
	envelopeSummary = 2
	envelopeOutlier = 3
	envelopeSection = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendBinary appends the stored form: magic, version, fields, the snapshot
// and a CRC-32C of all of it.
func (e *Envelope) AppendBinary(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = append(dst, envelopeMagic...)
	version := byte(envelopePlain)
	sections := e.Sections()
	switch {
	case len(sections) > 0:
		version = envelopeSection
	case e.Outlier > 0:
		version = envelopeOutlier
	case len(e.Summary) > 0:
		version = envelopeSummary
	}
	dst = append(dst, version)
	dst = binary.AppendVarint(dst, e.Offset)
	dst = binary.AppendVarint(dst, e.Time)
	dst = binary.AppendUvarint(dst, uint64(e.Gaps))
	if version >= envelopeOutlier {
		dst = binary.AppendVarint(dst, e.Outlier)
	}
	dst = e.appendRuns(dst)
	dst = binary.AppendUvarint(dst, uint64(len(e.Snapshot)))
	dst = append(dst, e.Snapshot...)
	if version >= envelopeSummary {
		dst = binary.AppendUvarint(dst, uint64(len(e.Summary)))
		dst = append(dst, e.Summary...)
	}
	dst = append(dst, sections...)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli)), nil
}

// UnmarshalBinary reads the stored form; Snapshot and Summary alias b. ErrDamaged,
// wrapped, says that b is not one, cdf.ErrLater that a later release wrote it: whatever
// the version, it begins with magic and version and ends with the checksum.
func (e *Envelope) UnmarshalBinary(b []byte) error {
	if len(b) < len(envelopeMagic)+5 || string(b[:2]) != envelopeMagic {
		return fmt.Errorf("%w: not a stored state", ErrDamaged)
	}
	body, sum := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return fmt.Errorf("%w: the checksum does not match", ErrDamaged)
	}
	version := body[2]
	switch {
	case version > envelopeSection:
		return fmt.Errorf("stored state %w: version %d, this one reads %d to %d", cdf.ErrLater, version, envelopePlain, envelopeSection)
	case version < envelopePlain:
		return fmt.Errorf("%w: stored state of version %d", ErrDamaged, version)
	}
	r := reader{b: body[3:]}
	*e = Envelope{Offset: r.varint(), Time: r.varint(), Gaps: int(r.uvarint())}
	if version >= envelopeOutlier {
		e.Outlier = r.varint()
		r.bad = r.bad || e.Outlier < 0 || e.Outlier == 0 && version == envelopeOutlier
	}
	e.runs = r.runs()
	e.Snapshot = r.bytes()
	if version >= envelopeSummary {
		e.Summary = r.bytes()
	}
	if version >= envelopeSection && !r.bad {
		if r.bad = len(r.b) == 0; !r.bad {
			return e.SetSections(r.b)
		}
	}
	if r.bad || len(r.b) > 0 {
		return fmt.Errorf("%w: stored state of a wrong length", ErrDamaged)
	}
	return nil
}

func (e *Envelope) appendRuns(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(e.runs)))
	for _, r := range e.runs {
		dst = binary.AppendUvarint(dst, uint64(len(r.id)))
		dst = append(dst, r.id...)
		dst = binary.AppendUvarint(dst, r.n)
	}
	return dst
}

// Repeats returns the table by which repeats are told, in the stored form.
func (e *Envelope) Repeats() []byte { return e.appendRuns(nil) }

// SetRepeats replaces the table by one that Repeats returned; ErrDamaged,
// wrapped, says that it is none.
func (e *Envelope) SetRepeats(b []byte) error {
	r := reader{b: b}
	runs := r.runs()
	if r.bad || len(r.b) > 0 {
		return fmt.Errorf("%w: table of repeats of a wrong length", ErrDamaged)
	}
	e.runs = runs
	return nil
}

// reader takes fields off the front of b; bad is set once one is missing.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	r.skip(n)
	return v
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	r.skip(n)
	return v
}

func (r *reader) runs() []run {
	n := r.uvarint()
	if n > maxRuns {
		r.bad = true
	}
	var runs []run
	for i := uint64(0); i < n && !r.bad; i++ {
		id := string(r.bytes())
		runs = append(runs, run{id, r.uvarint()})
	}
	return runs
}

func (r *reader) bytes() []byte {
	n := r.uvarint()
	if r.bad || n > uint64(len(r.b)) {
		r.bad = true
		return nil
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) skip(n int) {
	if n <= 0 {
		r.bad, r.b = true, nil
		return
	}
	r.b = r.b[n:]
}

// ShardHeader is the record header by which repeats are told: its value is
// `<run>/<n>` with n increasing per key within a run.
const ShardHeader = "credence-shard"

// maxRun is the longest name of a run in bytes. A replayed dead letter's holds
// the name of a topic.
const maxRun = 300

// ParseShard splits the value of ShardHeader into run and number. A value that
// is not of the header's form says nothing about repeats: ok is false.
func ParseShard(value []byte) (run string, n uint64, ok bool) { return parseShard(value) }

// parseShard splits the value of ShardHeader. A value that is not of its form
// says nothing about repeats.
func parseShard(value []byte) (id string, n uint64, ok bool) {
	s := string(value)
	slash := strings.LastIndexByte(s, '/')
	if slash <= 0 || slash > maxRun {
		return "", 0, false
	}
	n, err := strconv.ParseUint(s[slash+1:], 10, 64)
	return s[:slash], n, err == nil
}

// repeated reports whether shard n of the run was applied before.
func (e *Envelope) repeated(id string, n uint64) bool {
	for _, r := range e.runs {
		if id == r.id {
			return n <= r.n
		}
	}
	return false
}

// remember notes that shard n of the run is applied, forgetting the run that
// was quiet for longest when there are too many.
func (e *Envelope) remember(id string, n uint64) {
	for i, r := range e.runs {
		if id == r.id {
			e.runs = append(append(e.runs[:i], e.runs[i+1:]...), run{id, n})
			return
		}
	}
	if len(e.runs) == maxRuns {
		e.runs = append(e.runs[:0], e.runs[1:]...)
	}
	e.runs = append(e.runs, run{id, n})
}
