package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/storetest"
	"github.com/credence-stream/credence/testenv/probe"
)

// backend is a server under test with a plain connection to it.
type backend struct {
	url string
	raw *goredis.Client
}

// backends are what every test of scripts runs on: the one that is embedded
// and the one that is real.
var backends = []struct {
	name string
	open func(testing.TB) backend
}{{"miniredis", openMini}, {"server", openServer}}

func onBackends(t *testing.T, f func(*testing.T, backend)) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) { f(t, b.open(t)) })
	}
}

func openMini(t testing.TB) backend {
	mini := miniredis.RunT(t)
	return backend{"redis://" + mini.Addr(), plain(t, mini.Addr())}
}

func openServer(t testing.TB) backend {
	s := startServer(t)
	return backend{"redis://" + s.addr(), s.raw}
}

func openCluster(t testing.TB) backend {
	s := startServer(t, "--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf")
	slots := make([]int, 16384)
	for i := range slots {
		slots[i] = i
	}
	if err := s.raw.ClusterAddSlots(t.Context(), slots...).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the cluster is up", func() error {
		info, err := s.raw.ClusterInfo(t.Context()).Result()
		if err == nil && !strings.Contains(info, "cluster_state:ok") {
			err = fmt.Errorf("%s", info)
		}
		return err
	})
	return backend{"redis+cluster://" + s.addr(), s.raw}
}

func plain(t testing.TB, addr string) *goredis.Client {
	c := goredis.NewClient(&goredis.Options{Addr: addr, MaxRetries: -1, DialerRetries: 1, ReadTimeout: 30 * time.Second})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// store opens the store of a group, with the hooks that the test needs.
func (b backend) store(t testing.TB, group string, hooks ...goredis.Hook) *Store {
	t.Helper()
	s, err := Open(Options{URL: b.url, Cluster: "MkU3OEVBNTcwNTJENDM2Qk", Group: group, Eviction: AcceptUnknown}) // miniredis does not tell
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for _, h := range hooks {
		s.client.AddHook(h)
	}
	return s
}

func (b backend) fixture(t testing.TB) storetest.Fixture {
	s := b.store(t, "credence")
	return storetest.Fixture{
		Store:   s,
		Reader:  s,
		Admin:   s,
		Layouts: s,
		Sibling: func() (pipeline.Store, pipeline.Reader) {
			other := b.store(t, "credence.2")
			return other, other
		},
		Snapshot: func() func() {
			all := b.dump(t)
			return func() { b.load(t, all) }
		},
		Lose: func(p pipeline.Partition, key string) {
			k, err := s.space(p)
			must(t, err)
			if n, err := b.raw.HDel(t.Context(), k.state(bucket(key)), key).Result(); n != 1 || err != nil {
				t.Fatalf("removed %d, error %v", n, err)
			}
		},
		LoseBlob: func(p pipeline.Partition, key string) {
			k, err := s.space(p)
			must(t, err)
			cell, err := b.raw.HGet(t.Context(), k.state(bucket(key)), key).Result()
			must(t, err)
			if n, err := b.raw.Del(t.Context(), k.blob(key, cell[1:])).Result(); n != 1 || err != nil {
				t.Fatalf("removed %d, error %v", n, err)
			}
		},
	}
}

// dump reads everything that the server holds, by key.
func (b backend) dump(t testing.TB) map[string]any {
	t.Helper()
	ctx, all := context.Background(), map[string]any{}
	keys, err := b.raw.Keys(ctx, "*").Result()
	must(t, err)
	for _, key := range keys {
		kind, err := b.raw.Type(ctx, key).Result()
		must(t, err)
		switch kind {
		case "hash":
			all[key], err = b.raw.HGetAll(ctx, key).Result()
		case "zset":
			all[key], err = b.raw.ZRangeWithScores(ctx, key, 0, -1).Result()
		case "set":
			var members []string
			members, err = b.raw.SMembers(ctx, key).Result()
			slices.Sort(members)
			all[key] = members
		case "string":
			all[key], err = b.raw.Get(ctx, key).Result()
		default:
			t.Fatalf("key %q is a %s", key, kind)
		}
		must(t, err)
	}
	return all
}

// load puts the server back to what dump read.
func (b backend) load(t testing.TB, all map[string]any) {
	t.Helper()
	ctx := context.Background()
	must(t, b.raw.FlushAll(ctx).Err())
	for key, value := range all {
		switch v := value.(type) {
		case map[string]string:
			must(t, b.raw.HSet(ctx, key, v).Err())
		case []goredis.Z:
			must(t, b.raw.ZAdd(ctx, key, v...).Err())
		case []string:
			must(t, b.raw.SAdd(ctx, key, v).Err())
		case string:
			must(t, b.raw.Set(ctx, key, v, 0).Err())
		}
	}
}

// named returns the names of the keys that contain a text, in order.
func (b backend) named(t testing.TB, text string) []string {
	t.Helper()
	var names []string
	for name := range b.dump(t) {
		if strings.Contains(name, text) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// server is a redis-server process with an append-only file in a directory
// of its own.
type server struct {
	t     testing.TB
	dir   string
	port  int
	extra []string
	file  string  // of a sentinel's settings
	tls   *armour // nil: plain text
	cmd   *exec.Cmd
	ended <-chan struct{} // closed when cmd has ended
	raw   *goredis.Client
}

// startServer starts a process that ends with the test. Without the program
// the test fails in CI and is skipped elsewhere.
func startServer(t testing.TB, extra ...string) *server {
	t.Helper()
	return (&server{extra: extra}).begin(t)
}

// begin starts what a server is to be on a free port.
func (s *server) begin(t testing.TB) *server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the contract must be tested on a real server: %v", err)
		}
		t.Skipf("NOT TESTED ON A REAL SERVER: %v; install redis-server", err)
	}
	s.t, s.dir = t, t.TempDir()
	t.Cleanup(func() {
		s.kill()
		// A process that saves for it may outlive it, and what it writes keeps the folder.
		eventually(t, "its folder is empty", func() error { return os.RemoveAll(s.dir) })
	})
	for range 5 { // somebody else may take the port first
		port, err := probe.FreePort(t.Context(), "127.0.0.1")
		must(t, err)
		s.port = port
		if s.start() == nil {
			return s
		}
	}
	t.Fatalf("redis-server does not start: see %s", s.log())
	return nil
}

func (s *server) addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

func (s *server) log() string {
	text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return string(text)
}

// start starts the process and waits until it answers.
func (s *server) start() error {
	args := append([]string{"--bind", "127.0.0.1", "--dir", s.dir, "--logfile", filepath.Join(s.dir, "log")}, s.tls.ports(s.port)...)
	if s.file != "" {
		args = append([]string{s.file, "--sentinel"}, args...)
	} else {
		args = append(append(args, "--save", "", "--appendonly", "yes", "--appendfsync", "everysec", "--maxmemory-policy", "noeviction"), s.extra...)
	}
	before := len(s.log())
	s.cmd = exec.CommandContext(context.Background(), "redis-server", args...) // outlives the test's context: cleanup ends it
	if err := s.cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func(cmd *exec.Cmd) {
		_ = cmd.Wait()
		close(ended)
	}(s.cmd)
	s.ended = ended
	if s.raw == nil || s.raw.Options().Addr != s.addr() {
		s.raw = s.tls.client(s.t, s.addr())
	}
	return poll(func() error {
		select {
		case <-ended:
			return errEnded
		default:
		}
		if err := s.raw.Ping(context.Background()).Err(); err != nil && refusal(err) == nil {
			return err
		} // it answers, if only to those it knows
		if !strings.Contains(s.log()[before:], "eady to accept connections") && s.file == "" {
			return errors.New("another server answers") // this one will end
		}
		return nil
	})
}

// kill ends the process as a crash does and waits until it has ended. It may
// be called again.
func (s *server) kill() {
	if s.ended != nil {
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
}
