package kafka

import (
	"errors"
	"fmt"
	"math"

	"github.com/segmentio/kafka-go"

	"github.com/credence-stream/credence/pipeline"
)

// What was acknowledged and is not there any more is found by the next batch for its partition: no log that is whole
// goes back, and this one comes to lie below the end that was known before it was sent. Where others have written so much
// that it does not, the broker may refuse its sequence, because it lacks the one before. It does not always: a leader of
// Apache Kafka 4 that was not in sync, and had been killed, took the next sequence over a hole. And others than Apache
// Kafka may refuse one that they have only forgotten.

// lost tells of a batch of n records whose outcome says that batches before it are lost, and returns what is to
// become of it: the session may be over, and the batch is not in the log, or it lies at an offset, below floor.
func (p *Publisher) lost(to pipeline.Partition, r *resting, t session, n int, at, floor int64, err error) error {
	var why error
	switch {
	case t.next > 0 && errors.Is(err, kafka.OutOfOrderSequenceNumber):
		r.appended(0, 0, math.MaxInt64) // its end is not known any more, and this is told
		why = fmt.Errorf("%w: %s, what this producer sent before: %w", pipeline.ErrLost, to, err)
	case err == nil && at >= 0 && !r.appended(at, n, floor):
		why = fmt.Errorf("%w: %s had all up to offset %d, and what was sent then lies at offset %d", pipeline.ErrLost, to, floor-1, at)
	}
	if why == nil || p.OnLost == nil {
		return nil
	}
	return p.OnLost(to, err == nil, why)
}

// appended notes where a batch has come to lie, and reports whether that is not below floor: what the log was known to
// have before the batch was sent.
func (r *resting) appended(at int64, n int, floor int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at < floor {
		r.end = at + int64(n)
		return false
	}
	r.end = max(r.end, at+int64(n))
	return true
}

// StopAtLoss is the OnLost of who sends shards that are numbered: later ones of a key that are applied would have the
// consumer skip the lost ones when they come again.
func StopAtLoss(_ pipeline.Partition, sent bool, why error) error {
	if !sent {
		return why
	}
	return fmt.Errorf("%w. Send all rows to a new topic: shards are skipped where newer ones of their run and key were applied", why)
}
