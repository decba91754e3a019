package kafka

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"sync"
	"sync/atomic"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/initproducerid"

	"github.com/credence-stream/credence/pipeline"
)

// session is a producer as the brokers know it. It sends to one partition, one
// batch at a time, and each of its sequences stands for one content, whatever
// becomes of the batch: so a batch that comes again is told from a new one.
type session struct {
	producer int64
	epoch    int16
	next     int32 // sequence of the next record
}

// nobody sends batches that are not told from new ones when they come again.
var nobody = session{-1, -1, -1}

// producerAt and recordsAt enclose what a batch says of its session.
const (
	producerAt = 43
	recordsAt  = 57
)

// stamp makes a batch, of pieces, one of the session's.
func (s session) stamp(batch ...[]byte) {
	head := batch[0]
	binary.BigEndian.PutUint64(head[producerAt:], uint64(s.producer))
	binary.BigEndian.PutUint16(head[producerAt+8:], uint16(s.epoch))
	binary.BigEndian.PutUint32(head[producerAt+10:], uint32(s.next))
	sum := crc32.Checksum(head[attrsAt:], castagnoli)
	for _, piece := range batch[1:] {
		sum = crc32.Update(sum, castagnoli, piece)
	}
	binary.BigEndian.PutUint32(head[crcAt:], sum)
}

// content tells batches apart by all but their session.
type content [sha256.Size]byte

func contentOf(batch ...[]byte) (c content) {
	h := sha256.New()
	h.Write(batch[0][attrsAt:producerAt])
	h.Write(batch[0][recordsAt:])
	for _, piece := range batch[1:] {
		h.Write(piece)
	}
	h.Sum(c[:0])
	return c
}

// sessions holds the sessions of a publisher by partition.
type sessions struct {
	mu      sync.Mutex
	of      map[pipeline.Partition]*resting
	refused atomic.Bool // the brokers grant none
}

func (s *sessions) at(to pipeline.Partition) *resting {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.of[to]
	if r == nil {
		r = &resting{doubts: map[content]doubt{}}
		s.of[to] = r
	}
	return r
}

// resting are the sessions of one partition that are not sending. A caller that
// sends has one for itself, so that callers do not wait for each other.
type resting struct {
	mu   sync.Mutex
	end  int64 // the log had all below it
	free []session
	// doubts are those whose last batch is in the log or not: they wait for the
	// same batch to be sent again.
	doubts map[content]doubt
}

// doubt is a session and below what its last batch does not lie, if it is in the log.
type doubt struct {
	session
	floor int64
}

// maxDoubts bounds the batches of a partition that nobody sent again.
const maxDoubts = 64

// take returns the session to send a batch of n records in, if there is one, and what the batch will not lie below.
func (r *resting) take(batch [][]byte, n int) (_ session, floor int64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.doubts) > 0 {
		c := contentOf(batch...)
		if t, ok := r.doubts[c]; ok {
			delete(r.doubts, c)
			return t.session, t.floor, true
		}
	}
	for len(r.free) > 0 {
		t := r.free[len(r.free)-1]
		r.free = r.free[:len(r.free)-1]
		if int(t.next) <= math.MaxInt32-n {
			return t, r.end, true
		}
	}
	return session{}, r.end, false
}

// settle takes a session back that sent a batch of n records, with this outcome,
// unless it is of no more use.
func (r *resting) settle(t session, batch [][]byte, n int, floor int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var code kafka.Error
	var refusal *pipeline.RefusedError
	switch {
	case err == nil:
		t.next += int32(n)
		r.free = append(r.free, t)
	case over(err): // and with it those that rest
		r.free = nil
		clear(r.doubts)
	case errors.As(err, &refusal):
		// An earlier attempt may have used the sequence. A higher epoch begins anew.
		if t.epoch < math.MaxInt16 {
			r.free = append(r.free, session{t.producer, t.epoch + 1, 0})
		}
	case !errors.As(err, &code) || code.Temporary():
		if len(r.doubts) >= maxDoubts {
			clear(r.doubts)
		}
		r.doubts[contentOf(batch...)] = doubt{t, floor}
	}
}

// over reports what ends a session: another one can send the batch.
func over(err error) bool {
	var code kafka.Error
	if !errors.As(err, &code) {
		return false
	}
	switch code {
	case kafka.OutOfOrderSequenceNumber, kafka.UnknownProducerId, kafka.InvalidProducerEpoch, kafka.InvalidProducerIDMapping,
		kafka.ProducerFenced, kafka.ClusterAuthorizationFailed:
		return true
	}
	return false
}

// newSession asks the brokers for a producer's id.
func (c *Client) newSession(ctx context.Context) (session, error) {
	return anywhere(ctx, c, func(n *conn) (session, error) {
		answer, err := n.call(&initproducerid.Request{TransactionTimeoutMs: math.MaxInt32})
		if err != nil {
			return session{}, err
		}
		r := answer.(*initproducerid.Response)
		if r.ErrorCode != 0 {
			return session{}, kafka.Error(r.ErrorCode)
		}
		return session{producer: r.ProducerID, epoch: r.ProducerEpoch}, nil
	})
}

// begin returns the session to send a batch of n records in, nobody where the
// brokers are too old or this user may not have one, and what the batch will not lie below in a log that is whole.
func (p *Publisher) begin(ctx context.Context, r *resting, batch [][]byte, n int) (_ session, floor int64, _ error) {
	t, floor, ok := r.take(batch, n)
	switch {
	case p.sessions.refused.Load():
		return nobody, floor, nil
	case ok:
		return t, floor, nil
	}
	t, err := p.client.newSession(ctx)
	switch {
	case err == nil:
		return t, floor, nil
	case !errors.Is(err, kafka.ClusterAuthorizationFailed) && !errors.Is(err, kafka.UnsupportedVersion):
		return session{}, 0, fmt.Errorf("producer id: %w", err)
	case !p.sessions.refused.Swap(true) && p.OnRepeats != nil:
		p.OnRepeats(fmt.Errorf("producer id: %w", err))
	}
	return nobody, floor, nil
}

// deliver sends a batch of n records. One that was sent before, with an outcome
// that is unknown, is in the log once.
func (p *Publisher) deliver(ctx context.Context, to pipeline.Partition, set *recordSet, n int) error {
	batch, r := set.pieces, p.sessions.at(to)
	for first := true; ; first = false {
		t, floor, err := p.begin(ctx, r, batch, n)
		if err != nil {
			return err
		}
		t.stamp(batch...)
		at, err := p.client.produce(ctx, to, batch)
		err = refused(to.Topic, err)
		if errors.Is(err, kafka.DuplicateSequenceNumber) {
			at, err = -1, nil // it is in the log
		}
		if t != nobody {
			r.settle(t, batch, n, floor, err)
		}
		if why := p.lost(to, r, t, n, at, floor, err); why != nil {
			return why
		}
		if !first || !over(err) {
			return err
		}
	}
}
