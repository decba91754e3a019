package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/pipeline"
)

// TestPublishOnce: answers are lost after the broker has done as it was asked, and
// what was sent is sent again; each output is in the log once, in order, also
// where several callers send to one partition.
func TestPublishOnce(t *testing.T) {
	var gates []*gate
	b := fake(t, gated(t, &gates))
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 2)
	p := NewPublisher(c, LZ4)
	p.OnLost = func(_ pipeline.Partition, _ bool, why error) error {
		t.Errorf("nothing is lost: %v", why)
		return nil
	}
	gates[0].lose.Store(7)
	const callers, each = 4, 40
	filler := strings.Repeat(".", batchBytes/3)
	var g errgroup.Group
	for caller := range callers {
		outputs := numbered(topic, each)
		for i := range outputs { // two partitions, 2 in a batch
			outputs[i].Key = fmt.Append(nil, "k", i%4)
			outputs[i].Value = fmt.Append(nil, caller, " ", i, " ", filler)
		}
		g.Go(func() error {
			for try := 0; len(outputs) > 0; try++ {
				rest, err := p.Publish(t.Context(), outputs)
				var r *pipeline.RefusedError
				if errors.As(err, &r) || (err == nil) != (len(rest) == 0) || try == 200 {
					return fmt.Errorf("caller %d has %d outputs left: %w", caller, len(rest), err)
				}
				outputs = rest
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	gates[0].lose.Store(0)
	total := 0
	for id := range int32(2) {
		last := map[int]int{}
		got, _ := read(t, newLog(t, c), pipeline.Partition{Topic: topic, ID: id}, 0, 8<<20)
		total += len(got)
		for _, r := range got {
			var caller, i int
			if _, err := fmt.Sscan(string(r.Value[:8]), &caller, &i); err != nil {
				t.Fatal(err)
			}
			if before, ok := last[caller]; ok && i <= before {
				t.Errorf("partition %d: output %d of caller %d after %d", id, i, caller, before)
			}
			last[caller] = i
		}
	}
	if total != callers*each {
		t.Errorf("%d records, want each of %d outputs once", total, callers*each)
	}
}

// TestOneCallerASession: who sends has the session for itself, until it has an outcome.
func TestOneCallerASession(t *testing.T) {
	r := &resting{doubts: map[content]doubt{}}
	r.settle(session{producer: 7}, nil, 2, 0, nil)
	if s, _, ok := r.take(nil, 1); !ok || s.producer != 7 || s.next != 2 {
		t.Errorf("took %+v, %v; want the session that rests", s, ok)
	}
	if s, _, ok := r.take(nil, 1); ok {
		t.Errorf("two callers have session %+v", s)
	}
}

// TestSequenceStandsForOneContent: what is new is never taken for what was sent
// before, whatever became of that.
func TestSequenceStandsForOneContent(t *testing.T) {
	for _, tc := range []struct {
		name   string
		faults []*kerr.Error // of the first batch; with the first one the broker takes it all the same
	}{
		{"in doubt", []*kerr.Error{kerr.RequestTimedOut}},
		{"in doubt, then refused", []*kerr.Error{kerr.RequestTimedOut, kerr.MessageTooLarge}},
		{"in doubt, then given up", []*kerr.Error{kerr.NotEnoughReplicasAfterAppend, kerr.UnknownServerError}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := fake(t)
			c := connect(t, b.ListenAddrs())
			to := pipeline.Partition{Topic: fresh(t, c, 1)}
			p, outputs := NewPublisher(c, Plain), numbered(to.Topic, 2)
			for _, e := range tc.faults {
				b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: e})
				if _, err := p.Publish(t.Context(), outputs[:1]); err == nil {
					t.Fatalf("%s: no error", e.Message)
				}
			}
			if _, err := p.Publish(t.Context(), outputs[1:]); err != nil {
				t.Fatal(err)
			}
			if got, _ := read(t, newLog(t, c), to, 0, 1<<20); values(got) != "0 1" {
				t.Errorf("%s, want 0 1", values(got))
			}
		})
	}
}

// TestSessionOver: a session that the brokers do not know any more is followed by
// another one, without a word to the caller.
func TestSessionOver(t *testing.T) {
	for _, e := range []*kerr.Error{kerr.OutOfOrderSequenceNumber, kerr.UnknownProducerID, kerr.InvalidProducerEpoch, kerr.InvalidProducerIDMapping} {
		b := fake(t)
		c := connect(t, b.ListenAddrs())
		to := pipeline.Partition{Topic: fresh(t, c, 1)}
		p := NewPublisher(c, Plain)
		granted := b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, Count: -1, Observe: true})
		for i, o := range numbered(to.Topic, 4) {
			if i == 2 {
				b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: e})
			}
			if _, err := p.Publish(t.Context(), []pipeline.Output{o}); err != nil {
				t.Errorf("%s: %v", e.Message, err)
			}
		}
		if got, _ := read(t, newLog(t, c), to, 0, 1<<20); values(got) != "0 1 2 3" || granted.Hits() != 2 {
			t.Errorf("%s: %s in %d sessions", e.Message, values(got), granted.Hits())
		}
	}
}

// TestDuplicateIsAcknowledged: so brokers say that a batch is in the log.
func TestDuplicateIsAcknowledged(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 1)
	b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.DuplicateSequenceNumber})
	if rest, err := NewPublisher(c, Plain).Publish(t.Context(), numbered(topic, 1)); err != nil || len(rest) > 0 {
		t.Errorf("%d are left, %v", len(rest), err)
	}
}

// TestNoSession: where the brokers grant no producer's id, outputs are sent
// without, and that is told once.
func TestNoSession(t *testing.T) {
	for _, e := range []*kerr.Error{kerr.ClusterAuthorizationFailed, kerr.UnsupportedVersion} {
		b := fake(t)
		c := connect(t, b.ListenAddrs())
		to := pipeline.Partition{Topic: fresh(t, c, 1)}
		asked := b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, TopLevel: true, Err: e, Count: -1})
		p, told := NewPublisher(c, Plain), 0
		p.OnRepeats = func(err error) {
			told++
			var code kafka.Error
			if !errors.As(err, &code) || int16(code) != e.Code {
				t.Errorf("%s: told %v", e.Message, err)
			}
		}
		for _, o := range numbered(to.Topic, 3) {
			if _, err := p.Publish(t.Context(), []pipeline.Output{o}); err != nil {
				t.Errorf("%s: %v", e.Message, err)
			}
		}
		if got, _ := read(t, newLog(t, c), to, 0, 1<<20); values(got) != "0 1 2" || told != 1 || asked.Hits() != 1 {
			t.Errorf("%s: %s, told %d times, asked %d times", e.Message, values(got), told, asked.Hits())
		}
	}
}

// TestSessionEnds: sequences and epochs end where their fields do.
func TestSessionEnds(t *testing.T) {
	r := &resting{doubts: map[content]doubt{}}
	r.free = []session{{7, 0, math.MaxInt32 - 1}}
	if _, _, ok := r.take(nil, 2); ok || len(r.free) > 0 {
		t.Errorf("a session went past its last sequence, %d rest", len(r.free))
	}
	r.settle(session{7, math.MaxInt16, 0}, nil, 1, 0, &pipeline.RefusedError{})
	if len(r.free) > 0 {
		t.Errorf("%+v past the last epoch", r.free)
	}
	batch := stored(t, 0, Plain, numbered("", 1)...)
	for i := range int64(maxDoubts + 1) {
		batch[recordsAt+4]++ // another content
		r.settle(session{i, 0, 0}, [][]byte{batch}, 1, 0, context.Canceled)
	}
	if len(r.doubts) != 1 {
		t.Errorf("%d sessions in doubt are kept", len(r.doubts))
	}
}

// TestStamp: another library reads what a batch says of its session.
func TestStamp(t *testing.T) {
	outputs := numbered("", 3)
	raw, plain := stored(t, 0, Zstd, outputs...), stored(t, 0, Zstd, outputs...)
	session{1 << 40, 5, 1 << 20}.stamp(raw)
	var b kmsg.RecordBatch
	if err := b.ReadFrom(raw); err != nil {
		t.Fatal(err)
	}
	if b.ProducerID != 1<<40 || b.ProducerEpoch != 5 || b.FirstSequence != 1<<20 || b.NumRecords != 3 ||
		b.CRC != int32(crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli))) {
		t.Errorf("%+v", b)
	}
	if contentOf(raw) != contentOf(plain) {
		t.Error("the content has changed")
	}
	nobody.stamp(raw)
	if !bytes.Equal(raw, plain) {
		t.Error("a batch of nobody is not as before")
	}
	raw[len(raw)-1]++
	if contentOf(raw) == contentOf(plain) {
		t.Error("another content is taken for the same")
	}
}
