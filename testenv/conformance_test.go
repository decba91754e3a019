//go:build unix

package testenv

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/segmentio/kafka-go"

	"github.com/credence-stream/credence/testenv/probe"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// TestServers is what every back end promises.
func TestServers(t *testing.T) {
	for _, b := range Backends(t) {
		t.Run(string(b), func(t *testing.T) {
			start := time.Now()
			e := Open(t, b)
			t.Logf("started in %v", time.Since(start))
			s := &suite{e: e, ctx: t.Context(), topic: fmt.Sprintf("conformance-%d", time.Now().UnixNano())}
			s.transport = &kafka.Transport{MetadataTTL: time.Second}
			s.client = &kafka.Client{Addr: kafka.TCP(e.Brokers()...), Transport: s.transport}
			o, err := redis.ParseURL(e.RedisURL())
			if err != nil {
				t.Fatal(err)
			}
			o.MaxRetries, o.ContextTimeoutEnabled = -1, true
			s.redis = redis.NewClient(o)
			t.Cleanup(func() {
				s.transport.CloseIdleConnections()
				if err := s.redis.Close(); err != nil {
					t.Error(err)
				}
			})
			for _, part := range []struct {
				name string
				run  func(*testing.T)
			}{
				{"produce and fetch", s.roundTrip},
				{"kill kafka", s.killKafka},
				{"pause kafka", s.pauseKafka},
				{"kill redis", s.killRedis},
				{"pause redis", s.pauseRedis},
				{"redis goes back in time", s.restoreRedis},
				{"trim", s.trim},
			} {
				if !t.Run(part.name, part.run) {
					t.FailNow() // the rest stands on it
				}
			}
		})
	}
}

type suite struct {
	e         *Env
	ctx       context.Context
	topic     string
	transport *kafka.Transport
	client    *kafka.Client
	redis     *redis.Client
	sent      []string
}

// send appends a record and waits for its acknowledgement, trying again as
// long as the broker is away.
func (s *suite) send(t *testing.T, value string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, probe.Patience)
	defer cancel()
	err := probe.Until(ctx, func(ctx context.Context) error {
		resp, err := s.client.Produce(ctx, &kafka.ProduceRequest{
			Topic: s.topic, Partition: 0, RequiredAcks: kafka.RequireAll,
			Records: kafka.NewRecordReader(kafka.Record{Value: kafka.NewBytes([]byte(value))}),
		})
		if err != nil {
			return err
		}
		return resp.Error
	})
	if err != nil {
		t.Fatal(err)
	}
	s.sent = append(s.sent, value)
}

// fetch returns the values from offset on.
func (s *suite) fetch(ctx context.Context, offset int64) ([]string, error) {
	resp, err := s.client.Fetch(ctx, &kafka.FetchRequest{
		Topic: s.topic, Partition: 0, Offset: offset, MinBytes: 1, MaxBytes: 1 << 20, MaxWait: 250 * time.Millisecond,
	})
	if err != nil {
		return nil, err
	}
	if resp.Error != nil {
		return nil, resp.Error
	}
	var values []string
	for {
		r, err := resp.Records.ReadRecord()
		if err != nil {
			return values, nil // io.EOF: the end of the answer
		}
		if r.Offset < offset {
			continue
		}
		b, err := kafka.ReadAll(r.Value)
		if err != nil {
			return nil, err
		}
		values = append(values, string(b))
	}
}

// same waits until the log holds exactly what was sent.
func (s *suite) same(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, probe.Patience)
	defer cancel()
	err := probe.Until(ctx, func(ctx context.Context) error {
		got, err := s.fetch(ctx, 0)
		if err == nil && !slices.Equal(got, s.sent) {
			err = fmt.Errorf("log holds %q, sent were %q", got, s.sent)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *suite) roundTrip(t *testing.T) {
	config := map[string]string{"max.message.bytes": "33554432"}
	if err := s.e.CreateTopic(s.ctx, s.topic, 1, config); err != nil {
		t.Fatal(err)
	}
	s.send(t, "one")
	s.send(t, "two")
	s.same(t)
}

func (s *suite) killKafka(t *testing.T) {
	addr := s.e.Brokers()[0]
	if err := s.e.KillKafka(); err != nil {
		t.Fatal(err)
	}
	if c, err := new(net.Dialer).DialContext(s.ctx, "tcp", addr); err == nil {
		t.Fatal("a killed broker takes connections", c.Close())
	}
	start := time.Now()
	if err := s.e.StartKafka(s.ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("back after %v", time.Since(start))
	if got := s.e.Brokers()[0]; got != addr {
		t.Fatalf("broker moved from %s to %s", addr, got)
	}
	s.same(t)
	s.send(t, "three")
	s.same(t)
}

func (s *suite) pauseKafka(t *testing.T) {
	if err := s.e.PauseKafka(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(s.ctx, 600*time.Millisecond)
	defer cancel()
	if got, err := s.fetch(ctx, 0); err == nil {
		t.Errorf("a paused broker answers %q", got)
	}
	if err := s.e.ResumeKafka(); err != nil {
		t.Fatal(err)
	}
	s.same(t)
}

func (s *suite) key(name string) string { return s.topic + ":" + name }

// answered waits until the store holds value under name.
func (s *suite) answered(t *testing.T, name, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, probe.Patience)
	defer cancel()
	err := probe.Until(ctx, func(ctx context.Context) error {
		got, err := s.redis.Get(ctx, s.key(name)).Result()
		if err == nil && got != want {
			err = fmt.Errorf("%s is %q, want %q", name, got, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *suite) set(t *testing.T, name, value string) {
	t.Helper()
	if err := s.redis.Set(s.ctx, s.key(name), value, 0).Err(); err != nil {
		t.Fatal(err)
	}
}

func (s *suite) killRedis(t *testing.T) {
	s.set(t, "kept", "through a kill")
	if err := s.e.KillRedis(); err != nil {
		t.Fatal(err)
	}
	if err := s.redis.Ping(s.ctx).Err(); err == nil {
		t.Fatal("a killed store answers")
	}
	if err := s.e.StartRedis(s.ctx); err != nil {
		t.Fatal(err)
	}
	s.answered(t, "kept", "through a kill")
	policy, err := s.redis.ConfigGet(s.ctx, "maxmemory-policy").Result()
	if err != nil || policy["maxmemory-policy"] != "noeviction" {
		t.Errorf("maxmemory-policy: %v, %v", policy, err)
	}
}

func (s *suite) pauseRedis(t *testing.T) {
	if err := s.e.PauseRedis(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(s.ctx, 300*time.Millisecond)
	defer cancel()
	if err := s.redis.Ping(ctx).Err(); err == nil {
		t.Error("a paused store answers")
	}
	if err := s.e.ResumeRedis(); err != nil {
		t.Fatal(err)
	}
	s.answered(t, "kept", "through a kill")
}

func (s *suite) restoreRedis(t *testing.T) {
	s.set(t, "changed", "before")
	old := s.redis.HSet(s.ctx, s.key("hash"), "b", "2", "a", "1").Err()
	old = firstError(old, s.redis.ZAdd(s.ctx, s.key("list"), redis.Z{Member: "x"}, redis.Z{Member: "y"}).Err())
	old = firstError(old, s.redis.SAdd(s.ctx, s.key("pending"), "p").Err())
	if old != nil {
		t.Fatal(old)
	}
	saved, err := s.e.SaveRedis(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	s.set(t, "changed", "after")
	s.set(t, "new", "after")
	if err := s.redis.Del(s.ctx, s.key("hash")).Err(); err != nil {
		t.Fatal(err)
	}
	if err := s.e.RestoreRedis(s.ctx, saved); err != nil {
		t.Fatal(err)
	}
	s.answered(t, "changed", "before")
	s.answered(t, "kept", "through a kill")
	if n := s.redis.Exists(s.ctx, s.key("new")).Val(); n != 0 {
		t.Error("a key written after the copy is there")
	}
	if got := s.redis.HGetAll(s.ctx, s.key("hash")).Val(); len(got) != 2 || got["a"] != "1" || got["b"] != "2" {
		t.Errorf("hash is %v", got)
	}
	if got := s.redis.ZRange(s.ctx, s.key("list"), 0, -1).Val(); !slices.Equal(got, []string{"x", "y"}) {
		t.Errorf("sorted set is %v", got)
	}
	if got := s.redis.SMembers(s.ctx, s.key("pending")).Val(); !slices.Equal(got, []string{"p"}) {
		t.Errorf("set is %v", got)
	}
	s.set(t, "changed", "again") // the store can be written after it went back
	s.answered(t, "changed", "again")
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (s *suite) trim(t *testing.T) {
	if err := s.e.TrimLog(s.ctx, s.topic, 0, 2); err != nil {
		t.Fatal(err)
	}
	resp, err := s.client.ListOffsets(s.ctx, &kafka.ListOffsetsRequest{
		Topics: map[string][]kafka.OffsetRequest{s.topic: {kafka.FirstOffsetOf(0)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := resp.Topics[s.topic][0].FirstOffset; got != 2 {
		t.Errorf("log starts at %d, want 2", got)
	}
	if _, err := s.fetch(s.ctx, 0); err != kafka.OffsetOutOfRange { //nolint:errorlint // a code, never wrapped
		t.Errorf("fetch below the start: %v", err)
	}
	got, err := s.fetch(s.ctx, 2)
	if err != nil || !slices.Equal(got, s.sent[2:]) {
		t.Errorf("fetch at the start: %q, %v; want %q", got, err, s.sent[2:])
	}
}
