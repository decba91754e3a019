package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/segmentio/kafka-go/compress"

	"github.com/credence-stream/credence/pipeline"
)

// The layout of a record batch of format 2, in bytes from its start:
// base offset 0, length 8 (of what follows it), leader epoch 12, magic 16,
// CRC-32C 17 (of what follows it), attributes 21, last offset delta 23, first
// timestamp 27, greatest timestamp 35, producer id 43, producer epoch 51, base
// sequence 53, record count 57, records 61.
const (
	batchPrefix = 12
	batchHeader = 61
	epochAt     = 12
	magicAt     = 16
	crcAt       = 17
	attrsAt     = 21

	attrCodec         = 0x07
	attrAppendTime    = 0x08
	attrTransactional = 0x10
	attrControl       = 0x20

	// minRecord is the shortest record: length, attributes, two deltas, two
	// null lengths, header count.
	minRecord = 7
	// recordCost and headerCost are what a parsed record or header takes
	// besides its bytes.
	recordCost = 120
	headerCost = 40
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	errPartial  = errors.New("half a batch")
	errMangled  = errors.New("mangled record batch")
	errTooLarge = errors.New("too large in memory")
)

// batch is the header of a record batch. payload aliases the answer.
type batch struct {
	base, last int64 // offsets of the first and last record that were sent
	epoch      pipeline.LeaderEpoch
	attrs      int16
	firstTime  int64
	maxTime    int64
	producer   int64
	count      int
	payload    []byte
	// old is set for message formats 0 and 1, of which only the offset is read.
	old bool
}

// parseBatch reads the batch at the start of data and returns the bytes it
// takes. errPartial: brokers cut the last batch of an answer.
func parseBatch(data []byte) (batch, int, error) {
	if len(data) < batchPrefix {
		return batch{}, 0, errPartial
	}
	base := int64(binary.BigEndian.Uint64(data))
	length := int64(int32(binary.BigEndian.Uint32(data[8:])))
	if length < magicAt+1-batchPrefix || base < 0 {
		return batch{}, 0, fmt.Errorf("%w: %d bytes at offset %d", errMangled, length, base)
	}
	if length > int64(len(data)-batchPrefix) {
		return batch{}, 0, errPartial
	}
	n := batchPrefix + int(length)
	data = data[:n]
	switch magic := data[magicAt]; {
	case magic < 2:
		return batch{base: base, last: base, old: true}, n, nil
	case magic > 2:
		return batch{}, 0, fmt.Errorf("%w: format %d at offset %d", errMangled, magic, base)
	case n < batchHeader:
		return batch{}, 0, fmt.Errorf("%w: %d bytes at offset %d", errMangled, n, base)
	}
	if got, want := crc32.Checksum(data[attrsAt:], castagnoli), binary.BigEndian.Uint32(data[crcAt:]); got != want {
		return batch{}, 0, fmt.Errorf("batch at offset %d: checksum %08x, want %08x", base, got, want)
	}
	b := batch{
		base:      base,
		last:      base + int64(int32(binary.BigEndian.Uint32(data[23:]))),
		epoch:     pipeline.LeaderEpoch(int32(binary.BigEndian.Uint32(data[epochAt:])) + 1),
		attrs:     int16(binary.BigEndian.Uint16(data[attrsAt:])),
		firstTime: int64(binary.BigEndian.Uint64(data[27:])),
		maxTime:   int64(binary.BigEndian.Uint64(data[35:])),
		producer:  int64(binary.BigEndian.Uint64(data[43:])),
		count:     int(int32(binary.BigEndian.Uint32(data[57:]))),
		payload:   data[batchHeader:],
	}
	if b.last < b.base || b.last == math.MaxInt64 {
		return batch{}, 0, fmt.Errorf("%w: offsets %d to %d", errMangled, b.base, b.last)
	}
	return b, n, nil
}

func (b *batch) codec() compress.Compression { return compress.Compression(b.attrs & attrCodec) }
func (b *batch) control() bool               { return b.attrs&attrControl != 0 }
func (b *batch) transactional() bool         { return b.attrs&attrTransactional != 0 }

// aborts reports whether a control batch ends its producer's transaction
// without its records: the key of its record is a version and a type, 0.
func (b *batch) aborts() bool {
	records, _, err := b.records(nil, b.payload, b.base, math.MaxInt64, nil)
	return err == nil && len(records) > 0 && len(records[0].Key) >= 4 && binary.BigEndian.Uint16(records[0].Key[2:]) == 0
}

// records appends the records of payload, which is b's unpacked, from offset
// from on; they alias payload. It returns what they take in memory besides
// payload, at most limit, which is taken from the room. The errors are errMangled,
// errTooLarge and *pipeline.ShortError, and then nothing was appended.
func (b *batch) records(dst []pipeline.Record, payload []byte, from, limit int64, room *pipeline.Room) ([]pipeline.Record, int64, error) {
	if b.count < 0 || b.count > len(payload)/minRecord {
		return dst, 0, fmt.Errorf("%w: %d records in %d bytes", errMangled, b.count, len(payload))
	}
	cost := int64(b.count) * recordCost
	if cost > limit {
		return dst, 0, fmt.Errorf("%w: %d records", errTooLarge, b.count)
	}
	if err := room.Take(cost); err != nil {
		return dst, 0, err
	}
	out := slices.Grow(dst, b.count)
	var headers []pipeline.Header // of all records of the batch, cut into pieces
	var names names
	r := reader{data: payload}
	before := b.base - 1
	for range b.count {
		size := r.varint()
		end := int64(r.at) + size
		if r.bad || size < 0 || end > int64(len(payload)) {
			return dst, 0, fmt.Errorf("%w: a record of %d bytes", errMangled, size)
		}
		r.at++ // attributes, unused
		rec := pipeline.Record{Epoch: b.epoch, Time: b.firstTime + r.varint(), Offset: b.base + r.varint()}
		if b.attrs&attrAppendTime != 0 {
			rec.Time = b.maxTime
		}
		rec.Key = r.bytes()
		rec.Value = r.bytes()
		n := r.varint()
		if r.bad || n < 0 || n > int64(len(payload)-r.at)/2 {
			return dst, 0, fmt.Errorf("%w: record at offset %d", errMangled, rec.Offset)
		}
		if cost += n * headerCost; cost > limit {
			return dst, 0, fmt.Errorf("%w: %d headers at offset %d", errTooLarge, n, rec.Offset)
		}
		if err := room.Take(n * headerCost); err != nil {
			return dst, 0, err
		}
		start := len(headers)
		for range n {
			name := r.bytes()
			headers = append(headers, pipeline.Header{Key: names.of(name), Value: r.bytes()})
		}
		if n > 0 {
			rec.Headers = headers[start:len(headers):len(headers)]
		}
		if r.bad || int64(r.at) != end || rec.Offset <= before || rec.Offset > b.last {
			return dst, 0, fmt.Errorf("%w: record at offset %d", errMangled, rec.Offset)
		}
		before = rec.Offset
		if rec.Offset >= from {
			out = append(out, rec)
		}
	}
	return out, cost, nil
}

// reader walks over the fields of records. After a field that does not fit
// it is bad for good.
type reader struct {
	data []byte
	at   int
	bad  bool
}

func (r *reader) varint() int64 {
	if r.at < len(r.data) && r.data[r.at] < 0x80 { // one byte: nearly always
		u := r.data[r.at]
		r.at++
		return int64(u>>1) ^ -int64(u&1)
	}
	if r.at > len(r.data) {
		r.bad = true
		return 0
	}
	v, n := binary.Varint(r.data[r.at:])
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.at += n
	return v
}

// bytes returns nil for the length -1.
func (r *reader) bytes() []byte {
	n := r.varint()
	if n == -1 && !r.bad {
		return nil
	}
	if r.bad || n < 0 || n > int64(len(r.data)-r.at) {
		r.bad = true
		return nil
	}
	b := r.data[r.at : r.at+int(n) : r.at+int(n)]
	r.at += int(n)
	return b
}

// names gives equal header names one string.
type names struct {
	seen [8]string
	next int
}

func (n *names) of(b []byte) string {
	for _, s := range n.seen {
		if s == string(b) {
			return s
		}
	}
	s := string(b)
	n.seen[n.next%len(n.seen)] = s
	n.next++
	return s
}
