package redis

import (
	"errors"
	"strings"
	"testing"
)

func TestPolicyOfAServer(t *testing.T) {
	b := openServer(t)
	ctx := t.Context()
	must(t, b.raw.Do(ctx, "acl", "setuser", "managed", "on", ">secret", "~*", "+@all", "-config").Err())
	must(t, b.raw.Do(ctx, "acl", "setuser", "blind", "on", ">secret", "~*", "+@all", "-config", "-info").Err())
	open := func(user string) *Store {
		s, err := Open(Options{URL: strings.Replace(b.url, "://", "://"+user+":secret@", 1), Cluster: "c", Group: "g"})
		must(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	admin := b.store(t, "credence")
	for _, s := range []*Store{admin, open("managed")} {
		must(t, b.raw.ConfigSet(ctx, "maxmemory-policy", "noeviction").Err())
		if p, err := s.CheckPolicy(ctx); err != nil || p != (Policy{"noeviction", true}) {
			t.Errorf("%+v, error %v", p, err)
		}
		must(t, b.raw.ConfigSet(ctx, "maxmemory-policy", "allkeys-lru").Err())
		p, err := s.CheckPolicy(ctx)
		if !errors.Is(err, ErrEviction) || !strings.Contains(err.Error(), "noeviction") || p.Eviction != "allkeys-lru" {
			t.Errorf("%+v, error %v", p, err)
		}
	}
	if _, err := open("blind").CheckPolicy(ctx); !errors.Is(err, ErrPolicyUnknown) {
		t.Errorf("without CONFIG and INFO: error %v", err)
	}
	must(t, b.raw.ConfigSet(ctx, "appendonly", "no").Err())
	if p, _ := admin.CheckPolicy(ctx); p.AppendOnly {
		t.Error("the append-only file is off")
	}
}

func TestPolicyOfACluster(t *testing.T) {
	b := openCluster(t)
	s := b.store(t, "credence")
	if p, err := s.CheckPolicy(t.Context()); err != nil || p != (Policy{"noeviction", true}) {
		t.Errorf("%+v, error %v", p, err)
	}
	must(t, b.raw.ConfigSet(t.Context(), "maxmemory-policy", "volatile-ttl").Err())
	if p, err := s.CheckPolicy(t.Context()); !errors.Is(err, ErrEviction) || p.Eviction != "volatile-ttl" {
		t.Errorf("%+v, error %v", p, err)
	}
}

// The embedded server has no such settings, and an outage is neither.
func TestPolicyUnknownAndAway(t *testing.T) {
	s := openMini(t).store(t, "credence")
	if _, err := s.CheckPolicy(t.Context()); !errors.Is(err, ErrPolicyUnknown) {
		t.Errorf("error %v", err)
	}
	away := backend{url: "redis://127.0.0.1:1"}.store(t, "credence")
	if _, err := away.CheckPolicy(t.Context()); err == nil || errors.Is(err, ErrPolicyUnknown) || errors.Is(err, ErrEviction) {
		t.Errorf("error %v", err)
	}
}

// A server that is busy with a script says so whatever it is asked: that is an outage, which ends, and no policy that it does not tell.
func TestPolicyOfABusyServer(t *testing.T) {
	b := openServer(t)
	ctx := t.Context()
	s, err := Open(Options{URL: b.url, Cluster: "c", Group: "g"})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	claim(t, s, "a")
	must(t, b.raw.ConfigSet(ctx, "lua-time-limit", "1").Err())
	stuck := make(chan error, 1)
	go func() {
		stuck <- plain(t, strings.TrimPrefix(b.url, "redis://")).Eval(ctx, "while true do end", nil).Err()
	}()
	eventually(t, "the server is busy", func() error {
		if _, err = s.CheckPolicy(ctx); err == nil {
			return errors.New("not yet")
		}
		return nil
	})
	if errors.Is(err, ErrPolicyUnknown) || !strings.Contains(err.Error(), "BUSY") {
		t.Errorf("error %v", err)
	}
	if err := s.guard.look(ctx); err == nil || s.Unsafe() != nil {
		t.Errorf("a look finds %v, and the store is unsafe: %v", err, s.Unsafe())
	}
	must(t, b.raw.Do(ctx, "script", "kill").Err())
	if err := <-stuck; err == nil {
		t.Error("the script ended by itself")
	}
	save(t, s, "a", put(-1, 1, "k", "v"))
}

// A server that takes no more connections is told of as that, not as one that hangs up.
func TestServerFullOfConnections(t *testing.T) {
	b := openServer(t)
	ctx := t.Context()
	must(t, b.raw.ConfigSet(ctx, "maxclients", "1").Err())
	s, err := Open(Options{URL: b.url, Cluster: "c", Group: "g"})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	for range 5 {
		for _, err := range []error{s.guard.look(ctx), func() error { _, err := s.Claim(ctx, lease("a")); return err }()} {
			if err == nil || errors.Is(err, ErrPolicyUnknown) || !strings.Contains(err.Error(), "raise its maxclients") {
				t.Errorf("error %v", err)
			}
		}
	}
	must(t, b.raw.ConfigSet(ctx, "maxclients", "100").Err())
	claim(t, s, "a")
}
