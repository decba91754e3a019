package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/credence-stream/credence/pipeline"
)

// GroupOptions name a consumer group. A duration of zero is its default.
type GroupOptions struct {
	Group  string
	Topics []string

	Heartbeat time.Duration // between heartbeats, 500 ms
	Session   time.Duration // without heartbeats until the member is expelled, 30 s
	Rebalance time.Duration // that members have to join again, 60 s
	Backoff   time.Duration // after an error, 1 s
	Timeout   time.Duration // of a request to the coordinator, 10 s
	Watch     time.Duration // between looks at the number of partitions, 5 s

	// Admit, when not nil, is asked before a member that the coordinator has dropped joins
	// again, and later until it returns nil. Without an answer in time it is as an error; it
	// has Backoff at first, and twice as long each time up to Session.
	Admit func(context.Context) error
	// OnError, when not nil, is told of each error that Run waits out.
	OnError func(error)
	// Lines and Errors, when not nil, take what the group library logs.
	Lines, Errors func(format string, args ...any)
}

func (o GroupOptions) withDefaults() GroupOptions {
	o.Heartbeat = cmp.Or(o.Heartbeat, 500*time.Millisecond)
	o.Session = cmp.Or(o.Session, 30*time.Second)
	o.Rebalance = cmp.Or(o.Rebalance, 60*time.Second)
	o.Backoff = cmp.Or(o.Backoff, time.Second)
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.Watch = cmp.Or(o.Watch, 5*time.Second)
	if o.OnError == nil {
		o.OnError = func(error) {}
	}
	if o.Admit == nil {
		o.Admit = func(context.Context) error { return nil }
	}
	return o
}

// Group is membership of a consumer group. Where its members read is no
// business of the group's: its offsets are for lag tools.
type Group struct {
	client  *Client
	options GroupOptions
}

var _ pipeline.Group = (*Group)(nil)

// NewGroup returns a member that joins when it runs.
func NewGroup(c *Client, o GroupOptions) *Group {
	return &Group{client: c, options: o.withDefaults()}
}

// Run implements pipeline.Group. It returns nil at the end of ctx, when every
// work has returned and the group was left, and an error only for options
// that no broker would take. Work that returns too early does not end the
// generation, which would make the whole group rebalance without a pause. A
// member that is waiting to join is not waited for at the end: the answer may take
// as long as a rebalance, and what it has joined ends with the session. One that was
// dropped joins again when it is admitted: others may have expelled it because it
// cannot do its work, and would wait for the partitions that it got again.
func (g *Group) Run(ctx context.Context, member func(id string, partitions int), work func(context.Context, pipeline.Assignment)) error {
	o := g.options
	place := new(sticky)
	config := kafka.ConsumerGroupConfig{
		ID:      o.Group,
		Brokers: g.client.addresses.list(), // the first is asked, for ten seconds
		Topics:  o.Topics,
		Dialer:  &kafka.Dialer{ClientID: g.client.clientID, DialFunc: g.client.dialFor},
		// The group takes the first that all members have: members of
		// before there was the first one have the second.
		GroupBalancers:    []kafka.GroupBalancer{place, kafka.RoundRobinGroupBalancer{}},
		HeartbeatInterval: o.Heartbeat,
		SessionTimeout:    o.Session,
		RebalanceTimeout:  o.Rebalance,
		JoinGroupBackoff:  o.Backoff,
		Timeout:           o.Timeout,
		StartOffset:       kafka.FirstOffset,
		Logger:            lines(o.Lines),
		ErrorLogger:       lines(o.Errors),
	}
	cg, err := kafka.NewConsumerGroup(config)
	if err != nil {
		return fmt.Errorf("group %s: %w", o.Group, err)
	}
	// A generation that ended before work could be started in it starts it
	// all the same and does not wait for it: so we count ourselves.
	var running sync.WaitGroup
	m := membership{tell: member}
	defer func() { leave(cg, &running) }()
	for {
		gen, err := cg.Next(ctx)
		switch {
		case ctx.Err() != nil, errors.Is(err, kafka.ErrGroupClosed):
			return nil
		case err != nil:
			o.OnError(fmt.Errorf("group %s: %w", o.Group, permit(err)))
			if id := m.dropped(err); id != "" {
				running.Go(func() { g.forsake(ctx, id) })
				if g.admitted(ctx, o.Backoff/2) != nil {
					_ = cg.Close() // while it waits before it joins again
					// A store that is slow answers in the end, one that was away as soon as it is back.
					for within := o.Backoff; g.admitted(ctx, within) != nil; within = min(2*within, o.Session) {
						if pause(ctx, o.Backoff/10) != nil {
							return nil
						}
					}
					if cg, err = kafka.NewConsumerGroup(config); err != nil {
						return fmt.Errorf("group %s: %w", o.Group, err)
					}
					continue
				}
			}
			// Most errors were waited after already; the refusal to join while
			// others are joining was not.
			if pause(ctx, o.Backoff/10) != nil {
				return nil
			}
		default:
			dealt := place.given(gen)
			ended := m.follow(gen, o.Topics, &running)
			g.attend(ended, gen, dealt, &m, &running)
			c := &commits{send: (&sender{group: g, gen: gen}).send}
			for _, topic := range o.Topics {
				for _, a := range gen.Assignments[topic] {
					start(ctx, ended, gen, &running, assignment(gen, c, topic, a), work)
				}
			}
		}
	}
}

// admitted returns nil when this process may join again, within a time.
func (g *Group) admitted(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return g.options.Admit(ctx)
}

// lines makes a logger of a function that may be nil.
func lines(f func(string, ...any)) kafka.Logger {
	if f == nil {
		return nil
	}
	return kafka.LoggerFunc(f)
}

// Answered reports whether an error is what a broker answered: it was not away.
func Answered(err error) bool { return errors.As(err, new(kafka.Error)) }

// Expel implements pipeline.Group.
func (g *Group) Expel(ctx context.Context, member string) error {
	return g.client.expel(ctx, g.options.Group, member)
}

// Reach implements pipeline.Group.
func (g *Group) Reach(ctx context.Context) error { return g.client.reach(ctx, g.options.Group) }

// stable is the state of a group whose members have all joined and know their partitions.
const stable = "Stable"

// Members implements pipeline.Group.
func (g *Group) Members(ctx context.Context) (map[string]string, error) {
	d, err := g.client.described(ctx, g.options.Group)
	if err != nil || d.GroupState != stable {
		return nil, err
	}
	all := make(map[string]string, len(d.Members))
	for i := range d.Members {
		all[d.Members[i].MemberID] = whoAndWhere(&d.Members[i])
	}
	return all, nil
}

// forsake has a member id of ours leave that no generation will use again. It
// tries until the broker's session for it is over.
func (g *Group) forsake(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(ctx, g.options.Session)
	defer cancel()
	for {
		err := g.Expel(ctx, id)
		if err == nil || errors.Is(err, pipeline.ErrNoMember) || pause(ctx, g.options.Backoff) != nil {
			return
		}
	}
}

// leaveTimeout is how long a member that has nothing to do any more tries to
// leave its group.
const leaveTimeout = time.Second

// leave ends the generation, waits for its work and leaves the group.
func leave(cg *kafka.ConsumerGroup, running *sync.WaitGroup) {
	left := make(chan struct{})
	go func() {
		defer close(left)
		_ = cg.Close()
	}()
	running.Wait()
	select {
	case <-left:
	case <-time.After(leaveTimeout):
	}
}

// membership knows whether there is a generation that has not ended.
type membership struct {
	tell func(string, int)
	id   string // as which the group library joins again

	mu     sync.Mutex
	newest *kafka.Generation
}

// dropped returns the member id that kafka-go gave up because of an error of
// joining, "" if there is none. It does not leave with it, or tries once, at the
// coordinator that it has had the error from; the member as which it joins next
// would wait until the session of this one ends. Nobody is told of it as of a member any
// more: where it cannot leave, others may take it for a silent one.
func (m *membership) dropped(err error) (id string) {
	if errors.Is(err, kafka.RebalanceInProgress) {
		return "" // joins again with the same
	}
	if id, m.id = m.id, ""; id != "" {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.newest = nil
		m.tell("", -1)
	}
	return id
}

// follow tells of the generation's begin and of its end, unless the next one
// has begun: one that ended early may be heard of late. The context that it
// returns ends with the generation.
func (m *membership) follow(gen *kafka.Generation, topics []string, running *sync.WaitGroup) context.Context {
	ended, end := context.WithCancel(context.Background())
	given := 0
	for _, topic := range topics {
		given += len(gen.Assignments[topic])
	}
	m.id = gen.MemberID
	m.mu.Lock()
	m.newest = gen
	m.tell(gen.MemberID, given)
	m.mu.Unlock()
	running.Add(1)
	gen.Start(func(generation context.Context) {
		defer running.Done()
		<-generation.Done()
		end()
		m.over(gen)
	})
	return ended
}

// over tells that a generation has nothing to work on any more.
func (m *membership) over(gen *kafka.Generation) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.newest == gen {
		m.tell(gen.MemberID, -1)
	}
}

// start runs work until both it has returned and the generation has ended.
func start(ctx, ended context.Context, gen *kafka.Generation, running *sync.WaitGroup, a pipeline.Assignment, work func(context.Context, pipeline.Assignment)) {
	running.Add(1)
	gen.Start(func(generation context.Context) {
		defer running.Done()
		// The generation's own context ends with an error that is not
		// context.Canceled, which workers would have to know, and costs
		// everyone who waits for it a goroutine.
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(ended, cancel)()
		if generation.Err() == nil {
			work(ctx, a)
		}
		<-generation.Done()
	})
}

func assignment(gen *kafka.Generation, c *commits, topic string, p kafka.PartitionAssignment) pipeline.Assignment {
	return pipeline.Assignment{
		Partition:  pipeline.Partition{Topic: topic, ID: int32(p.ID)},
		Generation: gen.ID,
		Member:     gen.MemberID,
		Committed:  max(p.Offset, -1), // FirstOffset, -2, stands for none
		Commit:     func(ctx context.Context, at pipeline.GroupOffset) error { return c.commit(ctx, topic, p.ID, at) },
	}
}
