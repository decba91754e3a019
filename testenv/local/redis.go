//go:build unix

package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/credence-stream/credence/testenv/probe"
)

// redisServer is a store that can go, come back, and go back in time.
type redisServer struct {
	proc *process
	url  string
	aof  string // folder of the append-only file

	mu sync.Mutex // one restore at a time
}

func startRedis(ctx context.Context, t tools, dir, host string) (*redisServer, error) {
	at, err := newPlace(ctx, host)
	if err != nil {
		return nil, err
	}
	r, err := newRedis(t, dir, at)
	if err != nil {
		return nil, err
	}
	if err := r.start(ctx); err != nil {
		return nil, errors.Join(err, r.proc.kill())
	}
	return r, nil
}

// newRedis lays out dir. Settings are words of redis-server's command line.
func newRedis(t tools, dir string, at place, settings ...string) (*redisServer, error) {
	return &redisServer{
		url: "redis://" + at.Seen + "/0",
		aof: filepath.Join(dir, "appendonlydir"),
		proc: &process{log: filepath.Join(dir, "redis.log"), dir: dir, args: append([]string{
			// Beyond the limit of a file's size writes fail, as on a full disk.
			"sh", "-c", `trap "" XFSZ; exec "$@"`, "sh",
			t.redis, "--bind", at.Host, "--protected-mode", "no", "--port", strconv.Itoa(at.Port), "--dir", dir,
			"--save", "", "--appendonly", "yes", "--appendfsync", "everysec",
			// Without rewrites every copy of the file is a prefix of the next.
			"--auto-aof-rewrite-percentage", "0", "--maxmemory-policy", "noeviction",
		}, settings...)},
	}, os.MkdirAll(dir, 0o700)
}

func (r *redisServer) start(ctx context.Context) error {
	if err := r.proc.start(); err != nil {
		return err
	}
	return ready(ctx, r.proc, func(ctx context.Context) error { return probe.Redis(ctx, r.url) })
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
