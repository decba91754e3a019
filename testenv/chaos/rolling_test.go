//go:build linux

package chaos

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv/local"
	"github.com/credence-stream/credence/testenv/probe"
)

// rolling restarts the brokers one after the other under traffic, as an upgrade of Kafka
// does, and then kills one after the other; of each it waits until all that it has is in
// sync again. Two consumers with the product's own timings go on all the time, and what
// they leave is what one leaves that was left alone. With CREDENCE_REHEARSAL=whole each
// of the brokers is restarted and killed; in short one is restarted.
func (s *storm) rolling(t *testing.T) {
	ctx := t.Context()
	const partitions, every, away, lengthy = 6, 10 * time.Millisecond, 2 * time.Second, 10 * time.Second
	r := &storm{Cluster: s.Cluster, seed: s.seed, binary: s.binary, dir: s.dir, client: s.client, input: "rolled-" + s.input}
	if err := r.createTopic(ctx, r.input, partitions); err != nil {
		t.Fatal(err)
	}
	stops, kills := r.Kafka[:1], r.Kafka[:0]
	if rehearsed() {
		stops, kills = r.Kafka, r.Kafka
	}
	var err error
	if r.stream, err = newStream(r.seed+9, r.input, (1+len(stops)+len(kills))*int(time.Minute/every), 240); err != nil {
		t.Fatal(err)
	}
	g := newGroup(t, r.Brokers(), r.SingleURL(), "rolled-"+s.input, r.input, "64MiB", timing{})
	calm := newGroup(t, r.Brokers(), r.SingleURL(), "rolled-calm-"+s.input, r.input, "1GiB", hurried)
	var members []*member
	for range 2 {
		m, err := r.start(ctx, g)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = m.signal(9) }) // where it has not ended
		members = append(members, m)
	}
	out := watch(t, r.Brokers(), g)
	const least = 1800 // of which alerts rise and fall, on a machine that is done sooner
	stop := flow(t, r.Brokers(), r.stream.records, every, least)
	settled := func(name string) {
		t.Helper()
		err := out.fresh(ctx, partitions, time.Now())
		if err == nil {
			err = r.inSync(ctx, len(r.Kafka), r.input, g.output, "__consumer_offsets", "__transaction_state")
		}
		if err == nil {
			// It needs its coordinator, and the state of transactions.
			err = r.commit(ctx)
		}
		if err == nil {
			err = out.fresh(ctx, partitions, time.Now())
		}
		gap, of := out.longest()
		if err != nil || gap > lengthy {
			for _, m := range members {
				t.Logf("a consumer's last words:\n%s", m.tail())
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Logf("%-20s at most %5.2f s without an output of a partition (%s)", name, gap.Seconds(), of)
	}
	// The topic of transactions is made by the first.
	if err := r.commit(ctx); err != nil {
		t.Fatal(err)
	}
	settled("before")
	turn := func(how string, b *local.Server, end func() error) {
		t.Helper()
		if err := end(); err != nil {
			t.Fatal(err)
		}
		if err := wait(ctx, away); err != nil {
			t.Fatal(err)
		}
		if err := b.Start(ctx); err != nil {
			t.Fatal(err)
		}
		settled(how + " of " + b.Name)
	}
	for _, b := range stops {
		turn("SIGTERM", b, func() error { return b.Stop(ctx) })
	}
	for _, b := range kills {
		turn("SIGKILL", b, b.Kill)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	o := observe(t, r.client, g, r.input)
	finish(t, o, members)
	for _, m := range members {
		if halts, err := m.said("partition halted"); err != nil || halts > 0 {
			t.Errorf("a partition halted (%v):\n%s", err, m.tail())
		}
		if err := m.stop(); err != nil {
			t.Errorf("SIGTERM: %v\n%s", err, m.tail())
		}
	}
	undisturbed(t, r.binary, calm, r.dir)
	got := o.outcome(t)
	got.equal(t, observe(t, r.client, calm, r.input).outcome(t))
	t.Logf("%d outputs came again, all byte-identical", got.repeats)
}

// commit commits one transaction.
func (s *storm) commit(ctx context.Context) error {
	return insist(ctx, func(ctx context.Context) error {
		return s.transaction(ctx, fmt.Sprintf("rolled-%d", time.Now().UnixNano()), "seen/", false, kgo.TryCommit)
	})
}

// inSync waits until each partition of some topics has so many replicas in sync.
func (s *storm) inSync(ctx context.Context, least int, topics ...string) error {
	return s.admin(ctx, func(ctx context.Context, c *kgo.Client) error {
		return probe.Until(ctx, func(ctx context.Context) error {
			for _, topic := range topics {
				all, err := partitions(ctx, c, topic)
				if err != nil {
					return fmt.Errorf("topic %s: %w", topic, err)
				}
				for _, p := range all {
					if len(p.ISR) < least {
						return fmt.Errorf("%s/%d: replicas %v, in sync %v", topic, p.Partition, p.Replicas, p.ISR)
					}
				}
			}
			return nil
		})
	})
}
