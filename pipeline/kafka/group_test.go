package kafka

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/testenv/probe"
)

// crew runs one member and keeps what it was given.
type crew struct {
	t      testing.TB
	group  *Group
	cancel context.CancelFunc
	done   chan error

	mu      sync.Mutex
	holds   map[int32]pipeline.Assignment
	claims  int
	errs    []error
	overlap bool
	in      bool
}

func (w *crew) member(_ string, partitions int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.in = partitions >= 0
}

func (w *crew) isMember() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.in
}

func (w *crew) get() map[int32]pipeline.Assignment {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := make(map[int32]pipeline.Assignment, len(w.holds))
	for k, v := range w.holds {
		m[k] = v
	}
	return m
}

func (w *crew) claimed() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.claims
}

func (w *crew) stop() {
	w.t.Helper()
	w.cancel()
	if err := <-w.done; err != nil {
		w.t.Error(err)
	}
	if n := len(w.get()); n != 0 {
		w.t.Errorf("%d works outlived Run", n)
	}
}

// long is a session that nobody loses because the machine stands still.
const long = 4 * time.Minute

// join starts a member whose work waits for the end of its assignment, and
// on, when not nil, after that.
func join(t testing.TB, addrs []string, group, topic string, after func(pipeline.Assignment)) *crew {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &crew{t: t, cancel: cancel, done: make(chan error, 1), holds: map[int32]pipeline.Assignment{}}
	g := NewGroup(connect(t, addrs), GroupOptions{
		Group: group, Topics: []string{topic},
		Heartbeat: 100 * time.Millisecond, Session: long, Rebalance: long,
		Backoff: 200 * time.Millisecond, Watch: 200 * time.Millisecond,
		OnError: func(err error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.errs = append(w.errs, err)
		},
	})
	w.group = g
	go func() {
		w.done <- g.Run(ctx, w.member, func(ctx context.Context, a pipeline.Assignment) {
			w.mu.Lock()
			if _, twice := w.holds[a.ID]; twice {
				w.overlap = true
			}
			w.holds[a.ID] = a
			w.claims++
			w.mu.Unlock()
			<-ctx.Done()
			if !errors.Is(ctx.Err(), context.Canceled) {
				t.Errorf("work's context ended with %v", ctx.Err())
			}
			if after != nil {
				after(a)
			}
			w.mu.Lock()
			delete(w.holds, a.ID)
			w.mu.Unlock()
		})
	}()
	t.Cleanup(cancel)
	return w
}

func TestGroupOffsets(t *testing.T) {
	addrs := brokers(t)
	c := connect(t, addrs)
	topic := fresh(t, c, 2)
	publish(t, c, Plain, numbered(topic, 20)...)
	w := join(t, addrs, topic, topic, nil)
	eventually(t, "assignment", func() bool { return len(w.get()) == 2 })
	for id, a := range w.get() {
		if a.Committed != -1 || a.Topic != topic || a.Generation < 1 || a.Member == "" {
			t.Errorf("first assignment of %d: %+v", id, a)
		}
	}
	a := w.get()[0]
	if err := a.Commit(t.Context(), pipeline.GroupOffset{}); err != nil {
		t.Fatal(err)
	}
	a = w.get()[1]
	if err := a.Commit(t.Context(), pipeline.GroupOffset{Offset: 17}); err != nil {
		t.Fatal(err)
	}
	w.stop()
	if err := a.Commit(t.Context(), pipeline.GroupOffset{Offset: 18}); err == nil {
		t.Error("a member that left commits")
	}
	w = join(t, addrs, topic, topic, nil)
	eventually(t, "assignment", func() bool { return len(w.get()) == 2 })
	if m := w.get(); m[0].Committed != 0 || m[1].Committed != 17 {
		t.Errorf("committed %d and %d", m[0].Committed, m[1].Committed)
	}
	w.stop()
}

// TestGroupRebalance: a partition moves only when its worker has returned.
func TestGroupRebalance(t *testing.T) {
	addrs := brokers(t)
	c := connect(t, addrs)
	topic := fresh(t, c, 4)
	var flushed, early atomic.Int64
	release := make(chan struct{})
	a := join(t, addrs, topic, topic, func(x pipeline.Assignment) {
		<-release
		if err := x.Commit(context.Background(), pipeline.GroupOffset{Offset: 7}); err != nil {
			t.Errorf("commit in the final flush: %v", err)
		}
		flushed.Add(1)
	})
	eventually(t, "assignment", func() bool { return len(a.get()) == 4 })
	before := a.claimed()
	b := join(t, addrs, topic, topic, nil)
	// All of a's works are cancelled; b owns nothing until they have returned.
	hold := time.NewTimer(time.Second)
	defer hold.Stop()
	for waiting := true; waiting; {
		select {
		case <-hold.C:
			waiting = false
		default:
			if len(b.get()) > 0 {
				early.Add(1)
			}
		}
	}
	close(release)
	eventually(t, "two halves", func() bool { return len(a.get()) == 2 && len(b.get()) == 2 })
	if early.Load() != 0 || flushed.Load() < 4 {
		t.Errorf("owned %d times before %d flushes", early.Load(), flushed.Load())
	}
	if n := a.claimed(); n <= before {
		t.Errorf("a kept its %d claims", n)
	}
	for id, x := range b.get() {
		if _, both := a.get()[id]; both {
			t.Errorf("partition %d twice", id)
		}
		if x.Committed != 7 {
			t.Errorf("partition %d: committed %d", id, x.Committed)
		}
	}
	b.stop()
	eventually(t, "all four again", func() bool { return len(a.get()) == 4 })
	a.stop()
	if a.overlap || b.overlap {
		t.Error("a partition was worked twice at once in one process")
	}
}

// TestGroupSessionLost: the coordinator forgets the member.
func TestGroupSessionLost(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 2)
	w := join(t, b.ListenAddrs(), topic, topic, nil)
	eventually(t, "assignment", func() bool { return len(w.get()) == 2 })
	before := w.get()[0]
	b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.UnknownMemberID, Count: 1})
	eventually(t, "new generation", func() bool { return w.claimed() == 4 && len(w.get()) == 2 })
	if after := w.get()[0]; after.Generation == before.Generation && after.Member == before.Member {
		t.Errorf("the same generation %d of %s", after.Generation, after.Member)
	}
	w.stop()
}

// TestGroupAdmitsSlowly: a member that was dropped joins again also where it takes several times the pause to hear
// that it may.
func TestGroupAdmitsSlowly(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 2)
	var claims atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	g := NewGroup(c, GroupOptions{
		Group: topic, Topics: []string{topic}, Heartbeat: 100 * time.Millisecond, Session: long, Backoff: 200 * time.Millisecond,
		Admit: func(ctx context.Context) error {
			select {
			case <-time.After(time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
	})
	go func() {
		done <- g.Run(ctx, func(string, int) {}, func(ctx context.Context, _ pipeline.Assignment) { claims.Add(1); <-ctx.Done() })
	}()
	eventually(t, "assignment", func() bool { return claims.Load() == 2 })
	for _, key := range []kmsg.Key{kmsg.JoinGroup, kmsg.Heartbeat} {
		b.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: kerr.UnknownMemberID, Count: 1})
	}
	eventually(t, "it joins again", func() bool { return claims.Load() == 4 })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestGroupAdmits: a member that the coordinator has dropped joins again when it is
// admitted, and one that is still a member is not asked. Meanwhile it has no name.
func TestGroupAdmits(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 2)
	var claims, asked atomic.Int64
	var admitted atomic.Bool
	var named atomic.Value // string
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	g := NewGroup(c, GroupOptions{
		Group: topic, Topics: []string{topic}, Heartbeat: 100 * time.Millisecond, Session: long, Backoff: 200 * time.Millisecond,
		Admit: func(context.Context) error {
			asked.Add(1)
			if !admitted.Load() {
				return errors.New("not yet")
			}
			return nil
		},
	})
	go func() {
		done <- g.Run(ctx, func(id string, _ int) { named.Store(id) }, func(ctx context.Context, _ pipeline.Assignment) { claims.Add(1); <-ctx.Done() })
	}()
	eventually(t, "assignment", func() bool { return claims.Load() == 2 })
	b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.RebalanceInProgress, Count: 1})
	eventually(t, "a new generation", func() bool { return claims.Load() == 4 })
	if n := asked.Load(); n != 0 {
		t.Errorf("a member was asked %d times", n)
	}
	members := func() int {
		all, err := c.Members(t.Context(), topic)
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	for _, key := range []kmsg.Key{kmsg.JoinGroup, kmsg.Heartbeat} {
		b.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: kerr.UnknownMemberID, Count: 1})
	}
	// So often that what was about to join has joined.
	eventually(t, "it waits", func() bool { return asked.Load() > 50 })
	if n := claims.Load(); n != 4 || members() != 0 {
		t.Errorf("%d claims and %d members before it is admitted", n, members())
	}
	if id := named.Load(); id != "" {
		t.Errorf("it shows that %s lives, which the coordinator has dropped", id)
	}
	admitted.Store(true)
	eventually(t, "it joins again", func() bool { return claims.Load() == 6 })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n := members(); n != 0 {
		t.Errorf("%d members at the end", n)
	}
}

// TestGroupReach: any answer of the coordinator is one, also that there is no such
// member or that it may not be asked; that there is no coordinator is none.
func TestGroupReach(t *testing.T) {
	t.Parallel() // it waits
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	g := NewGroup(c, GroupOptions{Group: "reached"})
	var code atomic.Int32
	b.ControlKey(int16(kmsg.Heartbeat), func(req kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		resp := req.ResponseKind().(*kmsg.HeartbeatResponse)
		resp.ErrorCode = int16(code.Load())
		return resp, nil, true
	})
	for _, answer := range []*kerr.Error{kerr.UnknownMemberID, kerr.GroupAuthorizationFailed} {
		code.Store(int32(answer.Code))
		if err := g.Reach(t.Context()); err != nil {
			t.Errorf("answered %v: %v", answer, err)
		}
	}
	// It is asked for six seconds, perhaps it changes.
	code.Store(int32(kerr.NotCoordinator.Code))
	if err := g.Reach(t.Context()); !errors.Is(err, kafka.NotCoordinatorForGroup) {
		t.Errorf("a broker that is not the coordinator has answered: %v", err)
	}
}

// TestGroupExpelsLater: a coordinator that is taking over has not removed a member.
func TestGroupExpelsLater(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 2)
	w := join(t, b.ListenAddrs(), topic, topic, nil)
	eventually(t, "assignment", func() bool { return len(w.get()) == 2 })
	refusals := []*kerr.Error{kerr.NotCoordinator, kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable}
	b.ControlKey(int16(kmsg.LeaveGroup), func(req kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		if len(refusals) == 0 {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.LeaveGroupResponse)
		resp.ErrorCode, refusals = refusals[0].Code, refusals[1:]
		return resp, nil, true
	})
	before := w.get()[0].Member
	if err := w.group.Expel(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	eventually(t, "another member", func() bool { a, ok := w.get()[0]; return ok && a.Member != before })
	w.stop()
}

// TestGroupCoordinatorMoves: a member that the coordinator would not let join
// again does not keep its partitions until its session ends.
func TestGroupCoordinatorMoves(t *testing.T) {
	b := fake(t)
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 2)
	var claims atomic.Int64
	work := func(ctx context.Context, _ pipeline.Assignment) { claims.Add(1); <-ctx.Done() }
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- NewGroup(c, GroupOptions{
			Group: topic, Topics: []string{topic}, Heartbeat: 100 * time.Millisecond,
			Session: long, Rebalance: long, Backoff: 200 * time.Millisecond,
		}).Run(ctx, func(string, int) {}, work)
	}()
	eventually(t, "assignment", func() bool { return claims.Load() == 2 })
	for _, key := range []kmsg.Key{kmsg.JoinGroup, kmsg.Heartbeat} {
		b.Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: kerr.NotCoordinator, Count: 1})
	}
	eventually(t, "a new generation", func() bool { return claims.Load() == 4 })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestGroupEarlyReturn: work that gives up does not make the group rebalance
// in a circle.
func TestGroupEarlyReturn(t *testing.T) {
	addrs := brokers(t)
	c := connect(t, addrs)
	topic := fresh(t, c, 2)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var claims atomic.Int64
	done := make(chan error, 1)
	go func() {
		done <- NewGroup(c, GroupOptions{Group: topic, Topics: []string{topic}, Heartbeat: 100 * time.Millisecond, Session: long}).
			Run(ctx, func(string, int) {}, func(context.Context, pipeline.Assignment) { claims.Add(1) })
	}()
	eventually(t, "claims", func() bool { return claims.Load() == 2 })
	hold := time.NewTimer(time.Second)
	defer hold.Stop()
	<-hold.C
	if n := claims.Load(); n != 2 {
		t.Errorf("%d claims", n)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestGroupStopsWhileJoining: a peer that does not join again, as one that was
// suspended, holds up the joining of others, but not their end.
func TestGroupStopsWhileJoining(t *testing.T) {
	addrs := brokers(t)
	c := connect(t, addrs)
	topic := fresh(t, c, 2)
	held := make(chan struct{})
	frozen, freeze := context.WithCancel(t.Context())
	defer freeze()
	go func() {
		_ = NewGroup(c, GroupOptions{Group: topic, Topics: []string{topic}, Heartbeat: 100 * time.Millisecond, Session: long, Rebalance: long}).
			Run(frozen, func(string, int) {}, func(_ context.Context, a pipeline.Assignment) {
				if a.ID == 0 {
					close(held)
				}
				<-frozen.Done() // and not when the assignment ends
			})
	}()
	<-held
	joining := make(chan struct{})
	b := franz(t, addrs)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- NewGroup(c, GroupOptions{Group: topic, Topics: []string{topic}, Session: long, Rebalance: long}).Run(ctx, func(string, int) { close(joining) }, nil)
	}()
	eventually(t, "rebalance", func() bool {
		req := kmsg.NewPtrDescribeGroupsRequest()
		req.Groups = []string{topic}
		r, err := req.RequestWith(t.Context(), b)
		return err == nil && len(r.Groups) == 1 && r.Groups[0].State == "PreparingRebalance"
	})
	start := time.Now()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > long/4 {
		t.Errorf("ended after %v", took)
	} else {
		t.Logf("ended after %v", took)
	}
	select {
	case <-joining:
		t.Error("the member had joined")
	default:
	}
}

func TestGroupMorePartitions(t *testing.T) {
	addrs := brokers(t)
	c := connect(t, addrs)
	topic := fresh(t, c, 1)
	w := join(t, addrs, topic, topic, nil)
	eventually(t, "assignment", func() bool { return len(w.get()) == 1 })
	grow(t, addrs, topic, 3)
	eventually(t, "three partitions", func() bool { return len(w.get()) == 3 })
	w.stop()
}

// TestStaleConnection: a broker may close connections that wait.
func TestStaleConnection(t *testing.T) {
	dir := t.TempDir()
	own := kfake.Ports(ownPort(t))
	first, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.DataDir(dir), own)
	if err != nil {
		t.Fatal(err)
	}
	addrs := first.ListenAddrs()
	c := connect(t, addrs)
	l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
	publish(t, c, Plain, numbered(p.Topic, 3)...)
	first.Close()
	fake(t, kfake.DataDir(dir), own)
	if f, err := l.Fetch(t.Context(), p, 0, 1<<20); err != nil || len(f.Records) != 3 {
		t.Errorf("%d records, %v", len(f.Records), err)
	}
}

// ownPort is one that nobody takes while its broker is away.
func ownPort(t testing.TB) int {
	t.Helper()
	port, err := probe.FreePort(t.Context(), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// TestBrokerRestart: everything waits and goes on.
func TestBrokerRestart(t *testing.T) {
	dir := t.TempDir()
	own := kfake.Ports(ownPort(t))
	first, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.DataDir(dir), kfake.SyncWrites(), own)
	if err != nil {
		t.Fatal(err)
	}
	addrs := first.ListenAddrs()
	c := connect(t, addrs)
	l, p := newLog(t, c), pipeline.Partition{Topic: fresh(t, c, 1)}
	id, err := c.ClusterID(t.Context())
	if err != nil || id == "" {
		t.Fatal(id, err)
	}
	w := join(t, addrs, p.Topic, p.Topic, nil)
	eventually(t, "assignment", func() bool { return len(w.get()) == 1 })
	publish(t, c, Plain, numbered(p.Topic, 3)...)
	first.Close()
	if _, err := l.Fetch(t.Context(), p, 0, 1<<20); err == nil || errors.Is(err, pipeline.ErrOutOfRange) {
		t.Errorf("fetch during an outage: %v", err)
	}
	var r *pipeline.RefusedError
	if _, err := NewPublisher(c, Plain).Publish(t.Context(), numbered(p.Topic, 1)); err == nil || errors.As(err, &r) {
		t.Errorf("publish during an outage: %v", err)
	}
	eventually(t, "end of the assignment", func() bool { return len(w.get()) == 0 && !w.isMember() })
	eventually(t, "report of the outage", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.errs) > 0
	})
	fake(t, kfake.DataDir(dir), own)
	var f pipeline.Fetched
	eventually(t, "fetch", func() bool {
		f, err = l.Fetch(t.Context(), p, 0, 1<<20)
		return err == nil
	})
	if values(f.Records) != "0 1 2" {
		t.Errorf("%q", values(f.Records))
	}
	eventually(t, "assignment", func() bool { return len(w.get()) == 1 && w.isMember() })
	publish(t, c, Plain, numbered(p.Topic, 1)...)
	if again, err := c.ClusterID(t.Context()); again != id || err != nil {
		t.Errorf("cluster %s, was %s, %v", again, id, err)
	}
	w.stop()
}
