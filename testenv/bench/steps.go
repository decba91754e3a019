//go:build unix

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
)

// The shards of the path from bytes to bytes.
const columns, rows = 5, 100

func newDecoder() *arrow.Decoder {
	return arrow.NewDecoder(arrow.Limits{Record: 32 << 20, Rows: 1_000_000, Columns: 5000})
}

func posterior(kind string, s *cdf.Summary) *pipeline.Posterior {
	return &pipeline.Posterior{Key: "key", Kind: kind, Variant: "corrected", Config: "0123456789abcdef",
		Source: pipeline.Partition{Topic: "in"}, Time: 1e12, Summary: s, Settled: true} // 63 of 64 are
}

// parcel is a shard as producers send it.
type parcel struct {
	value []byte
	at    int // where the first number of the first column lies
}

// parcels returns shards of numbers.
func parcels(s shape, n int) ([]parcel, error) {
	all := make([]parcel, n)
	for i, b := range s.several(n) {
		value, err := arrow.Encode(b)
		if err != nil {
			return nil, err
		}
		first := binary.LittleEndian.AppendUint64(nil, math.Float64bits(b.Columns[0].Number[0]))
		all[i] = parcel{value, bytes.Index(value, first)}
	}
	return all, nil
}

// renew is what renew does to a batch.
func (p parcel) renew() {
	number := p.value[p.at:]
	binary.LittleEndian.PutUint64(number, binary.LittleEndian.Uint64(number)+1)
}

// steady is how many shards are sent over and over, in turn: of few rows some column would in time be seen to have a curve, which
// so many copies of them indeed have, and the posterior would say so.
const steady = 64

// steps measures what a shard passes on its way from the bytes of a record to
// those of a posterior, in a steady stream of one key.
func (b *bench) steps() error {
	shape := regression(rows, columns)
	f, err := newFilter("linear", cdf.Roles{Intercept: true}, "{}", shape.several(60)...)
	if err != nil {
		return err
	}
	shards, err := parcels(shape, steady)
	if err != nil {
		return err
	}
	decoder, encoder, turn := newDecoder(), arrow.NewEncoder(), 0
	var out []byte
	whole := ours(func() error {
		turn++
		shard := shards[turn%steady]
		shard.renew()
		batch, err := decoder.Decode(shard.value)
		if err != nil {
			return err
		}
		s, err := f.Update(batch)
		if err != nil {
			return err
		}
		out, err = encoder.Append(out[:0], posterior("linear", s), 16<<20)
		return err
	}, rows)
	how := fmt.Sprintf("linear p=%d, n=%d", columns, rows)
	if err := b.alone(line{"from bytes to summary bytes, a core", unit{"million rows/s", 1e-6, true}, 5, how}, whole); err != nil {
		return err
	}
	s, err := f.Summary()
	if err != nil {
		return err
	}
	snapshot, err := f.AppendBinary(nil)
	if err != nil {
		return err
	}
	var dst []byte
	for _, step := range []struct {
		name string
		goal figure
		do   func() error
	}{
		{"decode", .2, func() error { _, err := decoder.Decode(shards[0].value); return err }},
		{"summary", 1, func() error { _, err := f.Summary(); return err }},
		{"encode", .8, func() (err error) { out, err = encoder.Append(out[:0], posterior("linear", s), 16<<20); return err }},
		{"snapshot", .5, func() (err error) { dst, err = f.AppendBinary(dst[:0]); return err }},
		{"load a snapshot", 1, func() error { return f.UnmarshalBinary(snapshot) }},
	} {
		if err := b.alone(line{step.name, micros("shard"), step.goal, how}, ours(step.do, 1)); err != nil {
			return err
		}
	}
	b.add(aimed("posterior's size", unit{name: "bytes", scale: 1}, figure(len(out)), 1500, how))
	return nil
}
