//go:build unix

package integration

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
	"github.com/credence-stream/credence/testenv/slow"
)

// short skips what takes a minute, in which nearly nothing is done.
func short(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("most of a minute is waiting for slow servers")
	}
}

// wayTo is a slow way to the Redis of an environment, and the flags by which a consumer takes it.
func wayTo(t *testing.T, env *testenv.Env) (way *slow.Way, flags []string) {
	t.Helper()
	u, err := url.Parse(env.RedisURL())
	if err != nil {
		t.Fatal(err)
	}
	way = slow.Open(t, u.Host)
	u.Host = way.Addr
	return way, []string{"--set", "redis.url=" + u.String()}
}

// stopsWithin fails unless a consumer ends within the time that the manual names.
func stopsWithin(t *testing.T, s *programs.Service) {
	t.Helper()
	begun := time.Now()
	s.Stop(t)
	took := time.Since(begun)
	t.Logf("ended within %v", took.Round(10*time.Millisecond))
	if took > 15*time.Second {
		t.Errorf("ended after %v, want 15 s at most", took)
	}
}

// TestFarRedis: each answer of Redis takes a second. A consumer starts, applies what comes, ends in time and goes on where
// it was, without an attempt that is given up.
func TestFarRedis(t *testing.T) {
	short(t)
	each(t, func(t *testing.T, env *testenv.Env) {
		way, flags := wayTo(t, env)
		way.Set(slow.Pace{Trip: time.Second})
		w := newWorld(t, env, setup{})
		f := w.feeder(t, 6)
		f.send(t, 12)
		for range 2 {
			begun := time.Now()
			s := w.start(t, flags...)
			s.Readiness(t, 200)
			t.Logf("ready after %v, %d connections", time.Since(begun).Round(time.Second), way.Dials())
			stop := f.flow(t, 50*time.Millisecond)
			programs.Eventually(t, "records applied", func() (bool, error) { return s.Metric(t, "records_consumed_total") > 50, nil })
			stopsWithin(t, s)
			stop()
			if said := s.Messages.String(); strings.Contains(said, "timeout") || strings.Contains(said, "deadline") {
				t.Errorf("something was given up:\n%s", said)
			}
		}
		way.Set(slow.Pace{})
		w.settle(t)
		f.complete(t, w)
		once(t, read(t, env, w.output), f.shards)
	})
}

// TestNarrowRedis: states of megabytes go to Redis over a way of 64 kB/s. They are saved, and little of them is sent twice.
func TestNarrowRedis(t *testing.T) {
	short(t)
	each(t, func(t *testing.T, env *testenv.Env) {
		const columns, keys = 200, 8
		names := make([]string, columns)
		for j := range names {
			names[j] = fmt.Sprintf("x%d", j)
		}
		way, flags := wayTo(t, env)
		w := newWorld(t, env, setup{models: fmt.Sprintf("[{match: \"**\", kind: linear, columns: {response: y, features: [%s]}}]\nlimits: {columns: 1000}", strings.Join(names, ","))})
		rng := rand.New(rand.NewPCG(3, 5))
		records := make([]*kgo.Record, keys)
		for k := range records {
			var all []column
			for _, name := range append(slices.Clone(names), "y") {
				values := make([]float64, 60)
				for i := range values {
					values[i] = rng.NormFloat64()
				}
				all = append(all, column{name, values})
			}
			records[k] = &kgo.Record{Topic: w.input, Key: fmt.Appendf(nil, "k%d", k), Value: stream(t, nil, all...)}
		}
		s := w.start(t, flags...)
		s.Readiness(t, 200)
		way.Set(slow.Pace{Rate: 64 << 10})
		sent, claims, begun := way.Sent(), s.Metric(t, "claims_total"), time.Now()
		send(t, franz(t, env), records...)
		programs.Eventually(t, "all is saved", func() (bool, error) {
			n := s.Metric(t, "records_consumed_total")
			return n == keys && s.Metric(t, "consumer_lag_records") == 0, nil
		})
		states := int64(s.Metric(t, "checkpoint_bytes_total"))
		sent = way.Sent() - sent
		t.Logf("%d bytes of states are saved after %v, %d were sent", states, time.Since(begun).Round(time.Second), sent)
		if states < 1<<20 || sent > 3*states/2 {
			t.Errorf("%d bytes were sent for %d of states", sent, states)
		}
		if n := s.Metric(t, "claims_total"); n != claims {
			t.Errorf("%v claims, %v before", n, claims)
		}
		s.Stop(t)
	})
}

// announced is a listener that a broker gives another address than its own.
type announced struct {
	net.Listener
	addr net.Addr
}

func (a announced) Addr() net.Addr { return a.addr }

// farServers are those of an environment, but for the broker.
type farServers struct {
	testenv.Servers
	broker string
}

func (f farServers) Brokers() []string { return []string{f.broker} }

// farKafka is an environment whose broker is reached over a slow way alone.
func farKafka(t *testing.T) (*testenv.Env, *slow.Way) {
	t.Helper()
	var way *slow.Way
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(time.Second), kfake.ListenFn(func(network, address string) (net.Listener, error) {
		l, err := new(net.ListenConfig).Listen(context.WithoutCancel(t.Context()), network, address)
		if err != nil {
			return nil, err
		}
		way = slow.Open(t, l.Addr().String())
		addr, err := net.ResolveTCPAddr("tcp", way.Addr)
		return announced{l, addr}, err
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &testenv.Env{Servers: farServers{testenv.Open(t, testenv.Embedded).Servers, way.Addr}, Backend: testenv.Embedded}, way
}

// TestFarKafka: each answer of Kafka takes a second. A consumer starts, another one joins, both end in time, in the middle of
// what they do, and every output is there by its identity, with the posteriors of a group that was left alone.
func TestFarKafka(t *testing.T) {
	short(t)
	t.Parallel()
	env, way := farKafka(t)
	w := newWorld(t, env, setup{})
	f := w.feeder(t, 6)
	f.send(t, 12)
	way.Set(slow.Pace{Trip: time.Second})
	begun := time.Now()
	first := w.start(t)
	first.Readiness(t, 200)
	t.Logf("ready after %v", time.Since(begun).Round(time.Second))
	stop := f.flow(t, 50*time.Millisecond)
	second := w.start(t)
	for _, s := range []*programs.Service{second, first} {
		programs.Eventually(t, "records applied by each", func() (bool, error) {
			return s.Metric(t, "records_consumed_total") > 20, nil
		})
	}
	t.Logf("both are at work after %v", time.Since(begun).Round(time.Second))
	stopsWithin(t, first)
	stopsWithin(t, second)
	way.Set(slow.Pace{})
	stop()
	w.settle(t)
	got := f.complete(t, w)
	w.settle(t, w.apart("-alone")...)
	w.same(t, "of a group left alone", got, w.apart("-alone")...)
	once(t, read(t, env, w.output), f.shards)
}

// once fails unless there are so many outputs by their identities, and those that came again are the same bytes: what an
// assignment has not saved in its time is published again by the next.
func once(t *testing.T, all []*kgo.Record, want int64) {
	t.Helper()
	seen := map[string]string{}
	for _, r := range all {
		var id []string
		for _, h := range r.Headers {
			if h.Key == "ce_id" || h.Key == "ce_source" {
				id = append(id, string(h.Value))
			}
		}
		slices.Sort(id)
		name := strings.Join(id, " ")
		if was, ok := seen[name]; ok && was != string(r.Value) {
			t.Errorf("output %s is there with other bytes", name)
		}
		seen[name] = string(r.Value)
	}
	t.Logf("%d outputs, %d of them again", len(all), len(all)-len(seen))
	if int64(len(seen)) != want {
		t.Errorf("%d outputs, want %d", len(seen), want)
	}
}
