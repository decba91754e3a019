package kafka

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/segmentio/kafka-go"

	"github.com/credence-stream/credence/pipeline"
)

// answer is the part of a fetch answer, version 11, about one partition.
type answer struct {
	code      int16
	stable    int64 // last stable offset
	aborted   []aborted
	records   []byte
	throttled bool // over the quota, so that nothing is no proof of absence
	absent    bool // throttled so that the partition was left out
}

type aborted struct{ producer, first int64 }

func parseAnswer(raw []byte, p pipeline.Partition) (answer, error) {
	r := fields{rest: raw}
	throttled := r.int32() > 0
	if code := r.int16(); code != 0 {
		return answer{}, kafka.Error(code)
	}
	r.int32() // session
	topics := r.int32()
	if topics == 0 && throttled && !r.short {
		return answer{absent: true}, nil
	}
	if topic := string(r.next(int(r.int16()))); topics != 1 || topic != p.Topic {
		return answer{}, fmt.Errorf("an answer about %d topics, %q", topics, topic)
	}
	if n, id := r.int32(), r.int32(); n != 1 || id != p.ID {
		return answer{}, fmt.Errorf("an answer about %d partitions, %d", n, id)
	}
	a := answer{code: r.int16(), throttled: throttled}
	high := r.int64()
	if a.stable = r.int64(); a.stable < 0 {
		a.stable = high
	}
	r.int64() // log start
	n := int(r.int32())
	for i := 0; i < n && !r.short; i++ {
		a.aborted = append(a.aborted, aborted{producer: r.int64(), first: r.int64()})
	}
	slices.SortStableFunc(a.aborted, func(x, y aborted) int { return cmp.Compare(x.first, y.first) })
	r.int32() // preferred replica
	a.records = r.next(int(r.int32()))
	if r.short {
		return answer{}, errors.New("a short fetch answer")
	}
	return a, nil
}

// fields reads big-endian fields; past the end it is short for good.
type fields struct {
	rest  []byte
	short bool
}

// next returns n bytes, none for the length -1 of a null.
func (f *fields) next(n int) []byte {
	if n > len(f.rest) {
		f.short, f.rest = true, nil
		return nil
	}
	n = max(n, 0)
	b := f.rest[:n]
	f.rest = f.rest[n:]
	return b
}

// bits returns the n bytes of an integer, 0 past the end.
func (f *fields) bits(n int) (v uint64) {
	for _, b := range f.next(n) {
		v = v<<8 | uint64(b)
	}
	return v
}

func (f *fields) int16() int16 { return int16(f.bits(2)) }
func (f *fields) int32() int32 { return int32(f.bits(4)) }
func (f *fields) int64() int64 { return int64(f.bits(8)) }
