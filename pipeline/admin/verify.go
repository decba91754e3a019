package admin

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/quota"
)

// Verifier recomputes stored state from the log and compares bit by bit, but for the last digits of what follows from a
// state's sums (cdf.Spec.SameSums). It claims nothing and writes nothing, so workers may run meanwhile.
type Verifier struct {
	Log pipeline.Log // to look at what there is
	// NewLog returns what reads it as a worker did under such limits: which
	// records are refused unread depends on them.
	NewLog func(pipeline.Limits) (pipeline.Log, error)
	Store  pipeline.Store
	Reader pipeline.Reader
	Rules  *pipeline.Rules
	// Past is what the topic's partitions were before it was rescaled, and Count how
	// many it has now; Home returns the partition of a key among n, a hash of it modulo n.
	Past  []pipeline.Era
	Count int
	Home  func(key []byte, n int) int32
	// NewDecoder returns a decoder under the limits that were in force.
	NewDecoder func(pipeline.Limits) pipeline.Decoder
	// NewOutputs returns what encodes the outputs of a worker under such limits.
	NewOutputs func(pipeline.Limits) pipeline.Outputs
	// Match says which keys are verified, nil: all.
	Match func(key string) bool
	// Memory bounds what is held at once, in bytes. What does not fit is left
	// to another pass over the log.
	Memory int64
	// Advance, when not nil, is told how many offsets of the log were dealt
	// with, in fractions where a pass is about a part of the keys.
	Advance func(offsets float64)
}

// Mismatch is stored state that is not what the log gives.
type Mismatch struct {
	Partition pipeline.Partition
	Key       string
	Offset    int64 // of the last record applied, as stored, else as recomputed
	What      string
}

// Verified says what was found about a partition.
type Verified struct {
	Exists  bool
	Keys    int64 // equal to the bit, or of the same sums
	Rounded int64 // of Keys: other in the last digits, as another release computes them
	Wrong   int64
	// Trimmed are keys with shards in the part of the log that is gone, by retention or compaction: they
	// cannot be verified, nor can those that differ and are under a limit where not all
	// of the log of all keys is in this partition.
	Trimmed int64
	Lack    pipeline.Lack // of the offsets between Start and Through, as far as one pass met it
	Origin  int64         // where the group began
	Start   int64         // where the log begins now
	Through int64         // offset after the last one that was compared
}

// errConfigured reports state of another configuration than the given one.
var errConfigured = errors.New("made under another configuration")

// Verify compares the states of a partition and calls wrong for each that
// differs. Errors are outages, and state of another configuration.
func (v *Verifier) Verify(ctx context.Context, p pipeline.Partition, wrong func(Mismatch) error) (Verified, error) {
	meta, err := v.Store.Meta(ctx, p)
	if err != nil || !meta.Exists {
		return Verified{}, err
	}
	if meta.Format != pipeline.StateFormat || !v.Rules.SameModels(meta.Configured) {
		return Verified{}, fmt.Errorf("%s: %w: format %d, configuration %s; this is format %d, configuration %s", p, errConfigured,
			meta.Format, recordedUnder(meta), pipeline.StateFormat, v.Rules.Config())
	}
	log, err := pipeline.ReadLogState(ctx, v.Log, p, meta.Last)
	if err != nil {
		return Verified{}, err
	}
	if _, why := log.Another(p, meta); why != "" {
		return Verified{}, fmt.Errorf("verify %s: %s", p, why)
	}
	start, base := log.Start, (&pipeline.Layout{Past: v.Past}).Base(p.ID, meta.Origin)
	past, trimmed, err := v.history(ctx, p)
	if err != nil {
		return Verified{}, err
	}
	total := Verified{Exists: true, Origin: meta.Origin, Start: start}
	for lo := uint64(0); lo < hashes; {
		s := &slice{v: v, p: p, topic: log.Identity.Topic, from: max(base, start), past: past, lo: lo, hi: hashes, trimmed: trimmed || start > base}
		s.blurred = s.trimmed || len(past) > 0
		bad, err := s.settle(ctx)
		if err != nil {
			return total, fmt.Errorf("verify %s: %w", p, err)
		}
		for _, m := range bad {
			if err := wrong(m); err != nil {
				return total, err
			}
		}
		total.Keys += s.equal
		total.Rounded += s.rounded
		total.Wrong += int64(len(bad))
		total.Trimmed += s.gone
		total.Through = max(total.Through, s.through)
		if s.lack.Count > total.Lack.Count {
			total.Lack = s.lack
		}
		lo = s.hi
	}
	return total, nil
}

// recordedUnder is the short fingerprint that wrote the state.
func recordedUnder(m pipeline.Meta) string {
	if len(m.Configured) == 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.16s", m.Configured[len(m.Configured)-1].Fingerprint)
}

// hashes is the number of values of a key's hash.
const hashes = uint64(1) << 32

// slice is the part of a partition's keys that is verified in one pass: those
// whose hash is in [lo, hi).
type slice struct {
	v       *Verifier
	p       pipeline.Partition
	topic   string // its id
	from    int64
	past    []chapter
	lo, hi  uint64
	trimmed bool
	ledger  *quota.Ledger   // of the pass, nil: the log does not tell which keys there were
	blurred bool            // so that who was refused by a limit cannot be told
	lack    pipeline.Lack   // offsets that compaction took, met in the last pass
	only    map[string]bool // nil: all keys of the slice

	stored  map[string]wanted
	entries map[string]*pipeline.Recomputed
	bytes   int64
	broken  map[string]Mismatch // stored values that can't be read

	equal, rounded, gone, through int64
}

// wanted is what a recomputed state is held against.
type wanted struct {
	offset int64
	moved  bool // the offset is of a former partition
	met    bool // the record at the offset is in the log
	t      int64
	sum    [sha256.Size]byte
}

// wantedBytes is about what an element of slice.stored costs.
const wantedBytes = 160

// settle verifies the slice. Where a worker has gone on in between, what
// differs is looked at again before it is believed.
func (s *slice) settle(ctx context.Context) ([]Mismatch, error) {
	const attempts = 4
	for try := 1; ; try++ {
		meta, err := s.v.Store.Meta(ctx, s.p)
		if err != nil {
			return nil, err
		}
		if err := s.list(ctx); err != nil {
			return nil, err
		}
		if err := s.recompute(ctx, meta); err != nil {
			return nil, err
		}
		bad, err := s.compare(ctx, meta)
		if err != nil || len(bad) == 0 {
			return nil, err
		}
		now, err := s.v.Store.Meta(ctx, s.p)
		if err != nil || now.Watermark == meta.Watermark || try == attempts {
			return bad, err
		}
		s.only = map[string]bool{}
		for _, m := range bad {
			s.only[m.Key] = true
		}
	}
}

// takes reports whether a key is verified in this pass.
func (s *slice) takes(key string) bool {
	h := hashOf(key)
	return h >= s.lo && h < s.hi && (s.only == nil || s.only[key]) && (s.v.Match == nil || s.v.Match(key))
}

// list notes what is stored.
func (s *slice) list(ctx context.Context) error {
	s.stored, s.entries, s.broken, s.bytes = map[string]wanted{}, map[string]*pipeline.Recomputed{}, map[string]Mismatch{}, 0
	return Each(ctx, s.v.Reader, s.p, s.takes, func(key string, value pipeline.Stored, err error) error {
		if err == nil && value == nil {
			return nil // gone since, or lost: the log will tell
		}
		var h pipeline.StoredState
		if err == nil {
			h, err = pipeline.ParseStored(key, value)
		}
		if errors.Is(err, pipeline.ErrDamaged) {
			s.broken[key] = Mismatch{s.p, key, -1, err.Error()}
			return nil
		}
		if err != nil {
			return err
		}
		s.stored[key] = wanted{offset: h.Offset, moved: h.Moved != nil && !h.Moved.Resumed, t: h.T, sum: essence(&h.Envelope)}
		s.add(wantedBytes + int64(len(key)))
		return nil
	})
}

// essence is a digest of a stored value. It leaves out the number of gaps,
// which is the partition's, and the last summary, which depends on what was
// published at the time; the value's own checksum covers them.
func essence(e *pipeline.Envelope) (sum [sha256.Size]byte) {
	h := sha256.New()
	b := binary.AppendVarint(nil, e.Offset)
	b = binary.AppendVarint(b, e.Time)
	b = binary.AppendVarint(b, e.Outlier)
	if e.Moved != nil {
		b = binary.AppendVarint(b, int64(e.Moved.Partition))
	}
	if e.Ended != nil {
		b = binary.AppendVarint(b, e.Ended.Offset)
		b = binary.AppendVarint(b, e.Ended.Time)
		b = e.Waiting.Append(b)
	}
	h.Write(append(b, e.Repeats()...))
	h.Write(e.Snapshot)
	h.Sum(sum[:0])
	return sum
}

// add counts bytes and, where they are too many, leaves the upper half of the
// keys at hand to a later pass. One key stays, however large.
func (s *slice) add(n int64) {
	s.bytes += n
	for s.bytes > s.v.Memory && s.only == nil {
		var held []uint64
		for key := range s.stored {
			held = append(held, hashOf(key))
		}
		for key := range s.entries {
			if _, ok := s.stored[key]; !ok {
				held = append(held, hashOf(key))
			}
		}
		slices.Sort(held)
		if held = slices.Compact(held); len(held) < 2 {
			return
		}
		s.hi, s.bytes = held[len(held)/2], 0
		for key := range s.stored {
			if s.takes(key) {
				s.bytes += wantedBytes + int64(len(key))
			} else {
				delete(s.stored, key)
			}
		}
		for key, e := range s.entries {
			if s.takes(key) {
				s.bytes += e.Size()
			} else {
				delete(s.entries, key)
			}
		}
		maps.DeleteFunc(s.broken, func(key string, _ Mismatch) bool { return !s.takes(key) })
	}
}

var hashTable = crc32.MakeTable(crc32.Castagnoli)

func hashOf(key string) uint64 { return uint64(crc32.Checksum([]byte(key), hashTable)) }

// compare holds the recomputed states against the stored ones.
func (s *slice) compare(ctx context.Context, meta pipeline.Meta) ([]Mismatch, error) {
	limited, err := pipeline.LimitedPrefixes(s.v.configured(s.p, meta))
	if err != nil {
		return nil, err
	}
	keys := slices.Collect(maps.Keys(s.stored))
	for key := range s.entries {
		if _, ok := s.stored[key]; !ok {
			keys = append(keys, key)
		}
	}
	for key := range s.broken {
		if s.entries[key] == nil {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	var bad []Mismatch
	for _, key := range keys {
		if m, ok := s.broken[key]; ok {
			bad = append(bad, m)
			continue
		}
		m, err := s.one(ctx, key, meta)
		if err != nil {
			return nil, err
		}
		switch {
		case m == nil:
		case s.blurred && limited.Has(key):
			s.gone++
		default:
			bad = append(bad, *m)
		}
	}
	return bad, nil
}

// one compares one key: nil where it is right, or cannot be told.
func (s *slice) one(ctx context.Context, key string, meta pipeline.Meta) (*Mismatch, error) {
	want, stored := s.stored[key]
	e := s.entries[key]
	m := &Mismatch{Partition: s.p, Key: key, Offset: want.offset}
	if e == nil {
		if s.trimmed {
			s.gone++
			return nil, nil
		}
		m.What = "a state is stored, and the log below the watermark gives none"
		return m, nil
	}
	value, err := e.Value()
	if err != nil {
		return nil, err
	}
	got, err := pipeline.ParseStored(key, value)
	if err != nil {
		return nil, err
	}
	switch {
	case !stored:
		m.Offset = got.Offset
		m.What = fmt.Sprintf("no state is stored, and the log gives one of %d shards", got.T)
		return m, nil
	case s.trimmed && (want.t > got.T || !want.met):
		// A later record of the same shard, or of another schema, may have been refused for one that is gone.
		s.gone++
		return nil, nil
	case want.sum == essence(&got.Envelope):
		s.equal++
		return nil, nil
	}
	now, err := s.v.Reader.Get(ctx, s.p, key)
	if err != nil {
		return nil, err
	}
	if want.sum == s.asRounded(key, now, &got) {
		s.equal++
		s.rounded++
		return nil, nil
	}
	m.What = difference(key, now, &got)
	return m, nil
}
