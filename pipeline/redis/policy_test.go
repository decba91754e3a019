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
