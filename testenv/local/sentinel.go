//go:build linux

package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/credence-stream/credence/testenv/probe"
)

// Sentinels is a Redis master with a replica, and three sentinels that look after them.
type Sentinels struct {
	Redis []*Server

	sentinels []*Server
	dir       string
}

// StartSentinels starts all servers and returns when the sentinels know them.
func StartSentinels(ctx context.Context, o Options) (*Sentinels, error) {
	t, err := prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	dir, err := newFolder()
	if err != nil {
		return nil, err
	}
	s := &Sentinels{dir: dir}
	if err := s.start(ctx, t); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Sentinels) start(ctx context.Context, t tools) error {
	for i := range 2 {
		settings := []string{"--repl-diskless-sync-delay", "0"}
		if i > 0 {
			settings = append(settings, "--replicaof", loopback+" "+portOf(s.Redis[0].Addr))
		}
		if err := s.add(ctx, t, &s.Redis, fmt.Sprintf("redis %d", i+1), settings...); err != nil {
			return err
		}
	}
	for i := range 3 {
		if err := s.watch(ctx, t, fmt.Sprintf("sentinel %d", i+1)); err != nil {
			return err
		}
	}
	var g errgroup.Group
	for _, server := range append(s.Redis, s.sentinels...) {
		g.Go(func() error { return server.Start(ctx) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return s.Whole(ctx)
}

func (s *Sentinels) add(ctx context.Context, t tools, to *[]*Server, name string, settings ...string) error {
	at, err := newPlace(ctx, loopback)
	if err != nil {
		return err
	}
	r, err := newRedis(t, filepath.Join(s.dir, strings.ReplaceAll(name, " ", "-")), at, settings...)
	if err == nil {
		*to = append(*to, &Server{Name: name, Addr: at.Seen, proc: r.proc, start: r.start, data: r.aof})
	}
	return err
}

// watch lays out a sentinel, which writes to its file.
func (s *Sentinels) watch(ctx context.Context, t tools, name string) error {
	at, err := newPlace(ctx, loopback)
	if err != nil {
		return err
	}
	dir := filepath.Join(s.dir, strings.ReplaceAll(name, " ", "-"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file := filepath.Join(dir, "sentinel.conf")
	text := fmt.Sprintf("sentinel monitor store %s %s 2\nsentinel down-after-milliseconds store 1000\nsentinel failover-timeout store 6000\n", loopback, portOf(s.Redis[0].Addr))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	r := &redisServer{url: "redis://" + at.Seen, proc: &process{log: filepath.Join(dir, "redis.log"), dir: dir,
		args: []string{t.redis, file, "--sentinel", "--bind", at.Host, "--port", strconv.Itoa(at.Port), "--dir", dir}}}
	s.sentinels = append(s.sentinels, &Server{Name: name, Addr: at.Seen, proc: r.proc, start: r.start})
	return nil
}

// URL returns the URL of the master, whichever it is.
func (s *Sentinels) URL() string {
	return "redis+sentinel://" + strings.Join(addrs(s.sentinels), ",") + "/store/0"
}

// Whole waits until the sentinels know each other and the replica, which they learn of from
// the master, every ten seconds, and that follows the master.
func (s *Sentinels) Whole(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probe.Patience)
	defer cancel()
	return probe.Until(ctx, func(ctx context.Context) error {
		var addr []string
		for _, server := range s.sentinels {
			c := redis.NewSentinelClient(&redis.Options{Addr: server.Addr})
			m, err := c.Master(ctx, "store").Result()
			replicas, unknown := c.Replicas(ctx, "store").Result()
			if err := errors.Join(err, unknown, c.Close()); err != nil {
				return err
			}
			if !slices.ContainsFunc(replicas, func(r map[string]string) bool { return r["flags"] == "slave" && r["master-link-status"] == "ok" }) {
				return fmt.Errorf("%s knows no replica that it may promote: %v", server.Name, replicas)
			}
			if addr = append(addr, m["ip"]+":"+m["port"]); m["num-other-sentinels"] != "2" || m["flags"] != "master" || addr[0] != addr[len(addr)-1] {
				return fmt.Errorf("%s: %v", server.Name, m)
			}
		}
		return (&Server{Addr: addr[0]}).redis(func(r *redis.Client) error {
			info, err := r.Info(ctx, "replication").Result()
			if err == nil && (!strings.Contains(info, "role:master") || !strings.Contains(info, ",state=online,")) {
				err = fmt.Errorf("%s: %s", addr[0], info)
			}
			return err
		})
	})
}

// Close ends all servers and removes their data.
func (s *Sentinels) Close() error {
	var all []error
	for _, server := range append(s.sentinels, s.Redis...) {
		all = append(all, server.Kill())
	}
	return errors.Join(append(all, os.RemoveAll(s.dir))...)
}
