//go:build linux

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/local"
)

// between is the mean time from one trouble to the next.
const between = 1500 * time.Millisecond

// storm is one stream through two groups of consumers, of which one keeps its
// state in a Redis Cluster and the other in a single server, while every kind
// of process is killed and frozen and every link disturbed.
type storm struct {
	*local.Cluster
	seed        uint64
	rng         *rand.Rand
	binary, dir string
	stream      *stream
	client      *kafka.Client
	input       string
	groups      []group // with trouble
	calm        group
	members     []*victim
	kills       int

	mu   sync.Mutex
	busy map[string]bool // what has trouble now
}

// victim is one place in a group, which a process of a consumer takes at a time.
type victim struct {
	name  string
	group group
	now   *member
}

// TestStorm runs a stream through three Kafka brokers, a Redis Cluster and a
// single Redis server under all the trouble that troubles lists, several at a
// time, and compares every state and every output with those of a group that
// is left alone. CREDENCE_KILLS sets how many processes are killed (make
// chaos: 300), CREDENCE_SEED the stream and the order of the trouble.
func TestStorm(t *testing.T) {
	if !slices.ContainsFunc(testenv.Backends(t), func(b testenv.Backend) bool { return b != testenv.Embedded }) {
		t.Skip("on real servers only: CREDENCE_BACKEND")
	}
	cluster, err := local.StartCluster(t.Context(), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Close(); err != nil {
			t.Error(err)
		}
	})
	s := newStorm(t, cluster)
	t.Run("rolling restart", s.rolling)
	t.Run("rescale", s.rescale)
	if !t.Run("storm", s.run) {
		return // without its consumers
	}
	t.Run("recreated", s.recreated)
	t.Run("unclean election", s.unclean)
}

func newStorm(t *testing.T, c *local.Cluster) *storm {
	t.Helper()
	s := &storm{
		Cluster: c, seed: number(t, "CREDENCE_SEED", uint64(time.Now().UnixNano())), kills: int(number(t, "CREDENCE_KILLS", 20)),
		binary: buildConsumer(t), dir: t.TempDir(), busy: map[string]bool{},
	}
	t.Logf("seed %d", s.seed)
	s.rng = rand.New(rand.NewPCG(s.seed, 3))
	id := strconv.FormatUint(s.seed, 36)
	s.input = "in-" + id
	if err := s.createTopic(t.Context(), s.input, 6); err != nil {
		t.Fatal(err)
	}
	var err error
	// A shard every 10 ms.
	if s.stream, err = newStream(s.seed, s.input, 1000+len(s.troubles())*int(between/(10*time.Millisecond)), 240); err != nil {
		t.Fatal(err)
	}
	if s.client, err = kafka.New(kafka.Options{Brokers: s.Brokers()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.client.Close() })
	s.groups = []group{
		newGroup(t, s.Brokers(), s.ClusterURL(), "cluster-"+id, s.input, "64KiB", hurried),
		newGroup(t, s.Brokers(), s.SingleURL(), "single-"+id, s.input, "64KiB", hurried),
	}
	s.calm = newGroup(t, s.Brokers(), s.SingleURL(), "calm-"+id, s.input, "1GiB", hurried)
	for _, g := range s.groups {
		for i := range 2 {
			s.members = append(s.members, &victim{name: fmt.Sprintf("consumer %d of %s", i+1, g.name), group: g})
		}
	}
	t.Cleanup(func() {
		for _, v := range s.members {
			if v.now != nil {
				_ = v.now.signal(syscall.SIGKILL) // most have ended
			}
		}
	})
	return s
}

// start starts a process that outlives its subtest.
func (s *storm) start(ctx context.Context, g group) (*member, error) {
	return startMember(context.WithoutCancel(ctx), s.binary, g, s.dir)
}

func (s *storm) run(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var observers []*observer
	for _, g := range s.groups {
		observers = append(observers, observe(t, s.client, g, s.input))
	}
	for _, v := range s.members {
		var err error
		if v.now, err = s.start(t.Context(), v.group); err != nil {
			t.Fatal(err)
		}
	}
	troubles := s.troubles()
	produced := make(chan error, 1)
	go func() { produced <- s.produce(ctx, time.Duration(len(troubles))*between) }()
	haunted := make(chan string, 1)
	go func() { haunted <- s.haunt(ctx) }()
	s.rage(ctx, t, troubles, observers)
	if err := <-produced; err != nil {
		t.Fatal(err)
	}
	cancel()
	t.Log(<-haunted)
	if err := s.Mend(t.Context()); err != nil {
		t.Fatal(err)
	}
	var members []*member
	for _, v := range s.members {
		members = append(members, v.now)
	}
	for _, o := range observers {
		finish(t, o, members)
	}
	undisturbed(t, s.binary, s.calm, s.dir)
	want := observe(t, s.client, s.calm, s.input).outcome(t)
	for key := range want.states {
		if strings.Contains(key, "ghost") {
			t.Errorf("%s: a transaction that was not committed was applied", key)
		}
	}
	for _, o := range observers {
		got := o.outcome(t)
		got.equal(t, want)
		t.Logf("%s: %d shards, %d records, %d keys alive; %d outputs came again, all byte-identical",
			o.group.name, s.stream.shards, len(s.stream.records), len(want.states), got.repeats)
	}
}

// rage makes one trouble after the other at random moments, up to six at a time.
func (s *storm) rage(ctx context.Context, t *testing.T, troubles []mischief, observers []*observer) {
	t.Helper()
	start, killed := time.Now(), 0
	var wg sync.WaitGroup
	defer wg.Wait()
	atOnce := make(chan struct{}, 6)
	for i, m := range troubles {
		if err := wait(ctx, time.Duration(s.rng.Int64N(int64(2*between)))); err != nil {
			t.Fatal(err)
		}
		atOnce <- struct{}{}
		now, err := m.begin(ctx)
		if err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
		if m.kills {
			killed++
		}
		t.Logf("%3d %6.1f s %s: %s for %v; behind%s", i+1, time.Since(start).Seconds(), m.name, now.target, now.lasts.Round(time.Millisecond), behind(ctx, observers))
		wg.Go(func() {
			defer func() { <-atOnce }()
			defer s.release(now.target)
			err := wait(ctx, now.lasts)
			if err == nil && now.end != nil {
				err = now.end(ctx)
			}
			if err != nil {
				t.Errorf("the end of %s: %s: %v", m.name, now.target, err)
			}
		})
	}
	wg.Wait()
	t.Logf("%d processes killed, %d troubles in %.0f s", killed, len(troubles), time.Since(start).Seconds())
}

// behind tells how far groups are behind, as far as they can be asked.
func behind(ctx context.Context, observers []*observer) (text string) {
	ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	for _, o := range observers {
		if n, err := o.behind(ctx); err == nil {
			text += fmt.Sprintf(" %d", n)
		} else {
			text += " ?"
		}
	}
	return text
}

// take waits until one of some targets has no trouble and gives it some.
func (s *storm) take(ctx context.Context, names []string) (int, error) {
	for {
		s.mu.Lock()
		for _, i := range s.rng.Perm(len(names)) {
			if !s.busy[names[i]] {
				s.busy[names[i]] = true
				s.mu.Unlock()
				return i, nil
			}
		}
		s.mu.Unlock()
		if err := wait(ctx, 100*time.Millisecond); err != nil {
			return 0, err
		}
	}
}

func (s *storm) release(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, name)
}

// recreated deletes the topic under live consumers and makes it again with
// other records: nothing of these may be mixed into the states.
func (s *storm) recreated(t *testing.T) {
	ctx := t.Context()
	before := observe(t, s.client, s.groups[0], s.input).states(t)
	if err := s.deleteTopic(ctx, s.input); err != nil {
		t.Fatal(err)
	}
	if err := s.createTopic(ctx, s.input, 6); err != nil {
		t.Fatal(err)
	}
	other, err := newStream(s.seed+1, s.input, 500, 240)
	if err != nil {
		t.Fatal(err)
	}
	s.stream = other
	if err := s.produce(ctx, time.Second); err != nil {
		t.Fatal(err)
	}
	for _, v := range s.members {
		if err := v.now.says(ctx, "was recreated"); err != nil {
			t.Errorf("%s: %v\n%s", v.name, err, v.now.tail())
		}
	}
	for _, v := range s.members {
		if err := v.now.stop(); err != nil {
			t.Errorf("SIGTERM: %v\n%s", err, v.now.tail())
		}
	}
	same(t, before, observe(t, s.client, s.groups[0], s.input).states(t))
}
