package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/listoffsets"

	"github.com/credence-stream/credence/pipeline"
)

const (
	fetchWait       = 250 * time.Millisecond
	readUncommitted = 0
	readCommitted   = 1
	noEpoch         = -1
	// maxRefused bounds the stand-ins of one answer: the rest of a refused
	// batch is refused by the fetches that follow.
	maxRefused = 10_000
	// batchLimit is how many times the limit of a record's value a batch may
	// become in memory.
	batchLimit = 4
)

// Log reads topics, committed records only. It is safe for concurrent use;
// each call is one request at a time.
type Log struct {
	client  *Client
	watches *watches
	unpack  *unpacker
	bodies  bodies
	limit   int64
	record  int64
	budget  *pipeline.Budget // of Fetch, while it reads and unpacks
}

var _ pipeline.Log = (*Log)(nil)

// NewLog returns the log of a cluster. A packed record whose value has more
// than record bytes is refused, and so is a batch that takes more than four
// times as many in memory, unpacked and with its records' bookkeeping. One
// answer unpacks about record bytes before it leaves the rest to the next.
func NewLog(c *Client, record int64) (*Log, error) {
	record = max(record, 1)
	limit := batchLimit * record
	u, err := newUnpacker(limit)
	if err != nil {
		return nil, err
	}
	return &Log{client: c, watches: newWatches(c), unpack: u, limit: limit, record: record, budget: pipeline.NewBudget(limit)}, nil
}

// Fetch implements pipeline.Log. Records alias the answer they came in.
func (l *Log) Fetch(ctx context.Context, p pipeline.Partition, from int64, maxBytes int) (f pipeline.Fetched, err error) {
	at := pipeline.Position{Offset: from}
	n, err := l.wait(ctx, p, at)
	if err != nil || !n.more {
		return pipeline.Fetched{Next: from, End: n.stable, High: n.high}, err
	}
	room, err := l.budget.Within(ctx, func(r *pipeline.Room) (err error) {
		f, _, err = l.read(ctx, p, at, maxBytes, r)
		return err
	})
	room.Settle(0)
	return f, err
}

// wait waits for something at a position where there has been nothing.
func (l *Log) wait(ctx context.Context, p pipeline.Partition, at pipeline.Position) (news, error) {
	topic, err := parseTopicID(at.Topic)
	if err != nil {
		return news{}, err
	}
	here := spot{p, topic, at.Offset}
	if l.watches.times(here) <= 1 {
		return news{more: true}, nil
	}
	n, err := l.watches.await(ctx, here)
	if err != nil {
		return n, fmt.Errorf("fetch %s from %d: %w", p, at.Offset, err)
	}
	return n, nil
}

// read fetches from a position and returns the leader epoch of the first batch
// as well, 0 where none came.
func (l *Log) read(ctx context.Context, p pipeline.Partition, at pipeline.Position, maxBytes int, room *pipeline.Room) (pipeline.Fetched, pipeline.LeaderEpoch, error) {
	topic, err := parseTopicID(at.Topic)
	if err != nil {
		return pipeline.Fetched{}, 0, err
	}
	here := spot{p, topic, at.Offset}
	wait, end := l.watches.poll(ctx, here)
	f, a, err := l.fetch(ctx, p, topic, at.Offset, maxBytes, wait, room)
	end()
	if err == nil {
		l.watches.found(here, a.none() && at.Offset >= f.End)
	}
	if err != nil || !a.none() || at.Offset >= f.End {
		return f, a.first, err
	}
	// Nothing came, and yet the log goes on. Compaction can have taken all
	// that was left; but a broker that reads from remote storage answers
	// alike when it runs out of time. In the first case the last offset is
	// gone as well, in the second it is at hand.
	_, a, err = l.fetch(ctx, p, topic, f.End-1, 1, 0, room)
	if err != nil {
		return pipeline.Fetched{}, 0, err
	}
	if a.none() {
		f.Next = f.End
		f.Lack.Add(at.Offset, f.End-at.Offset)
	}
	return f, 0, nil
}

// fetch is one request, by the topic's id where that is known and the broker
// can.
func (l *Log) fetch(ctx context.Context, p pipeline.Partition, topic topicID, from int64, maxBytes int, wait time.Duration, room *pipeline.Room) (f pipeline.Fetched, a answer, err error) {
	var short *pipeline.ShortError
	var free func()
	most := int32(min(max(maxBytes, 1), math.MaxInt32))
	err = l.client.toLeader(ctx, p, wait+callTimeout, func(n *conn) error {
		v, err := n.version(protocol.Fetch)
		if err != nil {
			return err
		}
		if topic == (topicID{}) {
			v = min(v, fetchByID-1)
		}
		req := message{flexible: v >= fetchFlexible}
		appendFetch(&req, v, p, topic, from, most, wait)
		var body []byte
		raw, err := n.callRaw(protocol.Fetch, v, &req, callTimeout, room, func(size int) []byte {
			body = l.bodies.take(size)
			return body
		})
		if errors.As(err, &short) {
			return nil // nothing is wrong with the connection, nor with the route
		}
		if err != nil {
			return err
		}
		if a, err = parseAnswer(fields{rest: raw, flexible: req.flexible}, v, p, topic); err != nil {
			return err
		}
		n.throttled(a.throttle)
		if a.code != 0 {
			return kafka.Error(a.code)
		}
		free = l.bodies.giver(body)
		return nil
	})
	switch {
	case errors.Is(err, kafka.OffsetOutOfRange):
		return f, a, fmt.Errorf("fetch %s from %d: %w", p, from, pipeline.ErrOutOfRange)
	case err != nil:
		return f, a, fmt.Errorf("fetch from %d: %w", from, permit(err))
	case short != nil:
		return f, a, short
	case a.absent:
		f.Next = from
		_, f.End, err = l.Bounds(ctx, p)
		return f, a, err
	}
	if f, err = l.decode(&a, from, room); err != nil {
		return pipeline.Fetched{}, a, fmt.Errorf("fetch %s from %d: %w", p, from, err)
	}
	f.Free = free
	return f, a, nil
}

// decode turns the batches of an answer into records. Batches of aborted
// transactions are told by the broker's list of (producer, first offset): from
// that offset to the producer's abort marker its records do not count.
func (l *Log) decode(a *answer, from int64, room *pipeline.Room) (pipeline.Fetched, error) {
	f := pipeline.Fetched{Next: from, End: a.stable, High: a.high}
	var spent int64
	var dead map[int64]bool // producers
	for data := a.records; len(data) > 0; {
		b, n, err := parseBatch(data)
		if errors.Is(err, errPartial) {
			if len(data) == len(a.records) {
				return f, err
			}
			break
		}
		if err != nil {
			if len(f.Records) > 0 || f.Next > from {
				break // what was read is good; the next fetch meets it first
			}
			return f, err
		}
		data = data[n:]
		if a.first == 0 {
			a.first = b.epoch
		}
		for len(a.aborted) > 0 && a.aborted[0].first <= b.last {
			if dead == nil {
				dead = map[int64]bool{}
			}
			dead[a.aborted[0].producer] = true
			a.aborted = a.aborted[1:]
		}
		switch {
		case b.control():
			if b.aborts() {
				delete(dead, b.producer)
			}
		case b.last < from, b.transactional() && dead[b.producer]:
		default:
			if spent > l.limit/4 {
				return f, nil
			}
			var cost int64
			var whole bool
			before := len(f.Records)
			f.Records, cost, whole, err = l.expand(f.Records, &b, from, room)
			if err != nil {
				if len(f.Records) > 0 || f.Next > from {
					return f, nil // the next fetch makes room for it
				}
				return f, err
			}
			if !whole {
				f.Lack.Add(f.Next, b.base-f.Next)
				f.Next = f.Records[len(f.Records)-1].Offset + 1
				f.Epoch, f.Read = b.epoch, f.Next
				return f, nil
			}
			spent += cost
			first := max(b.base, from)
			f.Lack.Add(first, b.last+1-first-int64(len(f.Records)-before))
		}
		if !b.old { // a packed set of that format tells its last offset alone
			f.Lack.Add(f.Next, b.base-f.Next)
		}
		f.Next = max(f.Next, b.last+1)
		f.Epoch, f.Read = b.epoch, b.last+1
	}
	return f, nil
}

// expand appends the records of one batch, or their stand-ins when it is
// refused; whole is false when not all of those had room in the answer. The
// error is a *pipeline.ShortError.
func (l *Log) expand(dst []pipeline.Record, b *batch, from int64, room *pipeline.Room) (_ []pipeline.Record, cost int64, whole bool, err error) {
	out, cost, err := l.unpacked(dst, b, from, room)
	var short *pipeline.ShortError
	if err == nil || errors.As(err, &short) {
		return out, cost, true, err
	}
	err = fmt.Errorf("batch of offsets %d to %d: %w", b.base, b.last, err)
	for o := max(b.base, from); o <= b.last; o++ {
		if o-max(b.base, from) == maxRefused {
			return dst, cost, false, nil
		}
		dst = append(dst, pipeline.Record{Offset: o, Epoch: b.epoch, Time: b.maxTime, Refused: err})
	}
	return dst, cost, true, nil
}

// unpacked appends the records of one batch and returns what they cost. With
// an error nothing was appended.
func (l *Log) unpacked(dst []pipeline.Record, b *batch, from int64, room *pipeline.Room) ([]pipeline.Record, int64, error) {
	if b.old {
		return dst, 0, errors.New("it has message format 0 or 1, of producers before Kafka 0.11, which is not read: send the records again with a later one")
	}
	payload, err := l.unpack.unpack(b.codec(), b.payload, room)
	if err != nil {
		return dst, 0, err
	}
	limit, cost := l.limit, int64(0)
	if b.codec() != 0 {
		cost = int64(len(payload))
		limit -= cost
	}
	out, more, err := b.records(dst, payload, from, limit, room)
	if err == nil && b.codec() != 0 {
		l.refuseLarge(out[len(dst):])
	}
	return out, cost + more, err
}

// refuseLarge drops the bytes of records that no limit lets pass: what was
// packed so well would be sent on unpacked. The others then have bytes of their
// own, so that these do not keep those of the batch.
func (l *Log) refuseLarge(records []pipeline.Record) {
	if !slices.ContainsFunc(records, l.tooLarge) {
		return
	}
	for i := range records {
		r := &records[i]
		if l.tooLarge(*r) {
			err := fmt.Errorf("the record has %d bytes unpacked; limits.record allows %d", len(r.Value), l.record)
			*r = pipeline.Record{Offset: r.Offset, Epoch: r.Epoch, Time: r.Time, Refused: err}
			continue
		}
		r.Key, r.Value = bytes.Clone(r.Key), bytes.Clone(r.Value)
		for j := range r.Headers {
			r.Headers[j].Value = bytes.Clone(r.Headers[j].Value)
		}
	}
}

func (l *Log) tooLarge(r pipeline.Record) bool { return int64(len(r.Value)) > l.record }

// Bounds implements pipeline.Log: the log's start and its last stable offset.
func (l *Log) Bounds(ctx context.Context, p pipeline.Partition) (start, end int64, err error) {
	if start, err = l.offset(ctx, p, kafka.FirstOffset, readCommitted); err == nil {
		end, err = l.offset(ctx, p, kafka.LastOffset, readCommitted)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("bounds of %w", err)
	}
	return start, end, nil
}

// OffsetAt returns the offset of a partition's first record whose timestamp is at least
// t, the end of the log where there is none.
func (l *Log) OffsetAt(ctx context.Context, p pipeline.Partition, t time.Time) (int64, error) {
	at, err := l.offset(ctx, p, max(t.UnixMilli(), 0), readCommitted) // below 0 they mean the ends of the log
	if err == nil && at < 0 {
		at, err = l.offset(ctx, p, kafka.LastOffset, readCommitted)
	}
	if err != nil {
		return 0, fmt.Errorf("offset of a time in %w", err)
	}
	return at, nil
}

func (l *Log) offset(ctx context.Context, p pipeline.Partition, which int64, isolation int8) (int64, error) {
	req := &listoffsets.Request{ReplicaID: -1, IsolationLevel: isolation,
		Topics: []listoffsets.RequestTopic{{Topic: p.Topic, Partitions: []listoffsets.RequestPartition{
			{Partition: p.ID, CurrentLeaderEpoch: noEpoch, Timestamp: which},
		}}}}
	var offset int64
	err := l.client.toLeader(ctx, p, callTimeout, func(n *conn) error {
		answer, err := n.call(req)
		if err != nil {
			return err
		}
		r := answer.(*listoffsets.Response)
		if len(r.Topics) != 1 || len(r.Topics[0].Partitions) != 1 {
			return errors.New("an answer about other partitions")
		}
		q := r.Topics[0].Partitions[0]
		if q.ErrorCode != 0 {
			return kafka.Error(q.ErrorCode)
		}
		offset = q.Offset
		return nil
	})
	return offset, err
}

// Partitions implements pipeline.Log. The number is asked for, not remembered.
func (l *Log) Partitions(ctx context.Context, topic string) (int, error) {
	r, err := l.client.route(ctx, topic, true)
	return len(r.leaders), err
}
