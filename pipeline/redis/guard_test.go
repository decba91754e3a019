package redis

import (
	"context"
	"errors"
	"fmt"
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

// ofOneThatEvictsNow returns a store that has worked, whose server was started again with another policy.
func ofOneThatEvictsNow(t *testing.T) *Store {
	t.Helper()
	server := startServer(t)
	s, err := Open(Options{URL: "redis://" + server.addr(), Cluster: "c", Group: "g"})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	claim(t, s, "a")
	save(t, s, "a", put(-1, 1, "k", "v"))
	server.kill()
	server.extra = append(server.extra, "--maxmemory-policy", "allkeys-lru")
	must(t, server.start())
	return s
}

// A server that comes back may have other settings: it is asked before it is used.
func TestPolicyAfterAReconnect(t *testing.T) {
	s := ofOneThatEvictsNow(t)
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

// Also a connection of what may reach any server tells what it leads to.
func TestPolicyOfAReadersConnection(t *testing.T) {
	s := ofOneThatEvictsNow(t)
	eventually(t, "the store is read", func() error {
		_, err := s.Get(t.Context(), part, "k")
		return err
	})
	if err := s.Save(t.Context(), lease("a"), put(1, 2, "k", "w")); !errors.Is(err, ErrEviction) {
		t.Errorf("saved to a server that evicts by the connection of a reader: %v", err)
	}
}

// A master of a cluster that does not answer does not keep the store from the others. One that was known to
// evict is still taken to do so while it is silent.
func TestSilentMaster(t *testing.T) {
	var says error
	g := newGuard(RefuseEviction)
	g.policy = func(context.Context) (Policy, error) { return Policy{}, says }
	look := func(silent, known, want error) {
		t.Helper()
		g.verdict.Store(nil)
		if known != nil {
			_ = g.judge(0, known)
		}
		says = silent
		if err := g.look(t.Context()); !errors.Is(err, want) {
			t.Errorf("%v, known before: %v: %v, want %v", silent, known, err, want)
		}
	}
	away := errors.New("i/o timeout")
	look(away, nil, away)
	look(&silentError{away}, nil, nil)
	look(&silentError{away}, fmt.Errorf("%w: so it said", ErrEviction), away)
	if v := g.verdict.Load(); v == nil || !errors.Is(v.err, ErrEviction) {
		t.Errorf("what a silent master was known to do is forgotten: %+v", v)
	}

	nodes := startCluster(t)
	url := "redis+cluster://" + nodes[0].addr() + "," + nodes[1].addr() + "," + nodes[2].addr()
	before := backend{url: url}.store(t, "credence")
	_, err := before.Meta(t.Context(), part) // it knows the masters
	must(t, err)
	nodes[1].kill()
	var one *silentError
	if _, err := before.CheckPolicy(t.Context()); !errors.As(err, &one) {
		t.Errorf("error %v, want it to be of a silent master", err)
	}
	if _, err := before.guard.pass(t.Context()); err != nil {
		t.Errorf("one of three masters is away, and a process that begins waits for it: %v", err)
	}
	must(t, nodes[0].raw.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err())
	if _, err := before.CheckPolicy(t.Context()); !errors.Is(err, ErrEviction) {
		t.Errorf("error %v, want that of the master that evicts", err)
	}
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
