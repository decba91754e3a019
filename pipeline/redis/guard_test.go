package redis

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline"
)

// as opens a store of the real server as one of its users.
func (b backend) as(t *testing.T, user string, accept Eviction) *Store {
	t.Helper()
	s, err := Open(Options{URL: strings.Replace(b.url, "://", "://"+user+":secret@", 1), Cluster: "c", Group: "g", Eviction: accept})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// refuses expects that nothing that needs a claim goes through, that the claim is over,
// and that there is no new one.
func refuses(t *testing.T, s *Store, token string, why error) {
	t.Helper()
	_, claimed := s.Claim(t.Context(), lease(token))
	if !errors.Is(claimed, why) || errors.Is(claimed, pipeline.ErrFenced) {
		t.Errorf("claim: %v", claimed)
	}
	_, loaded := s.Load(t.Context(), lease(token), []int64{1}, nil, 0)
	saved := s.Save(t.Context(), lease(token), put(1, 2, "k", "v"))
	for _, err := range []error{loaded, saved} {
		if !errors.Is(err, why) || !errors.Is(err, pipeline.ErrFenced) {
			t.Errorf("load or save: %v", err)
		}
	}
}

func TestEvictionStopsTheStore(t *testing.T) {
	b := openServer(t)
	s := b.as(t, "default", "")
	must(t, b.raw.Do(t.Context(), "acl", "setuser", "default", ">secret").Err())
	told := make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	claim(t, s, "a")
	save(t, s, "a", put(-1, 1, "k", "v"))
	go func() {
		defer close(done)
		s.Watch(ctx, time.Millisecond, func(err error) { told <- err })
	}()
	must(t, b.raw.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err())
	if err := <-told; !errors.Is(err, ErrEviction) || s.Unsafe() == nil {
		t.Fatalf("told %v", err)
	}
	refuses(t, s, "a", ErrEviction)
	must(t, b.raw.ConfigSet(t.Context(), "maxmemory-policy", "noeviction").Err())
	if err := <-told; err != nil || s.Unsafe() != nil {
		t.Fatalf("told %v", err)
	}
	claim(t, s, "b")
	holds(t, s, "b", 1, "k", "v")
	cancel()
	<-done
}

// A user who may run neither INFO nor CONFIG is refused, whatever the policy is, and
// told what to grant.
func TestUnknownPolicyStopsTheStore(t *testing.T) {
	b := openServer(t)
	must(t, b.raw.Do(t.Context(), "acl", "setuser", "blind", "on", ">secret", "~*", "+@all", "-config", "-info").Err())
	refuses(t, b.as(t, "blind", RefuseEviction), "a", ErrPolicyUnknown)
	if _, err := b.as(t, "blind", "").CheckPolicy(t.Context()); err == nil || !strings.Contains(err.Error(), "ACL SETUSER blind +info") {
		t.Errorf("error %v", err)
	}
	claim(t, b.as(t, "blind", AcceptUnknown), "a")
	must(t, b.raw.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err())
	must(t, b.raw.Do(t.Context(), "acl", "setuser", "seer", "on", ">secret", "~*", "+@all").Err())
	refuses(t, b.as(t, "seer", AcceptUnknown), "a", ErrEviction)
	claim(t, b.as(t, "seer", AcceptLoss), "a")
	claim(t, b.as(t, "blind", AcceptLoss), "a")
}

// A server that comes back may have other settings: it is asked before it is used.
func TestPolicyAfterAReconnect(t *testing.T) {
	server := startServer(t)
	s, err := Open(Options{URL: "redis://" + server.addr(), Cluster: "c", Group: "g"})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	claim(t, s, "a")
	save(t, s, "a", put(-1, 1, "k", "v"))
	server.kill()
	server.extra = append(server.extra, "--maxmemory-policy", "allkeys-lru")
	must(t, server.start())
	eventually(t, "the store refuses", func() error {
		err := s.Save(t.Context(), lease("a"), put(1, 2, "k", "w"))
		if err == nil {
			t.Fatal("saved to a server that evicts")
		}
		if !errors.Is(err, ErrEviction) {
			return err
		}
		return nil
	})
}

func TestWrongPassword(t *testing.T) {
	b := openServer(t)
	must(t, b.raw.Do(t.Context(), "acl", "setuser", "ada", "on", ">other", "~*", "+@all").Err())
	_, err := b.as(t, "ada", "").CheckPolicy(t.Context())
	if !errors.Is(err, ErrCredentials) || errors.Is(err, ErrPolicyUnknown) || !strings.Contains(err.Error(), `"ada"`) {
		t.Errorf("error %v", err)
	}
	if _, err := b.as(t, "ada", AcceptLoss).guard.pass(t.Context()); !errors.Is(err, ErrCredentials) {
		t.Errorf("the password was not needed: %v", err)
	}
}
