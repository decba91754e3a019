package kafka

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/pipeline"
)

// TestAnswersWithoutRecordsAreAskedForRarely: whatever a broker answers at once and with nothing
// in it, a worker that asks again whenever it has an answer, and waits as it does after an
// error, sends few requests.
func TestAnswersWithoutRecordsAreAskedForRarely(t *testing.T) {
	const most = 40 // a second, of all kinds
	for name, spoil := range map[string]func(*kmsg.FetchResponseTopicPartition, *kmsg.FetchResponse){
		"over the quota":        func(_ *kmsg.FetchResponseTopicPartition, r *kmsg.FetchResponse) { r.ThrottleMillis = 100 },
		"over the quota by far": func(_ *kmsg.FetchResponseTopicPartition, r *kmsg.FetchResponse) { r.ThrottleMillis = 1 << 30 },
		"over the quota, left out": func(p *kmsg.FetchResponseTopicPartition, r *kmsg.FetchResponse) {
			p.Partition, r.ThrottleMillis = leftOut, 100
		},
		"not the leader":            func(p *kmsg.FetchResponseTopicPartition, _ *kmsg.FetchResponse) { p.ErrorCode = 6 },
		"unknown topic":             func(p *kmsg.FetchResponseTopicPartition, _ *kmsg.FetchResponse) { p.ErrorCode = 3 },
		"no permission any more":    func(p *kmsg.FetchResponseTopicPartition, _ *kmsg.FetchResponse) { p.ErrorCode = 29 },
		"a disk that fails":         func(p *kmsg.FetchResponseTopicPartition, _ *kmsg.FetchResponse) { p.ErrorCode = 56 },
		"an offset not yet at hand": func(p *kmsg.FetchResponseTopicPartition, _ *kmsg.FetchResponse) { p.ErrorCode = 78 },
		"an error without a name":   func(p *kmsg.FetchResponseTopicPartition, _ *kmsg.FetchResponse) { p.ErrorCode = -1 },
		"another id of the topic":   func(p *kmsg.FetchResponseTopicPartition, _ *kmsg.FetchResponse) { p.ErrorCode = 100 },
		"a batch that is damaged":   func(p *kmsg.FetchResponseTopicPartition, _ *kmsg.FetchResponse) { p.RecordBatches = make([]byte, 70) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := fake(t)
			c := connect(t, b.ListenAddrs())
			l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
			publish(t, c, Plain, numbered(p.Topic, 10)...)
			var requests atomic.Int64
			b.Control(func(r kmsg.Request) (kmsg.Response, error, bool) {
				b.KeepControl()
				if kmsg.Key(r.Key()) != kmsg.Fetch { // which is answered below, and may not come here
					requests.Add(1)
				}
				return nil, nil, false
			})
			answering(b, func(_ int64, p *kmsg.FetchResponseTopicPartition, r *kmsg.FetchResponse) bool {
				requests.Add(1)
				p.HighWatermark, p.LastStableOffset = 10, 10
				spoil(p, r)
				return true
			})
			const lasts = time.Second
			ctx, cancel := context.WithTimeout(t.Context(), lasts)
			defer cancel()
			for failed := 0; ctx.Err() == nil; {
				f, err := l.Follow(ctx, p, pipeline.Position{Offset: 4}, 1<<20, nil)
				if err == nil && len(f.Records) > 0 {
					t.Fatalf("%d records", len(f.Records))
				}
				if err == nil {
					failed = 0
					continue
				}
				_ = pause(ctx, 100*time.Millisecond<<failed)
				failed++
			}
			if n := requests.Load(); n > most || n == 0 {
				t.Errorf("%d requests in a second, want at most %d", n, most)
			}
		})
	}
}
