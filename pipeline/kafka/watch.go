package kafka

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/segmentio/kafka-go/protocol"

	"github.com/credence-stream/credence/pipeline"
)

const (
	// watchWait is how long one request waits for records of any partition.
	watchWait = fetchWait
	// watchRounds is how many of these bring nothing before who waits is told so, or fewer in as long from a broker that takes
	// longer: who waits has a limit of its own, and would take that for an outage.
	watchRounds = 4
	// openPolls is how many partitions wait with a request of their own.
	openPolls = atOnce / 4 * 3
)

// watches wait for records of partitions that have none, with one request at a
// time per broker for all of them. A request cannot be added to, so a partition
// that begins to wait would not be looked at until it has ended: partitions that
// had records a moment ago wait with requests of their own first, as far as
// there may be so many, and are here already meanwhile.
type watches struct {
	client *Client
	polls  chan struct{} // holds one per request of a partition's own

	mu     sync.Mutex
	quiet  map[pipeline.Partition]quiet
	broker map[string]map[spot]*watched // by address; one goroutine for each
}

// quiet counts the fetches that found nothing at an offset.
type quiet struct {
	offset int64
	times  int
}

// spot is where somebody waits for records.
type spot struct {
	pipeline.Partition
	topic  topicID
	offset int64
}

// watched is what is known of a spot.
type watched struct {
	until   time.Time // stays without anybody who waits
	waiters []*waiter
}

type waiter struct {
	rounds int
	until  time.Time // nor is it let wait for another round from then on
	last   news
	told   chan news // holds one
}

// news is what a broker says of a spot, or err.
type news struct {
	more         bool // records, an error, or something else to look at
	stable, high int64
	err          error
}

func newWatches(c *Client) *watches {
	return &watches{
		client: c, polls: make(chan struct{}, openPolls),
		quiet: map[pipeline.Partition]quiet{}, broker: map[string]map[spot]*watched{},
	}
}

// found notes what a fetch at a spot brought.
func (w *watches) found(at spot, nothing bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.quiet[at.Partition]
	switch {
	case !nothing:
		delete(w.quiet, at.Partition)
	case q.offset == at.offset:
		w.quiet[at.Partition] = quiet{at.offset, q.times + 1}
	default:
		w.quiet[at.Partition] = quiet{at.offset, 1}
	}
}

// times returns how many fetches in a row found nothing at a spot.
func (w *watches) times(at spot) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if q := w.quiet[at.Partition]; q.offset == at.offset {
		return q.times
	}
	return 0
}

// poll returns how long a fetch of a spot's own may wait, and what ends it.
func (w *watches) poll(ctx context.Context, at spot) (wait time.Duration, end func()) {
	times := w.times(at)
	select {
	case w.polls <- struct{}{}:
	default:
		return 0, func() {}
	}
	if times > 0 {
		w.watch(ctx, at, nil)
	}
	return fetchWait, func() { <-w.polls }
}

// await waits until there is something at a spot, or there was nothing for a
// second. In the end it has heard from the broker.
func (w *watches) await(ctx context.Context, at spot) (news, error) {
	me := &waiter{rounds: watchRounds, until: time.Now().Add(watchRounds * watchWait), told: make(chan news, 1)}
	if !w.watch(ctx, at, me) {
		return news{more: true}, nil
	}
	select {
	case n := <-me.told:
		return n, n.err
	case <-ctx.Done():
		return news{}, ctx.Err() // nobody reads what the waiter is told
	}
}

// watch adds a spot to those of its leader, with somebody who waits or for a
// second without. It is false where no leader is known: a fetch will find out.
func (w *watches) watch(ctx context.Context, at spot, who *waiter) bool {
	addr, err := w.client.leader(ctx, at.Partition)
	if err != nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	spots := w.broker[addr]
	if spots == nil {
		spots = map[spot]*watched{}
		w.broker[addr] = spots
		go w.run(addr)
	}
	x := spots[at]
	if x == nil {
		x = &watched{}
		spots[at] = x
	}
	x.until = time.Now().Add(watchRounds * watchWait)
	if who != nil {
		x.waiters = append(x.waiters, who)
	}
	return true
}

// run asks a broker about its spots until there are none.
func (w *watches) run(addr string) {
	for {
		asked := w.spots(addr)
		if asked == nil {
			return
		}
		heard, err := w.ask(addr, asked)
		w.tell(addr, asked, heard, err)
	}
}

// spots returns what to ask a broker about. After none the next spot begins anew.
func (w *watches) spots(addr string) []spot {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []spot
	now := time.Now()
	for at, x := range w.broker[addr] {
		if len(x.waiters) == 0 && now.After(x.until) {
			delete(w.broker[addr], at)
			continue
		}
		all = append(all, at)
	}
	if all == nil {
		delete(w.broker, addr)
	}
	return all
}

// tell passes on what was heard of the spots that were asked about, with an
// error that of all of them.
func (w *watches) tell(addr string, asked []spot, heard map[spot]news, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	for _, at := range asked {
		n, ok := heard[at]
		if !ok {
			n = news{more: true, err: err} // a broker that is throttled leaves some out
		}
		x := w.broker[addr][at]
		if n.more {
			delete(w.broker[addr], at)
			delete(w.quiet, at.Partition)
		}
		rest := x.waiters[:0]
		for _, who := range x.waiters {
			who.rounds--
			if !n.more && who.rounds > 0 && now.Before(who.until) && (who.last == n || who.last == news{}) {
				who.last = n
				rest = append(rest, who)
				continue
			}
			who.told <- n
		}
		x.waiters = rest
	}
}

// ask is one request about spots of one broker. What records the answer brings,
// those of one batch at most, are read past.
func (w *watches) ask(addr string, spots []spot) (heard map[spot]news, err error) {
	err = w.client.do(context.Background(), addr, watchWait+callTimeout, func(n *conn) error {
		v, err := n.version(protocol.Fetch)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(spots, func(s spot) bool { return s.topic == (topicID{}) }) {
			v = min(v, fetchByID-1)
		}
		named := func(s spot) topicName {
			if v < fetchByID {
				return topicName{name: s.Topic}
			}
			return topicName{id: s.topic}
		}
		from := map[topicName]map[int32]int64{} // least offsets
		for _, s := range spots {
			t := named(s)
			if from[t] == nil {
				from[t] = map[int32]int64{}
			}
			if o, ok := from[t][s.ID]; !ok || s.offset < o {
				from[t][s.ID] = s.offset
			}
		}
		req := message{flexible: v >= fetchFlexible}
		appendWatch(&req, v, from)
		answer, err := n.stream(protocol.Fetch, v, &req)
		if err != nil {
			return err
		}
		states, throttle, err := skimAnswer(answer, v)
		n.throttled(throttle)
		if err != nil {
			return err
		}
		heard = map[spot]news{}
		for _, s := range spots {
			if x, ok := states[named(s)][s.ID]; ok {
				heard[s] = news{more: x.code != 0 || x.stable > s.offset, stable: x.stable, high: x.high}
			}
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("watch: %w", err)
	}
	return heard, err
}
