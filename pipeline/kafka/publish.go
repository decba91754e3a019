package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/produce"
	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/pipeline"
)

const (
	// ackWait is how long the leader may wait for its replicas.
	ackWait  = 30 * time.Second
	requests = 8 // in parallel, one per output partition
	// batchBytes is what a request carries unless one output is larger.
	batchBytes = 1 << 20
)

// Publisher sends outputs with acknowledgement by all in-sync replicas. It is
// safe for concurrent use; the order of two calls at once is not defined.
// Outputs that are given again because it is not known what became of them are in
// the log once, where the brokers grant a producer's id.
type Publisher struct {
	// OnRepeats, when not nil, is told once why the brokers grant no producer's
	// id. Set it before the first call.
	OnRepeats func(error)
	// OnLost, when not nil, is told of a partition that lacks what its brokers had acknowledged, or may, why being a
	// pipeline.ErrLost, and whether the outputs at hand are in the log by then. An error that it returns is that of these
	// outputs, of which no more are sent; after nil they are. It is called from several goroutines. Set it
	// before the first call.
	OnLost func(to pipeline.Partition, sent bool, why error) error

	client   *Client
	pack     Compression
	sessions sessions
	rules    map[string]TopicRule
	sets     sync.Pool // of *recordSet: those that are not on their way
}

// TopicRule is what holds for the outputs to one topic.
type TopicRule struct {
	Pack  Compression
	Bound string // the setting that bounds them in bytes, for messages; "": none
}

var _ pipeline.Publisher = (*Publisher)(nil)

// NewPublisher returns a publisher that packs its batches as said.
func NewPublisher(c *Client, pack Compression) *Publisher {
	return &Publisher{client: c, pack: pack, sessions: sessions{of: map[pipeline.Partition]*resting{}}, rules: map[string]TopicRule{}}
}

// Set gives a topic a rule of its own. It comes before the first Publish.
func (p *Publisher) Set(topic string, r TopicRule) { p.rules[topic] = r }

func (p *Publisher) rule(topic string) TopicRule {
	if r, ok := p.rules[topic]; ok {
		return r
	}
	return TopicRule{Pack: p.pack}
}

// Publish implements pipeline.Publisher. After a failure the other
// partitions are still sent to their end.
func (p *Publisher) Publish(ctx context.Context, outputs []pipeline.Output) ([]pipeline.Output, error) {
	var sends []*sending
	at := map[pipeline.Partition]*sending{}
	var r route
	for i := range outputs {
		o := &outputs[i]
		if i == 0 || o.Topic != outputs[i-1].Topic {
			var err error
			if r, err = p.client.settled(ctx, o.Topic); err != nil {
				return outputs, refused(o.Topic, err)
			}
		}
		to := pipeline.Partition{Topic: o.Topic, ID: place(o, len(r.leaders))}
		if at[to] == nil {
			at[to] = &sending{to: to}
			sends = append(sends, at[to])
		}
		at[to].rest = append(at[to].rest, o)
	}
	var g errgroup.Group
	g.SetLimit(requests)
	for _, s := range sends {
		g.Go(func() error {
			n, err := p.send(ctx, s.to, s.rest)
			s.rest, s.err = s.rest[n:], err
			return nil
		})
	}
	_ = g.Wait()
	return unsent(sends)
}

// sending is what goes to one partition.
type sending struct {
	to   pipeline.Partition
	rest []*pipeline.Output // not yet acknowledged
	err  error
}

// unsent returns what was not acknowledged and why: a refusal before an outage,
// and what was refused first.
func unsent(sends []*sending) (rest []pipeline.Output, err error) {
	var r *pipeline.RefusedError
	worst := -1
	for i, s := range sends {
		if s.err != nil && (worst < 0 || errors.As(s.err, &r) && !errors.As(sends[worst].err, &r)) {
			worst = i
		}
	}
	if worst < 0 {
		return nil, nil
	}
	sends[0], sends[worst] = sends[worst], sends[0]
	for _, s := range sends {
		for _, o := range s.rest {
			rest = append(rest, *o)
		}
	}
	return rest, sends[0].err
}

// PublishTo is Publish into one partition, whatever the keys: to reach what a
// producer with another partitioner has put there.
func (p *Publisher) PublishTo(ctx context.Context, to pipeline.Partition, outputs []pipeline.Output) error {
	list := make([]*pipeline.Output, len(outputs))
	for i := range outputs {
		list[i] = &outputs[i]
	}
	_, err := p.send(ctx, to, list)
	return err
}

// settled is route for a topic that exists, waiting a little for one that
// was created a moment ago.
func (c *Client) settled(ctx context.Context, topic string) (route, error) {
	for try := 0; ; try++ {
		r, err := c.route(ctx, topic, false)
		if err == nil && len(r.leaders) == 0 {
			err = fmt.Errorf("topic %s: %w", topic, kafka.UnknownTopicOrPartition)
		}
		if !Moved(err) || try == routeRetries {
			return r, err
		}
		if err := pause(ctx, routeBackoff<<try); err != nil {
			return route{}, err
		}
	}
}

// send sends the outputs of one partition, batch after batch: the next one
// leaves when the last was acknowledged. It returns how many were.
func (p *Publisher) send(ctx context.Context, to pipeline.Partition, outputs []*pipeline.Output) (acked int, err error) {
	for acked < len(outputs) {
		n, size := 1, sizeOf(outputs[acked])
		for acked+n < len(outputs) && size+sizeOf(outputs[acked+n]) <= batchBytes {
			size += sizeOf(outputs[acked+n])
			n++
		}
		n, err = p.sendBatch(ctx, to, outputs[acked:acked+n])
		acked += n
		if err != nil {
			return acked, err
		}
	}
	return acked, nil
}

// sendBatch halves what the topic refuses, until it is a single output. It
// returns how many were acknowledged.
func (p *Publisher) sendBatch(ctx context.Context, to pipeline.Partition, outputs []*pipeline.Output) (acked int, err error) {
	n := len(outputs)
	err = p.deliverAll(ctx, to, outputs)
	var r *pipeline.RefusedError
	switch {
	case err == nil:
		return n, nil
	case n == 1 || !errors.As(err, &r):
		return 0, err
	}
	if acked, err = p.sendBatch(ctx, to, outputs[:n/2]); err != nil {
		return acked, err
	}
	n, err = p.sendBatch(ctx, to, outputs[n/2:])
	return acked + n, err
}

// deliverAll sends outputs as one batch. Nobody reads it once deliver has returned,
// whatever became of it.
func (p *Publisher) deliverAll(ctx context.Context, to pipeline.Partition, outputs []*pipeline.Output) error {
	rule := p.rule(to.Topic)
	set, ok := p.sets.Get().(*recordSet)
	if !ok {
		set = new(recordSet)
	}
	if err := set.put(outputs, rule.Pack); err != nil {
		return err
	}
	err := rule.tooLarge(to.Topic, set.size, p.deliver(ctx, to, set, len(outputs)))
	set.leave()
	p.sets.Put(set)
	return err
}

// produce sends one batch, of pieces, and returns the offset of its first record, -1 where the broker does not tell.
func (c *Client) produce(ctx context.Context, to pipeline.Partition, batch [][]byte) (at int64, err error) {
	size := lengthOf(batch)
	limit := ackWait + callTimeout + time.Duration(size>>20)*time.Second
	at = -1
	err = c.toLeader(ctx, to, limit, func(n *conn) error {
		v, err := n.version(protocol.Produce)
		if err != nil {
			return err
		}
		var req message
		appendProduce(&req, to)
		req.int32(int32(size))
		if err := n.write(protocol.Produce, v, &req, batch...); err != nil {
			return err
		}
		answer, err := n.answer(protocol.Produce, v)
		if err != nil {
			return err
		}
		r := answer.(*produce.Response)
		n.throttled(time.Duration(r.ThrottleTimeMs) * time.Millisecond)
		if len(r.Topics) != 1 || len(r.Topics[0].Partitions) != 1 {
			return errors.New("an answer about other partitions")
		}
		q := r.Topics[0].Partitions[0]
		if q.ErrorCode != 0 {
			return coded(q.ErrorCode, q.ErrorMessage)
		}
		at = q.BaseOffset
		return nil
	})
	return at, err
}

// appendProduce writes a request up to the size of its record set, alike in all versions that
// are spoken.
func appendProduce(m *message, to pipeline.Partition) {
	m.int16(-1) // no transaction
	m.int16(-1) // all replicas are to have it
	m.int32(int32(ackWait.Milliseconds()))
	m.count(1)
	m.text(to.Topic)
	m.count(1)
	m.int32(to.ID)
}

// tooLarge completes the refusal of a batch for its size: how large it is, and what
// bounds it.
func (r TopicRule) tooLarge(topic string, bytes int, err error) error {
	var f *pipeline.RefusedError
	if !errors.As(err, &f) || !errors.Is(err, kafka.MessageSizeTooLarge) && !errors.Is(err, kafka.RecordListTooLarge) {
		return err
	}
	f.Remedy = fmt.Sprintf("the batch has %d bytes: raise %s of topic %s above that", bytes, f.Limit, topic)
	if errors.Is(err, kafka.MessageSizeTooLarge) {
		f.Remedy += " (for topics without it message.max.bytes of the brokers; and replica.fetch.max.bytes with it)"
	}
	if r.Bound != "" {
		f.Remedy += ", or lower " + r.Bound
	}
	return err
}

// refused turns the errors that no repetition cures into a RefusedError.
func refused(topic string, err error) error {
	var code kafka.Error
	if !errors.As(err, &code) {
		return err
	}
	r := &pipeline.RefusedError{Topic: topic, Err: err}
	switch code {
	case kafka.MessageSizeTooLarge:
		r.Limit = "max.message.bytes"
	case kafka.RecordListTooLarge:
		r.Limit = "segment.bytes"
	case kafka.InvalidTimestamp:
		r.Limit = "message.timestamp.before.max.ms, message.timestamp.after.max.ms"
		r.Remedy = "raise both on the topic, because outputs carry the timestamps of the input"
	case kafka.TopicAuthorizationFailed, kafka.ClusterAuthorizationFailed:
		r.Limit, r.Remedy = "authorization", "allow this user DESCRIBE and WRITE on the topic"
	case kafka.InvalidRecord:
		r.Limit, r.Remedy = "cleanup.policy", "set cleanup.policy=delete on the topic"
	case kafka.PolicyViolation:
		r.Limit, r.Remedy = "the brokers' policy", "ask the operator of the cluster"
	case kafka.InvalidTopic:
		r.Limit, r.Remedy = "the topic's name", "choose a legal name"
	case kafka.UnsupportedCompressionType, kafka.UnsupportedForMessageFormat:
		r.Limit, r.Remedy = "the topic's message format", "set message.format.version of the topic to 0.11 or newer"
	default:
		return err
	}
	return r
}
