//go:build unix

// Package local runs a real Apache Kafka broker (KRaft, one JVM, from Maven
// artifacts) and a real redis-server with its append-only file, on free
// loopback ports, as children of this process that end with it. Both can be
// killed with SIGKILL, stopped with SIGSTOP and started again on the same port
// and data.
package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Options shape the servers; the zero value is good for a test.
type Options struct {
	// Logf tells about installations and downloads, which take a while; nil:
	// os.Stderr.
	Logf func(format string, args ...any)
	// KafkaHost and RedisHost are addresses of this machine at which the servers of Start
	// listen; empty: loopback. Nobody but its own processes may reach them: there is no
	// password.
	KafkaHost, RedisHost string
}

// Env is a running broker and store. Its methods are safe for concurrent use.
type Env struct {
	dir   string
	kafka *kafka
	redis *redisServer
}

// Available installs what is missing and reports why the servers cannot be
// had, nil when they can.
func Available(ctx context.Context, o Options) error {
	_, err := prepare(ctx, o)
	return err
}

// Start starts both servers and returns when they answer.
func Start(ctx context.Context, o Options) (*Env, error) {
	tools, err := prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	dir, err := newFolder()
	if err != nil {
		return nil, err
	}
	e := &Env{dir: dir}
	var wg sync.WaitGroup
	var kafkaErr, redisErr error
	wg.Go(func() { e.kafka, kafkaErr = startKafka(ctx, tools, filepath.Join(dir, "kafka"), o.KafkaHost) })
	wg.Go(func() { e.redis, redisErr = startRedis(ctx, tools, filepath.Join(dir, "redis"), o.RedisHost) })
	wg.Wait()
	if err := errors.Join(kafkaErr, redisErr); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// prefix starts the name of every folder of a run; the process id follows.
const prefix = "credence-local-"

// newFolder makes the folder of a run, and removes those of runs that are gone.
func newFolder() (string, error) {
	sweep()
	return os.MkdirTemp("", fmt.Sprintf("%s%d-*", prefix, os.Getpid()))
}

// sweep removes the folders of runs whose process is gone: one that was killed
// could not clean up.
func sweep() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*")) // the pattern is well-formed
	for _, dir := range dirs {
		id, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), prefix), "-")
		pid, err := strconv.Atoi(id)
		if err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			os.RemoveAll(dir) //nolint:errcheck // the next run tries again
		}
	}
}

// Brokers returns the broker's address.
func (e *Env) Brokers() []string { return []string{e.kafka.addr} }

// GuardedBrokers returns the address of the same broker for clients with a name, by
// SASL/SCRAM-SHA-512 without TLS: they may do what its ACLs allow. Those who come to
// Brokers may do everything, and give names and permissions.
func (e *Env) GuardedBrokers() []string { return []string{e.kafka.guarded} }

// SecureBrokers is GuardedBrokers by TLS, with the certificate in the file CA.
func (e *Env) SecureBrokers() []string { return []string{e.kafka.secure} }

// CA is the file of the certificate that SecureBrokers show, as an authority.
func (e *Env) CA() string { return e.kafka.ca }

// RedisURL returns the store's URL.
func (e *Env) RedisURL() string { return e.redis.url }

// KillKafka ends the broker with SIGKILL.
func (e *Env) KillKafka() error { return e.kafka.proc.kill() }

// StartKafka starts a killed broker on the same port and log and returns when
// it answers, which takes a few seconds: the session of the one before has to
// run out.
func (e *Env) StartKafka(ctx context.Context) error { return e.kafka.start(ctx) }

// PauseKafka stops the broker with SIGSTOP.
func (e *Env) PauseKafka() error { return e.kafka.proc.signal(syscall.SIGSTOP) }

// ResumeKafka ends a pause.
func (e *Env) ResumeKafka() error { return e.kafka.proc.signal(syscall.SIGCONT) }

// KillRedis ends the store with SIGKILL.
func (e *Env) KillRedis() error { return e.redis.proc.kill() }

// StartRedis starts a killed store on the same port and append-only file and
// returns when it has loaded it.
func (e *Env) StartRedis(ctx context.Context) error { return e.redis.start(ctx) }

// PauseRedis stops the store with SIGSTOP.
func (e *Env) PauseRedis() error { return e.redis.proc.signal(syscall.SIGSTOP) }

// ResumeRedis ends a pause.
func (e *Env) ResumeRedis() error { return e.redis.proc.signal(syscall.SIGCONT) }

// SaveRedis returns a copy of the append-only file as it is now: a prefix of
// what it will be, possibly torn at its end, as after a power loss.
func (e *Env) SaveRedis(ctx context.Context) ([]byte, error) { return e.redis.save(ctx) }

// RestoreRedis kills the store, puts its append-only file back to a copy and
// starts it again.
func (e *Env) RestoreRedis(ctx context.Context, saved []byte) error {
	return e.redis.restore(ctx, saved)
}

// Close ends both servers and removes their data.
func (e *Env) Close() error {
	var err error
	if e.kafka != nil {
		err = e.kafka.proc.kill()
	}
	if e.redis != nil {
		err = errors.Join(err, e.redis.proc.kill())
	}
	return errors.Join(err, os.RemoveAll(e.dir))
}
