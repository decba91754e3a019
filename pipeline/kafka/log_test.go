package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/pipeline"
)

func TestFetchRoundTrip(t *testing.T) {
	addrs := brokers(t)
	for _, pack := range []Compression{Plain, Gzip, Snappy, LZ4, Zstd} {
		t.Run(fmt.Sprint(pack), func(t *testing.T) {
			c := connect(t, addrs)
			topic, l := fresh(t, c, 1), newLog(t, c)
			p := pipeline.Partition{Topic: topic}
			want := []pipeline.Output{
				{Topic: topic, Key: []byte("a"), Value: bytes.Repeat([]byte("x"), 70_000), Time: 1_700_000_000_123},
				{Topic: topic, Key: []byte("a"), Value: nil, Time: 7, Headers: []pipeline.Header{{Key: "h", Value: nil}, {Key: "", Value: []byte{}}, {Key: "h", Value: []byte("2")}}},
				{Topic: topic, Key: nil, Value: []byte{}, Time: 1_700_000_000_000},
				{Topic: topic, Key: []byte{}, Value: []byte("last"), Time: -5},
			}
			publish(t, c, pack, want...)
			f, err := l.Fetch(t.Context(), p, 0, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Records) != 4 || f.Next != 4 || f.End != 4 {
				t.Fatalf("%d records, next %d, end %d", len(f.Records), f.Next, f.End)
			}
			for i, r := range f.Records {
				w := want[i]
				same := bytes.Equal(r.Key, w.Key) && (r.Key == nil) == (w.Key == nil) &&
					bytes.Equal(r.Value, w.Value) && (r.Value == nil) == (w.Value == nil) && r.Time == max(w.Time, 1) && r.Offset == int64(i)
				if !same || len(r.Headers) != len(w.Headers) {
					t.Fatalf("record %d: %.80v", i, r)
				}
				for j, h := range r.Headers {
					v := w.Headers[j]
					if h.Key != v.Key || !bytes.Equal(h.Value, v.Value) || (h.Value == nil) != (v.Value == nil) {
						t.Errorf("record %d header %d: %v, want %v", i, j, h, v)
					}
				}
			}
			if f, err = l.Fetch(t.Context(), p, 2, 1<<20); err != nil || len(f.Records) != 2 || f.Records[0].Offset != 2 {
				t.Errorf("from the middle of a batch: %v %v", f.Records, err)
			}
		})
	}
}

// TestFetchForeign reads what another client packed, which frames and splits
// differently.
func TestFetchForeign(t *testing.T) {
	addrs := brokers(t)
	c := connect(t, addrs)
	l := newLog(t, c)
	for name, codec := range map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	} {
		t.Run(name, func(t *testing.T) {
			topic := fresh(t, c, 1)
			k := franz(t, addrs, kgo.ProducerBatchCompression(codec), kgo.DefaultProduceTopic(topic), kgo.ProducerBatchMaxBytes(20_000))
			var want strings.Builder
			for i := range 500 {
				v := fmt.Sprintf("%d-%s", i, strings.Repeat("z", i))
				want.WriteString(v + " ")
				k.Produce(t.Context(), &kgo.Record{Value: []byte(v)}, nil)
			}
			if err := k.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			got, _ := read(t, l, pipeline.Partition{Topic: topic}, 0, 50_000)
			if values(got) != strings.TrimSpace(want.String()) {
				t.Errorf("%d records differ", len(got))
			}
		})
	}
}

func TestFetchOutOfRange(t *testing.T) {
	addrs := brokers(t)
	c := connect(t, addrs)
	l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
	publish(t, c, Plain, numbered(p.Topic, 50)...)
	trim(t, addrs, p, 20)
	for _, from := range []int64{0, 19, 51} {
		if _, err := l.Fetch(t.Context(), p, from, 1<<20); !errors.Is(err, pipeline.ErrOutOfRange) {
			t.Errorf("from %d: %v", from, err)
		}
	}
	if start, end, err := l.Bounds(t.Context(), p); start != 20 || end != 50 || err != nil {
		t.Errorf("bounds %d %d %v", start, end, err)
	}
	if f, err := l.Fetch(t.Context(), p, 20, 1<<20); err != nil || len(f.Records) != 30 || f.Records[0].Offset != 20 {
		t.Errorf("at the start: %d records, %v", len(f.Records), err)
	}
	if f, err := l.Fetch(t.Context(), p, 50, 1<<20); err != nil || len(f.Records) != 0 || f.Next != 50 || f.End != 50 {
		t.Errorf("at the end: %v %v", f, err)
	}
}

func TestFetchOutages(t *testing.T) {
	c := connect(t, brokers(t))
	l := newLog(t, c)
	p := pipeline.Partition{Topic: fresh(t, c, 1), ID: 3}
	if _, err := l.Fetch(t.Context(), p, 0, 1<<20); err == nil || errors.Is(err, pipeline.ErrOutOfRange) || !strings.Contains(err.Error(), p.String()) {
		t.Errorf("no such partition: %v", err)
	}
	if _, err := l.Partitions(t.Context(), "absent"); err == nil {
		t.Error("no error for an absent topic")
	}
	if n, err := l.Partitions(t.Context(), p.Topic); n != 1 || err != nil {
		t.Errorf("%d partitions, %v", n, err)
	}
}

// TestFetchLarge: a record above maxBytes comes whole, one per answer.
func TestFetchLarge(t *testing.T) {
	c := connect(t, brokers(t))
	l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
	big := bytes.Repeat([]byte("0123456789abcdef"), 20<<20/16) // above testLimit as well: it is not packed
	for range 2 {
		publish(t, c, Plain, pipeline.Output{Topic: p.Topic, Value: big})
	}
	f, err := l.Fetch(t.Context(), p, 0, 1000)
	if err != nil || len(f.Records) != 1 || !bytes.Equal(f.Records[0].Value, big) || f.Next != 1 || f.End != 2 {
		t.Fatalf("%d records, next %d, end %d, %v", len(f.Records), f.Next, f.End, err)
	}
}

// TestFetchPartial: real brokers cut the last batch at maxBytes.
func TestFetchPartial(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
	log := append(stored(t, 0, Plain, numbered("", 3)...), stored(t, 3, Plain, numbered("", 3)...)...)
	second := len(stored(t, 0, Plain, numbered("", 3)...))
	for cut := second; cut <= len(log); cut++ {
		done := false
		answering(b, func(_ int64, p *kmsg.FetchResponseTopicPartition, _ *kmsg.FetchResponse) bool {
			p.HighWatermark, p.LastStableOffset, p.RecordBatches = 6, 6, log[:cut]
			defer func() { done = true }()
			return !done
		})
		f, err := l.Fetch(t.Context(), p, 1, 1<<20)
		next, n := int64(3), 2
		if cut == len(log) {
			next, n = 6, 5
		}
		if err != nil || f.Next != next || len(f.Records) != n || f.Records[0].Offset != 1 {
			t.Fatalf("cut at %d: %d records, next %d, %v", cut, len(f.Records), f.Next, err)
		}
	}
}

// TestFetchNothing: an answer without batches below the end means that
// nothing is left there only if the last offset is gone too.
func TestFetchNothing(t *testing.T) {
	for _, tc := range []struct {
		name      string
		tail      []byte
		throttled int32
		absent    bool
		next      int64
	}{
		{"compacted away", nil, 0, false, 10},
		{"slow remote storage", stored(t, 9, Plain, numbered("", 1)...), 0, false, 4},
		{"over the quota", nil, 100, false, 4},
		{"over the quota, left out", nil, 100, true, 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := fake(t)
			c := connect(t, b.ListenAddrs())
			l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
			publish(t, c, Plain, numbered(p.Topic, 10)...)
			answering(b, func(from int64, p *kmsg.FetchResponseTopicPartition, r *kmsg.FetchResponse) bool {
				p.HighWatermark, p.LastStableOffset = 10, 10
				if from == 9 {
					p.RecordBatches = tc.tail
				}
				if tc.absent {
					p.Partition = leftOut
				}
				r.ThrottleMillis = tc.throttled
				return true
			})
			f, err := l.Fetch(t.Context(), p, 4, 1<<20)
			if err != nil || f.Next != tc.next || f.End != 10 || len(f.Records) != 0 || f.Lack.Count != tc.next-4 {
				t.Errorf("next %d, end %d, %d records, lacks %+v, %v", f.Next, f.End, len(f.Records), f.Lack, err)
			}
		})
	}
}

// TestFetchLack: what compaction took of batches, and whole batches, is missing; control records and what a
// transaction aborted are not.
func TestFetchLack(t *testing.T) {
	batch := func(base int64, n int, spoil func([]byte)) []byte {
		b := stored(t, base, Plain, numbered("", n)...)
		spoil(b)
		return sealed(b)
	}
	whole := func([]byte) {}
	last := func(delta uint32) func([]byte) {
		return func(b []byte) { binary.BigEndian.PutUint32(b[23:], delta) }
	}
	attrs := func(bits uint16) func([]byte) {
		return func(b []byte) { binary.BigEndian.PutUint16(b[attrsAt:], bits) }
	}
	empty := func(b []byte) {
		last(4)(b)
		binary.BigEndian.PutUint32(b[57:], 0)
	}
	aborted := []kmsg.FetchResponseTopicPartitionAbortedTransaction{{ProducerID: -1, FirstOffset: 3}}
	for name, tc := range map[string]struct {
		batches [][]byte
		dead    []kmsg.FetchResponseTopicPartitionAbortedTransaction
		from    int64
		lack    pipeline.Lack
	}{
		"whole":                {batches: [][]byte{batch(0, 3, whole), batch(3, 2, whole)}},
		"from within a batch":  {batches: [][]byte{batch(0, 3, whole), batch(3, 2, whole)}, from: 2},
		"a batch is gone":      {batches: [][]byte{batch(0, 3, whole), batch(7, 2, whole)}, lack: pipeline.Lack{First: 3, Count: 4}},
		"the first is gone":    {batches: [][]byte{batch(7, 2, whole)}, from: 5, lack: pipeline.Lack{First: 5, Count: 2}},
		"the end of a batch":   {batches: [][]byte{batch(0, 3, last(9)), batch(10, 1, whole)}, lack: pipeline.Lack{First: 0, Count: 7}},
		"all but the batch":    {batches: [][]byte{batch(0, 1, empty), batch(5, 1, whole)}, lack: pipeline.Lack{First: 0, Count: 5}},
		"two places":           {batches: [][]byte{batch(2, 1, whole), batch(3, 1, last(1)), batch(6, 1, whole)}, lack: pipeline.Lack{First: 0, Count: 4}},
		"a control batch":      {batches: [][]byte{batch(0, 3, whole), batch(3, 1, attrs(attrControl|attrTransactional)), batch(4, 1, whole)}},
		"a transaction":        {batches: [][]byte{batch(0, 3, whole), batch(3, 2, attrs(attrTransactional)), batch(5, 1, whole)}},
		"an aborted one":       {batches: [][]byte{batch(0, 3, whole), batch(3, 2, attrs(attrTransactional)), batch(5, 1, whole)}, dead: aborted},
		"refused for its size": {batches: [][]byte{batch(0, 3, func(b []byte) { binary.BigEndian.PutUint32(b[57:], 1<<20) }), batch(3, 1, whole)}},
	} {
		t.Run(name, func(t *testing.T) {
			b := fake(t)
			c := connect(t, b.ListenAddrs())
			l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
			answering(b, func(_ int64, p *kmsg.FetchResponseTopicPartition, _ *kmsg.FetchResponse) bool {
				p.HighWatermark, p.LastStableOffset = 100, 100
				p.RecordBatches, p.AbortedTransactions = bytes.Join(tc.batches, nil), tc.dead
				return true
			})
			f, err := l.Fetch(t.Context(), p, tc.from, 1<<20)
			if err != nil || f.Lack != tc.lack {
				t.Errorf("lacks %+v, %v", f.Lack, err)
			}
		})
	}
}

// TestFetchCorrupt: a bad checksum is an outage, met again, not a skip.
func TestFetchCorrupt(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
	good := stored(t, 0, Plain, numbered("", 3)...)
	log := append(append([]byte(nil), good...), stored(t, 3, Plain, numbered("", 3)...)...)
	log[len(log)-5] ^= 1
	answering(b, func(from int64, p *kmsg.FetchResponseTopicPartition, _ *kmsg.FetchResponse) bool {
		p.HighWatermark, p.LastStableOffset, p.RecordBatches = 6, 6, log
		if from == 3 {
			p.RecordBatches = log[len(good):]
		}
		return true
	})
	f, err := l.Fetch(t.Context(), p, 0, 1<<20)
	if err != nil || f.Next != 3 || values(f.Records) != "0 1 2" {
		t.Fatalf("%v %v", f, err)
	}
	if _, err := l.Fetch(t.Context(), p, 3, 1<<20); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("from 3: %v", err)
	}
}

// TestFetchBomb: a batch that unpacks beyond the limit is refused by its
// offsets, costs no more than the limit, and the stream goes on.
func TestFetchBomb(t *testing.T) {
	addrs := brokers(t)
	c := connect(t, addrs)
	const limit = 2 << 20
	l, err := NewLog(c, limit/batchLimit)
	if err != nil {
		t.Fatal(err)
	}
	for _, pack := range []Compression{Gzip, Snappy, LZ4, Zstd} {
		t.Run(fmt.Sprint(pack), func(t *testing.T) {
			p := pipeline.Partition{Topic: fresh(t, c, 1)}
			publish(t, c, pack, numbered(p.Topic, 2)...)
			bomb := []*pipeline.Output{{Value: make([]byte, 30<<20)}, {Value: make([]byte, 30<<20)}}
			var set recordSet
			if err := set.put(bomb, pack); err != nil {
				t.Fatal(err)
			}
			nobody.stamp(set.pieces...)
			if _, err := c.produce(t.Context(), p, set.pieces); err != nil {
				t.Fatal(err)
			}
			publish(t, c, pack, numbered(p.Topic, 2)...)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, next := read(t, l, p, 0, 32<<20)
			runtime.ReadMemStats(&after)
			// All garbage counts, that of the broker in this process as well,
			// which holds the packed bytes a few times.
			if spent := int64(after.TotalAlloc - before.TotalAlloc); spent > 6*limit+16<<20+4*int64(set.size) {
				t.Errorf("%d bytes allocated, packed %d", spent, set.size)
			}
			if next != 6 || len(got) != 6 || values(got[:2]) != "0 1" || values(got[4:]) != "0 1" {
				t.Fatalf("next %d, %d records", next, len(got))
			}
			for i, r := range got[2:4] {
				if r.Refused == nil || r.Offset != int64(2+i) || r.Key != nil || r.Value != nil {
					t.Errorf("record %d: %v", i, r)
				}
			}
			for _, r := range append(got[:2], got[4:]...) {
				if r.Refused != nil {
					t.Error(r.Refused)
				}
			}
		})
	}
}

// TestFetchRefused: what cannot be parsed is refused, in pieces when there is
// a lot of it.
func TestFetchRefused(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
	many := maxRefused + 500
	bad := stored(t, 0, Plain, numbered("", 1)...)
	binary.BigEndian.PutUint32(bad[23:], uint32(many-1))
	binary.BigEndian.PutUint32(bad[57:], uint32(many)) // more records than bytes
	sealed(bad)
	old := make([]byte, 40) // format 1
	binary.BigEndian.PutUint64(old, uint64(many))
	binary.BigEndian.PutUint32(old[8:], uint32(len(old)-batchPrefix))
	old[magicAt] = 1
	end := int64(many + 2)
	log := append(append(bad, old...), stored(t, int64(many+1), Plain, numbered("", 1)...)...)
	answering(b, func(_ int64, p *kmsg.FetchResponseTopicPartition, _ *kmsg.FetchResponse) bool {
		p.HighWatermark, p.LastStableOffset, p.RecordBatches = end, end, log
		return true
	})
	f, err := l.Fetch(t.Context(), p, 0, 1<<20)
	if err != nil || len(f.Records) != maxRefused || f.Next != maxRefused || f.End != end {
		t.Fatalf("%d records, next %d, %v", len(f.Records), f.Next, err)
	}
	if f, err = l.Fetch(t.Context(), p, f.Next, 1<<20); err != nil || len(f.Records) != 502 || f.Next != end {
		t.Fatalf("%d records, next %d, %v", len(f.Records), f.Next, err)
	}
	for i, r := range f.Records {
		if (r.Refused == nil) != (i == 501) || r.Offset != int64(maxRefused+i) {
			t.Fatalf("record %d: %v", i, r)
		}
	}
}

// TestFetchAppendTime: a topic may replace the records' timestamps, and says
// so in the batch.
func TestFetchAppendTime(t *testing.T) {
	log := stored(t, 0, Plain, numbered("", 3)...)
	log[attrsAt+1] |= attrAppendTime
	binary.BigEndian.PutUint64(log[35:], 77_000)
	b, _, err := parseBatch(sealed(log))
	if err != nil {
		t.Fatal(err)
	}
	records, _, err := b.records(nil, b.payload, 0, testLimit, nil)
	if err != nil || len(records) != 3 {
		t.Fatalf("%v %v", records, err)
	}
	for _, r := range records {
		if r.Time != 77_000 {
			t.Errorf("offset %d: time %d", r.Offset, r.Time)
		}
	}
}

func TestFetchLeaderMoves(t *testing.T) {
	b := fake(t)
	if _, _, err := b.AddNode(1, 0); err != nil {
		t.Fatal(err)
	}
	c := connect(t, b.ListenAddrs())
	l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
	publish(t, c, Plain, numbered(p.Topic, 3)...)
	for i := range 4 {
		if err := b.MoveTopicPartition(p.Topic, 0, 1-b.LeaderFor(p.Topic, 0)); err != nil {
			t.Fatal(err)
		}
		if f, err := l.Fetch(t.Context(), p, 0, 1<<20); err != nil || len(f.Records) != 3+i {
			t.Fatalf("%d records, %v", len(f.Records), err)
		}
		if err := b.MoveTopicPartition(p.Topic, 0, 1-b.LeaderFor(p.Topic, 0)); err != nil {
			t.Fatal(err)
		}
		publish(t, c, Plain, numbered(p.Topic, 1)...)
	}
}
