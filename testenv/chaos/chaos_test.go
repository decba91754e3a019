//go:build unix

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/probe"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// plan is how much trouble a run makes.
type plan struct {
	shards, keys int
	kills        int // SIGKILL of a consumer
	stops        int // SIGSTOP of a consumer for longer than its session
	redisKills   int
	rollbacks    int // the store put back in time under live owners
}

var plans = map[testenv.Backend]plan{
	testenv.Embedded: {shards: 3000, keys: 60, kills: 5, stops: 1, rollbacks: 1},
	testenv.Compose:  {shards: 20_000, keys: 240, kills: 30, stops: 3, redisKills: 3, rollbacks: 3},
}

// TestChaos runs one stream through two consumers that are killed and frozen
// at random moments, over a store that is killed and put back in time, and
// through one that is left alone. On real servers that are not containers
// TestStorm does that and more. The seed is printed; CREDENCE_SEED sets it.
// It fixes the stream and the order of the trouble, not the moments.
func TestChaos(t *testing.T) {
	seed := number(t, "CREDENCE_SEED", uint64(time.Now().UnixNano()))
	for _, b := range testenv.Backends(t) {
		if _, ok := plans[b]; !ok {
			continue // TestStorm
		}
		t.Run(string(b), func(t *testing.T) {
			t.Logf("seed %d", seed)
			c := newChaos(t, b, seed)
			c.disturbed(t)
			c.undisturbed(t)
			got, want := c.chaos.outcome(t), c.calm.outcome(t)
			got.equal(t, want)
			t.Logf("%d shards, %d records, %d keys alive; %d outputs came again, all byte-identical",
				c.stream.shards, len(c.stream.records), len(want.states), got.repeats)
			if t.Failed() {
				t.Logf("seed %d", seed)
			}
		})
	}
}

// number returns what a variable of the environment sets.
func number(t *testing.T, name string, unset uint64) uint64 {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return unset
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

type chaos struct {
	env         *testenv.Env
	plan        plan
	rng         *rand.Rand
	binary, dir string
	stream      *stream
	client      *kafka.Client
	input       string
	groups      [2]group
	chaos, calm *observer
	produced    chan error
}

func newChaos(t *testing.T, b testenv.Backend, seed uint64) *chaos {
	c := &chaos{env: testenv.Open(t, b), plan: plans[b], rng: rand.New(rand.NewPCG(seed, 2)),
		binary: buildConsumer(t), dir: t.TempDir(), produced: make(chan error, 1)}
	id := strconv.FormatUint(seed, 36)
	c.input = "in-" + id
	if err := c.env.CreateTopic(t.Context(), c.input, 4, nil); err != nil {
		t.Fatal(err)
	}
	var err error
	if c.stream, err = newStream(seed, c.input, c.plan.shards, c.plan.keys); err != nil {
		t.Fatal(err)
	}
	if c.client, err = kafka.New(kafka.Options{Brokers: c.env.Brokers()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.client.Close() })
	c.groups[0] = newGroup(t, c.env.Brokers(), c.env.RedisURL(), "chaos-"+id, c.input, "64KiB", hurried)
	c.groups[1] = newGroup(t, c.env.Brokers(), c.env.RedisURL(), "calm-"+id, c.input, "1GiB", hurried)
	c.chaos = observe(t, c.client, c.groups[0], c.input)
	c.calm = observe(t, c.client, c.groups[1], c.input)
	return c
}

// produce sends the stream bit by bit over the given time.
func (c *chaos) produce(ctx context.Context, over time.Duration) {
	const steps = 200
	p := kafka.NewProducer(c.client, kafka.ProducerOptions{})
	c.produced <- p.Run(ctx, func(ctx context.Context, send func(pipeline.Output) error) error {
		tick := time.NewTicker(over / steps)
		defer tick.Stop()
		for i, o := range c.stream.records {
			if i%(len(c.stream.records)/steps+1) == 0 {
				select {
				case <-tick.C:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			if err := send(o); err != nil {
				return err
			}
		}
		return nil
	})
}

// trouble is one thing that happens.
type trouble struct {
	name string
	do   func(ctx context.Context, members []*member) error
}

// troubles lists the plan's in a random order.
func (c *chaos) troubles() []trouble {
	var all []trouble
	add := func(n int, name string, do func(context.Context, []*member) error) {
		for range n {
			all = append(all, trouble{name, do})
		}
	}
	add(c.plan.kills, "SIGKILL", func(ctx context.Context, members []*member) error {
		i := c.rng.IntN(len(members))
		members[i].kill()
		m, err := startMember(ctx, c.binary, c.groups[0], c.dir)
		members[i] = m
		return err
	})
	add(c.plan.stops, "SIGSTOP", func(ctx context.Context, members []*member) error {
		m := members[c.rng.IntN(len(members))]
		if err := m.signal(syscall.SIGSTOP); err != nil {
			return err
		}
		if err := wait(ctx, 5*time.Second); err != nil { // the session is 2 s
			return err
		}
		return m.signal(syscall.SIGCONT)
	})
	add(c.plan.redisKills, "redis killed", func(ctx context.Context, _ []*member) error {
		if err := c.env.KillRedis(); err != nil {
			return err
		}
		if err := wait(ctx, time.Second); err != nil {
			return err
		}
		return c.env.StartRedis(ctx)
	})
	add(c.plan.rollbacks, "store put back in time", func(ctx context.Context, _ []*member) error {
		old, err := c.env.SaveRedis(ctx)
		if err != nil {
			return err
		}
		if err := wait(ctx, 2*time.Second); err != nil {
			return err
		}
		return c.env.RestoreRedis(ctx, old)
	})
	c.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// disturbed runs two consumers through all the trouble, then lets them finish.
func (c *chaos) disturbed(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	troubles := c.troubles()
	const between = 2 * time.Second
	start := time.Now()
	go c.produce(ctx, time.Duration(len(troubles))*between)
	members := make([]*member, 2)
	for i := range members {
		var err error
		if members[i], err = startMember(ctx, c.binary, c.groups[0], c.dir); err != nil {
			t.Fatal(err)
		}
	}
	for i, tr := range troubles {
		// A random moment; every other time so soon that the last trouble is not over yet.
		pause := time.Duration(c.rng.Int64N(int64(3 * between / 2)))
		if err := wait(ctx, pause); err != nil {
			t.Fatal(err)
		}
		if err := tr.do(ctx, members); err != nil {
			t.Fatalf("%s: %v", tr.name, err)
		}
		behind, err := c.chaos.behind(ctx)
		t.Logf("%3d %6.1f s %-24s behind %d %v", i+1, time.Since(start).Seconds(), tr.name, behind, orEmpty(err))
	}
	if err := <-c.produced; err != nil {
		t.Fatal(err)
	}
	finish(t, c.chaos, members)
	for _, m := range members {
		if err := m.stop(); err != nil {
			t.Errorf("SIGTERM: %v\n%s", err, m.tail())
		}
	}
}

func orEmpty(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("(%v)", err)
}

// finish waits until everything is applied and saved.
func finish(t *testing.T, o *observer, members []*member) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	for {
		behind, err := o.behind(ctx)
		if err == nil && behind == 0 {
			return
		}
		if err := wait(ctx, 200*time.Millisecond); err != nil {
			for _, m := range members {
				t.Logf("a consumer's last words:\n%s", m.stacks())
			}
			t.Fatalf("%d records are still not applied", behind)
		}
	}
}

// undisturbed runs one consumer over the same log in a group of its own.
func (c *chaos) undisturbed(t *testing.T) {
	t.Helper()
	undisturbed(t, c.binary, c.groups[1], c.dir)
}

func undisturbed(t *testing.T, binary string, g group, dir string) {
	t.Helper()
	m, err := startMember(t.Context(), binary, g, dir, "--until-end")
	if err != nil {
		t.Fatal(err)
	}
	if err := <-m.done; err != nil {
		t.Fatalf("undisturbed run: %v\n%s", err, m.tail())
	}
}
