package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// topic remembers what is published and when; it fails as told.
type topic struct {
	fail  []error // of the next attempts, nil: take it
	got   []pipeline.Output
	calls int
}

func (f *topic) Publish(ctx context.Context, outputs []pipeline.Output) ([]pipeline.Output, error) {
	f.calls++
	if err := ctx.Err(); err != nil {
		return outputs, err
	}
	if len(f.fail) > 0 {
		err := f.fail[0]
		f.fail = f.fail[1:]
		if err != nil {
			return outputs, err
		}
	}
	f.got = append(f.got, outputs...)
	return nil, nil
}

func (f *topic) headers(key string) []string {
	var s []string
	for _, o := range f.got {
		for _, h := range o.Headers {
			if h.Key == key {
				s = append(s, string(h.Value))
			}
		}
	}
	return s
}

func shard(key string, n int64) Shard {
	return Shard{Key: key, N: n, Batch: &cdf.Batch{Rows: 3}}
}

// small encodes every shard as 8 bytes.
func small(*cdf.Batch) ([]byte, error) { return make([]byte, 8), nil }

func TestSenderHeadersAndTotals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f topic
		s := NewSender(Options{Topic: "in", Run: "r1", Publisher: &f, Encode: small})
		for _, sh := range []Shard{shard("a", 1), shard("b", 1), shard("a", 2)} {
			if err := s.Send(t.Context(), sh); err != nil {
				t.Fatal(err)
			}
		}
		if f.calls != 0 {
			t.Errorf("%d calls before the batch is full", f.calls)
		}
		<-time.After(time.Minute)
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(f.headers("credence-shard")); got != "[r1/1 r1/1 r1/2]" {
			t.Errorf("shard headers are %s", got)
		}
		for i, o := range f.got {
			if o.Topic != "in" || string(o.Key) != []string{"a", "b", "a"}[i] || o.Time != time.Now().UnixMilli() {
				t.Errorf("record %d is %+v, want the time of sending", i, o)
			}
		}
		if got := f.headers("content-type"); len(got) != 3 || got[0] != "application/vnd.apache.arrow.stream" {
			t.Errorf("content types are %q", got)
		}
		if got, want := s.Totals(), (Totals{Shards: 3, Rows: 9, Keys: 2, Bytes: 24}); got != want {
			t.Errorf("totals are %+v, want %+v", got, want)
		}
	})
}

func TestSenderBatchesStayBelowTheBrokersLimit(t *testing.T) {
	var f topic
	sizes := []int{300 << 10, 300 << 10, 100 << 10, 3 << 20, 10}
	i := 0
	s := NewSender(Options{Run: "r", Publisher: &f, Encode: func(*cdf.Batch) ([]byte, error) {
		i++
		return make([]byte, sizes[i-1]), nil
	}})
	var calls []int
	for n := range sizes {
		if err := s.Send(t.Context(), shard("a", int64(n+1))); err != nil {
			t.Fatal(err)
		}
		calls = append(calls, len(f.got))
	}
	// The large one goes alone: what waits is sent before it.
	if got := fmt.Sprint(calls); got != "[0 1 1 4 4]" {
		t.Errorf("records acknowledged after each shard: %s, want [0 1 1 4 4]", got)
	}
	for n := range 2 * batchShards {
		sizes = append(sizes, 1)
		if err := s.Send(t.Context(), shard("b", int64(n+1))); err != nil {
			t.Fatal(err)
		}
	}
	if pending := len(s.pending); len(f.got) != 4+2*batchShards || pending != 1 {
		t.Errorf("%d acknowledged, %d waiting, want %d and 1", len(f.got), pending, 4+2*batchShards)
	}
}

func TestSenderRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		f := &topic{}
		s := NewSender(Options{Run: "r", Rate: 4, Publisher: f, Encode: small,
			Acked: func(int64, int64) { at = append(at, time.Since(start)) }})
		for n := range 5 {
			if err := s.Send(t.Context(), shard("a", int64(n+1))); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(at); got != "[0s 250ms 500ms 750ms 1s]" {
			t.Errorf("4 a second are acknowledged at %s", got)
		}
		// After a pause no more than a second's worth is caught up.
		<-time.After(time.Hour)
		start = time.Now()
		for n := range 9 {
			if err := s.Send(t.Context(), shard("a", int64(n+6))); err != nil {
				t.Fatal(err)
			}
		}
		if got := time.Since(start); got != time.Second {
			t.Errorf("nine shards after a pause take %v, want 1s: five at once, then four", got)
		}
	})
}

func TestSenderWaitsThroughAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("connection refused")
		f := &topic{fail: []error{down, down, down}}
		var pauses []time.Duration
		s := NewSender(Options{Run: "r", Publisher: f, Encode: small,
			Waiting: func(err error, pause time.Duration) { pauses = append(pauses, pause) }})
		_ = s.Send(t.Context(), shard("a", 1))
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(pauses); got != "[250ms 500ms 1s]" || len(f.got) != 1 {
			t.Errorf("pauses are %s, %d records, want [250ms 500ms 1s] and 1", got, len(f.got))
		}
	})
}

func TestSenderGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("connection refused")
		f := &topic{}
		for range 1000 {
			f.fail = append(f.fail, down)
		}
		s := NewSender(Options{Run: "r", Publisher: f, Encode: small})
		_ = s.Send(t.Context(), shard("a", 1))
		start := time.Now()
		err := s.Flush(t.Context())
		if took := time.Since(start); !errors.Is(err, down) || took > patience || took < patience-5*time.Second {
			t.Errorf("gave up after %v with %v", took, err)
		}
		if got := s.Totals(); got != (Totals{}) {
			t.Errorf("totals are %+v with nothing acknowledged", got)
		}
	})
}

func TestSenderStopsAtOnce(t *testing.T) {
	refused := &pipeline.RefusedError{Topic: "in", Limit: "max.message.bytes", Err: errors.New("too large")}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	tests := []struct {
		name string
		ctx  context.Context
		fail error
		want error
		text string
	}{
		{"refused", t.Context(), refused, refused, "the largest shard of the batch has 8 bytes"},
		{"lost", t.Context(), fmt.Errorf("%w: in/0", pipeline.ErrLost), pipeline.ErrLost, "in/0"},
		{"stopped", stopped, nil, context.Canceled, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &topic{fail: []error{tt.fail}}
			s := NewSender(Options{Run: "r", Publisher: f, Encode: small})
			_ = s.Send(tt.ctx, shard("a", 1))
			err := s.Flush(tt.ctx)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) || f.calls != 1 {
				t.Errorf("error is %v after %d calls, want %v after one", err, f.calls, tt.want)
			}
		})
	}
}

func TestSenderNamesTheShardThatCannotBeEncoded(t *testing.T) {
	bad := errors.New("bad")
	s := NewSender(Options{Publisher: &topic{}, Encode: func(*cdf.Batch) ([]byte, error) { return nil, bad }})
	err := s.Send(t.Context(), shard("a", 7))
	if !errors.Is(err, bad) || !strings.Contains(err.Error(), "key a, shard 7") {
		t.Errorf("error is %v", err)
	}
}
