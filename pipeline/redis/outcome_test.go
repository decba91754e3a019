package redis

import (
	"context"
	"errors"
	"io"
	"net"
	"reflect"
	"sync/atomic"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

// A lost reply is an unknown outcome: the meta says what happened.
func TestLostReply(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		s := b.store(t, "credence", &tap{match: runs(saveScript), after: first(func() error { return errCut })})
		claim(t, s, "a")
		err := s.Save(t.Context(), lease("a"), put(-1, 10, "k", "v"))
		if !errors.Is(err, errCut) || errors.Is(err, pipeline.ErrFenced) || errors.Is(err, pipeline.ErrDamaged) {
			t.Errorf("error %v", err)
		}
		if meta, err := s.Meta(t.Context(), part); err != nil || meta.Watermark != 10 || meta.Owner != "a" {
			t.Errorf("meta %+v, error %v", meta, err)
		}
	})
}

// breaker is a connection that loses what it reads once it is armed, and is
// broken from then on.
type breaker struct {
	net.Conn
	armed  *atomic.Bool
	broken atomic.Bool
}

func (b *breaker) Read(p []byte) (int, error) {
	if b.broken.Load() {
		return 0, io.EOF
	}
	n, err := b.Conn.Read(p)
	if b.armed.CompareAndSwap(true, false) {
		b.broken.Store(true)
		return 0, io.EOF
	}
	return n, err
}

// The cluster client repeats what it thinks was lost. A save that is repeated
// is fenced by itself, so it must not be.
func TestClusterClientDoesNotRepeatASave(t *testing.T) {
	b := openCluster(t)
	u, err := Options{URL: b.url}.universal()
	must(t, err)
	var armed atomic.Bool
	u.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		var d net.Dialer
		conn, err := d.DialContext(ctx, network, addr)
		return &breaker{Conn: conn, armed: &armed}, err
	}
	s, err := New(goredis.NewUniversalClient(u), "c", "g")
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	claim(t, s, "a")
	save(t, s, "a", put(-1, 5))
	s.client.AddHook(&tap{match: runs(saveScript), before: first(func() error { armed.Store(true); return nil })})
	if err := s.Save(t.Context(), lease("a"), put(5, 10, "k", "v")); err == nil || errors.Is(err, pipeline.ErrFenced) {
		t.Errorf("error %v, want a lost connection", err)
	}
	if meta, err := s.Meta(t.Context(), part); err != nil || meta.Watermark != 10 {
		t.Errorf("meta %+v, error %v", meta, err)
	}
}

// A server that restarted knows no scripts.
func TestForgottenScripts(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		s := b.store(t, "credence")
		for i := range int64(2) {
			must(t, b.raw.ScriptFlush(t.Context()).Err())
			claim(t, s, "a")
			save(t, s, "a", put(i-1, i, "k", stamp(i), "l", big('x')))
			holds(t, s, "a", i, "k", stamp(i))
		}
	})
}

// A server without memory writes a checkpoint whole or not at all.
func TestOutOfMemory(t *testing.T) {
	b := openServer(t)
	s := b.store(t, "credence")
	claim(t, s, "a")
	save(t, s, "a", put(-1, 10, "k", "v", "l", "w"))
	for i, c := range []pipeline.Checkpoint{
		put(10, 20, "k", "x", "l", "x", "m", "y"),
		put(10, 20, "k", "", "l", "x", "m", "y"), // a delete may come first, and what follows it is not refused
		put(10, 20, "k", "", "l", "x", "m", "y", "n", "z"),
	} {
		before := b.dump(t)
		must(t, b.raw.ConfigSet(t.Context(), "maxmemory", "1").Err())
		err := s.Save(t.Context(), lease("a"), c)
		must(t, b.raw.ConfigSet(t.Context(), "maxmemory", "0").Err())
		if err == nil && i > 0 {
			for _, change := range c.Changes {
				holds(t, s, "a", 20, change.Key, string(change.Value))
			}
			claim(t, s, "a") // the counts match
			b.load(t, before)
			continue
		}
		if err == nil || errors.Is(err, pipeline.ErrFenced) || errors.Is(err, pipeline.ErrDamaged) {
			t.Errorf("save %d: error %v, want an outage", i, err)
		}
		if after := b.dump(t); !reflect.DeepEqual(after, before) {
			t.Errorf("save %d: half a checkpoint: %v, before %v", i, after, before)
		}
	}
}

// Another format is reported and left alone: its counts may mean something
// else.
func TestOtherFormatIsLeftAlone(t *testing.T) {
	onBackends(t, func(t *testing.T, b backend) {
		s := b.store(t, "credence")
		claim(t, s, "a")
		save(t, s, "a", put(-1, 10, "k", "v"))
		must(t, b.raw.HSet(t.Context(), prefix+"meta", "format", "2", "keys", "77", "gaps", "?").Err())
		before := b.dump(t)
		meta, err := s.Claim(t.Context(), lease("b"))
		if err != nil || meta.Format != 2 || !meta.Exists {
			t.Errorf("meta %+v, error %v", meta, err)
		}
		if after := b.dump(t); !reflect.DeepEqual(after, before) {
			t.Errorf("changed: %v, before %v", after, before)
		}
	})
}

// A meta that can't be read is damage, not a fresh start.
func TestDamagedMeta(t *testing.T) {
	for _, field := range []string{"gen", "watermark", "origin", "keys", "last", "fingerprints", "gaps", "format"} {
		b := openMini(t)
		s := b.store(t, "credence")
		claim(t, s, "a")
		save(t, s, "a", put(-1, 10, "k", "v"))
		must(t, b.raw.HSet(t.Context(), prefix+"meta", field, "{").Err())
		if _, err := s.Meta(t.Context(), part); !errors.Is(err, pipeline.ErrDamaged) {
			t.Errorf("%s: error %v, want damaged", field, err)
		}
	}
}

// State without its meta, or without its list, is damage too.
func TestPartsThatVanish(t *testing.T) {
	for _, name := range []string{"meta", "keys", "state:73"} {
		b := openMini(t)
		s := b.store(t, "credence")
		claim(t, s, "a")
		save(t, s, "a", put(-1, 10, "small", "v"))
		if n := b.raw.Del(t.Context(), prefix+name).Val(); n != 1 {
			t.Fatalf("%s is not there", name)
		}
		if _, err := s.Claim(t.Context(), lease("b")); !errors.Is(err, pipeline.ErrDamaged) {
			t.Errorf("without %s: error %v, want damaged", name, err)
		}
	}
}
