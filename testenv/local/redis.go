//go:build unix

package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/credence-stream/credence/testenv/probe"
)

// redisServer is a store that can go, come back, and go back in time.
type redisServer struct {
	proc *process
	url  string
	aof  string // folder of the append-only file

	mu sync.Mutex // one restore at a time
}

func startRedis(ctx context.Context, t tools, dir string) (*redisServer, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	r := &redisServer{
		url: "redis://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) + "/0",
		aof: filepath.Join(dir, "appendonlydir"),
		// Without rewrites every copy of the file is a prefix of the next.
		proc: &process{log: filepath.Join(dir, "redis.log"), dir: dir, args: []string{
			t.redis, "--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", dir,
			"--save", "", "--appendonly", "yes", "--appendfsync", "everysec",
			"--auto-aof-rewrite-percentage", "0", "--maxmemory-policy", "noeviction",
		}},
	}
	if err := r.start(ctx); err != nil {
		return nil, errors.Join(err, r.proc.kill())
	}
	return r, nil
}

func (r *redisServer) start(ctx context.Context) error {
	if err := r.proc.start(); err != nil {
		return err
	}
	return ready(ctx, r.proc, 30*time.Second, func(ctx context.Context) error { return probe.Redis(ctx, r.url) })
}

func (r *redisServer) save(ctx context.Context) ([]byte, error) {
	if err := probe.Written(ctx, r.url); err != nil {
		return nil, err
	}
	saved, err := pack(r.aof)
	if err != nil {
		return nil, fmt.Errorf("copy append-only file: %w", err)
	}
	return saved, nil
}

func (r *redisServer) restore(ctx context.Context, saved []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.proc.kill(); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(r.aof), unpack(saved, r.aof)); err != nil {
		return fmt.Errorf("restore append-only file: %w", err)
	}
	return r.start(ctx)
}
