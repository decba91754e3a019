//go:build linux

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/local"
	"github.com/credence-stream/credence/testenv/probe"
)

// script is how much is rehearsed.
type script struct {
	partitions, most int
	hold             time.Duration // of each act, once all partitions have outputs again
	cuts             []string
	bound            time.Duration // on the time without an output of a partition
}

var (
	// The session of a group is half a minute: whoever waits for it has failed.
	excerpt = script{partitions: 6, most: 3, hold: time.Second, cuts: []string{"Kafka"}, bound: 29 * time.Second}
	whole   = script{partitions: 12, most: 6, hold: 15 * time.Second, cuts: []string{"Kafka and Redis", "Kafka", "Redis"}, bound: 5 * time.Second}
)

// TestRehearsal is a first week in production, with the product's own timings: under traffic
// one worker becomes six, one of them is cut off the network, from Kafka and Redis, from
// Kafka, from Redis, and let back in, and six become two. Each worker is a process in a
// network of its own. Afterwards states and outputs are those of a group that was left
// alone. CREDENCE_REHEARSAL=whole is make rehearsal, which fails where a partition has
// no output for more than 5 s; in short there are three workers and one cut.
func TestRehearsal(t *testing.T) {
	if !slices.ContainsFunc(testenv.Backends(t), func(b testenv.Backend) bool { return b != testenv.Embedded }) {
		t.Skip("on real servers only: CREDENCE_BACKEND")
	}
	if err := local.Available(t.Context(), local.Options{}); err != nil {
		t.Skip(err)
	}
	binary, inside := apart(t, func() string { return buildConsumer(t) })
	if !inside {
		return
	}
	if err := servers(t.Context()); err != nil {
		t.Fatal(err)
	}
	e, err := local.Start(t.Context(), local.Options{KafkaHost: kafkaHost, RedisHost: redisHost})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	r := &rehearsal{script: excerpt, env: &testenv.Env{Servers: e, Backend: testenv.Local}, binary: binary, dir: t.TempDir()}
	if rehearsed() {
		r.script = whole
	}
	r.run(t)
}

// rehearsed reports whether this is make rehearsal.
func rehearsed() bool { return os.Getenv("CREDENCE_REHEARSAL") == "whole" }

type rehearsal struct {
	script
	env         *testenv.Env
	binary, dir string
	rng         *rand.Rand
	client      *kafka.Client
	group       group
	out         *pulse
	pods        []*pod
	started     int
	failed      bool // on time
}

func (r *rehearsal) run(t *testing.T) {
	ctx := t.Context()
	seed := number(t, "CREDENCE_SEED", uint64(time.Now().UnixNano()))
	t.Logf("seed %d", seed)
	r.rng = rand.New(rand.NewPCG(seed, 4))
	const input, every = "in", 10 * time.Millisecond
	if err := r.env.CreateTopic(ctx, input, r.partitions, nil); err != nil {
		t.Fatal(err)
	}
	acts := 4 + 2*len(r.cuts)
	s, err := newStream(seed, input, 3000+acts*int((r.hold+20*time.Second)/every), 240)
	if err != nil {
		t.Fatal(err)
	}
	if r.client, err = kafka.New(kafka.Options{Brokers: r.env.Brokers()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.client.Close() })
	r.group = newGroup(t, r.env.Brokers(), r.env.RedisURL(), "rehearsed", input, "64MiB", timing{})
	calm := newGroup(t, r.env.Brokers(), r.env.RedisURL(), "calm", input, "1GiB", hurried)
	r.out = watch(t, r.env.Brokers(), r.group)
	stop := flow(t, r.env.Brokers(), s.records, every, 0)

	r.act(t, "1 worker", func() error { return r.scale(ctx, 1) })
	r.act(t, fmt.Sprintf("1 -> %d workers", r.most), func() error { return r.scale(ctx, r.most) })
	for _, from := range r.cuts {
		p := r.pods[r.rng.IntN(len(r.pods))]
		wires := map[string][]wire{"Kafka": {p.kafka}, "Redis": {p.redis}, "Kafka and Redis": {p.kafka, p.redis}}[from]
		each := func(do func(wire, context.Context) error) error {
			for _, w := range wires {
				if err := do(w, ctx); err != nil {
					return err
				}
			}
			return nil
		}
		r.act(t, "one cut off "+from, func() error { return each(wire.cut) })
		r.act(t, "and back", func() error {
			if err := each(wire.mend); err != nil {
				return err
			}
			return r.members(ctx, r.most)
		})
	}
	r.act(t, fmt.Sprintf("%d -> 2 workers", r.most), func() error { return r.scale(ctx, 2) })
	if err := stop(); err != nil {
		t.Fatal(err)
	}

	var members []*member
	for _, p := range r.pods {
		members = append(members, p.member)
	}
	o := observe(t, r.client, r.group, input)
	finish(t, o, members)
	if err := r.scale(ctx, 0); err != nil {
		t.Error(err)
	}
	undisturbed(t, r.binary, calm, r.dir)
	got := o.outcome(t)
	got.equal(t, observe(t, r.client, calm, input).outcome(t))
	t.Logf("%d outputs came again, all byte-identical", got.repeats)
	if r.failed {
		t.Errorf("a partition had no output for more than %v", r.bound)
	}
}

// act does something, holds until all partitions have had outputs since, and for a while
// after, and tells the longest time without one.
func (r *rehearsal) act(t *testing.T, name string, do func() error) {
	t.Helper()
	if err := do(); err != nil {
		r.explain(t)
		t.Fatalf("%s: %v", name, err)
	}
	for range 2 {
		err := r.out.fresh(t.Context(), r.partitions, time.Now())
		if err == nil {
			err = wait(t.Context(), r.hold)
		}
		if err != nil {
			r.explain(t)
			t.Fatalf("%s: %v", name, err)
		}
	}
	gap, of := r.out.longest()
	t.Logf("%-26s at most %5.2f s without an output of a partition (%s)", name, gap.Seconds(), of)
	r.failed = r.failed || gap > r.bound
}

func (r *rehearsal) explain(t *testing.T) {
	for _, p := range r.pods {
		t.Logf("a consumer's last words:\n%s", p.tail())
	}
}

// scale starts workers, or ends the oldest ones with SIGTERM, all at once, as Kubernetes
// does, and returns when the group has that many.
func (r *rehearsal) scale(ctx context.Context, n int) error {
	for len(r.pods) < n {
		r.started++
		p, err := startPod(ctx, r.started, r.binary, r.group, r.dir)
		if err != nil {
			return err
		}
		r.pods = append(r.pods, p)
	}
	leaving := r.pods[:len(r.pods)-n]
	r.pods = slices.Clone(r.pods[len(leaving):])
	ended := make(chan error, len(leaving))
	for _, p := range leaving {
		go func() {
			err := p.stop()
			if err == nil {
				var halts int
				if halts, err = p.said("partition halted"); halts > 0 {
					err = fmt.Errorf("a partition halted:\n%s", p.tail())
				}
			}
			ended <- err
		}()
	}
	for range leaving {
		if err := <-ended; err != nil {
			return err
		}
	}
	return r.members(ctx, n)
}

// members waits until the group has n of them.
func (r *rehearsal) members(ctx context.Context, n int) error {
	ctx, cancel := context.WithTimeout(ctx, probe.Patience)
	defer cancel()
	return probe.Until(ctx, func(ctx context.Context) error {
		all, err := r.client.Members(ctx, r.group.name)
		if err == nil && len(all) != n {
			err = fmt.Errorf("the group has %s members, want %d", strconv.Itoa(len(all)), n)
		}
		return err
	})
}
