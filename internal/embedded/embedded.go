// Package embedded runs a Kafka broker and a Redis server inside the process:
// kfake and miniredis, on free loopback ports. They are what `consumer demo`
// and the fast tests run on. Both can be killed, started again and paused while
// clients are connected; the broker refuses what Apache Kafka 4 refuses.
package embedded

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
)

// Options shape the servers; the zero value is good for a test.
type Options struct {
	// Dir keeps the broker's log, but for Windows, where it is in memory;
	// empty: a temporary folder that Close removes. The cluster id is random
	// per Env, so a folder that was used before is refused.
	Dir string
	// Kafka and Redis are loopback addresses to listen on where they are free;
	// where not, and when empty, any free port is taken.
	Kafka, Redis string
}

// Env is a running broker and store. Its methods are safe for concurrent use.
type Env struct {
	kafka *kafka
	redis *redisServer
	temp  string // removed by Close
}

// Start starts both servers.
func Start(ctx context.Context, o Options) (*Env, error) {
	e := new(Env)
	if o.Dir == "" {
		dir, err := os.MkdirTemp("", "credence-embedded-*")
		if err != nil {
			return nil, err
		}
		o.Dir, e.temp = dir, dir
	} else if held, err := os.ReadDir(o.Dir); err == nil && len(held) > 0 {
		return nil, fmt.Errorf("embedded broker: %s is not empty", o.Dir)
	}
	err := e.start(ctx, o)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Env) start(ctx context.Context, o Options) error {
	id := clusterID()
	err := wanted(o.Kafka, func(addr string) (err error) {
		if e.kafka, err = newKafka(ctx, o.Dir, id, addr); err != nil {
			return err
		}
		return e.kafka.start(ctx)
	})
	if err != nil {
		return err
	}
	if e.redis, err = newRedis(); err != nil {
		return err
	}
	return wanted(o.Redis, func(addr string) error {
		e.redis.addr = addr
		return e.redis.start(ctx)
	})
}

// wanted calls start with the address, and with any port where that fails.
func wanted(addr string, start func(addr string) error) error {
	if addr != "" && start(addr) == nil {
		return nil
	}
	return start(anyPort)
}

// clusterID returns 16 random bytes as Kafka writes them. A broker whose log is
// gone must not look like the one before.
func clusterID() string {
	var b [16]byte
	rand.Read(b[:]) //nolint:errcheck // never fails since Go 1.24
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Brokers returns the broker's address.
func (e *Env) Brokers() []string { return []string{e.kafka.addr()} }

// RedisURL returns the store's URL.
func (e *Env) RedisURL() string { return "redis://" + e.redis.addr + "/0" }

// KillKafka cuts every connection and takes the broker down; its log stays,
// but for Windows.
func (e *Env) KillKafka() error { return e.kafka.kill() }

// StartKafka brings a killed broker back on the same port with the same log.
func (e *Env) StartKafka(ctx context.Context) error { return e.kafka.start(ctx) }

// PauseKafka stops all bytes from and to the broker, connections stay open.
func (e *Env) PauseKafka() error { e.kafka.gate.pause(); return nil }

// ResumeKafka ends a pause.
func (e *Env) ResumeKafka() error { e.kafka.gate.resume(); return nil }

// KillRedis cuts every connection and refuses new ones; the data stays.
func (e *Env) KillRedis() error { e.redis.kill(); return nil }

// StartRedis takes connections again on the same port.
func (e *Env) StartRedis(ctx context.Context) error { return e.redis.start(ctx) }

// PauseRedis stops all bytes from and to the store, connections stay open.
func (e *Env) PauseRedis() error { e.redis.gate.pause(); return nil }

// ResumeRedis ends a pause.
func (e *Env) ResumeRedis() error { e.redis.gate.resume(); return nil }

// StoreAddr returns the store's own address, which answers also while Redis is
// killed or paused for its clients.
func (e *Env) StoreAddr() string { return e.redis.store.Addr() }

// Refused returns the requests that were refused because Apache Kafka 4 knows
// their version no more, as "JoinGroup v1, Kafka 4 takes v2 and later".
func (e *Env) Refused() []string { return e.kafka.guard.list() }

// Close stops both servers and removes what they left.
func (e *Env) Close() error {
	var err error
	if e.redis != nil {
		e.redis.close()
	}
	if e.kafka != nil {
		err = e.kafka.kill()
	}
	if e.temp != "" {
		err = errors.Join(err, os.RemoveAll(e.temp))
	}
	return err
}
