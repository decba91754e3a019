//go:build unix

// Package testenv gives tests a Kafka broker and a Redis server, in one of
// three ways behind one interface: inside the process, as real servers that
// are children of the process, or as the services of docker-compose.yml. They
// can be killed, started again, paused and put back in time while clients are
// connected. README.md in this folder says how to run the tests on each.
package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/credence-stream/credence/internal/embedded"
	"github.com/credence-stream/credence/testenv/compose"
	"github.com/credence-stream/credence/testenv/local"
	"github.com/credence-stream/credence/testenv/probe"
	"github.com/credence-stream/credence/testenv/rewind"
)

// Backend says what the servers are.
type Backend string

// The back ends.
const (
	Embedded Backend = "embedded" // kfake and miniredis in this process
	Local    Backend = "local"    // Apache Kafka in a JVM and redis-server, children of this process
	Compose  Backend = "compose"  // kafka and redis of docker-compose.yml
)

// Servers is a running broker and store. Methods may be called from several
// goroutines. A killed or paused server is brought back by Start or Resume with
// the same address and data; Start returns when it answers, and starting a
// running server changes nothing.
type Servers interface {
	Brokers() []string // host:port
	RedisURL() string

	// Kill ends the server at once, as SIGKILL does. What was acknowledged stays.
	KillKafka() error
	StartKafka(context.Context) error
	// Pause freezes the server, as SIGSTOP does: connections stay open.
	PauseKafka() error
	ResumeKafka() error

	KillRedis() error
	StartRedis(context.Context) error
	PauseRedis() error
	ResumeRedis() error

	// SaveRedis returns a copy of the store's data as it is now, and
	// RestoreRedis puts the store back to it under live clients, as a restart
	// after a power loss does: connections break, the address stays. A copy
	// serves the Servers it came from.
	SaveRedis(context.Context) ([]byte, error)
	RestoreRedis(context.Context, []byte) error

	Close() error
}

var (
	_ Servers = embeddedServers{}
	_ Servers = (*local.Env)(nil)
	_ Servers = (*compose.Env)(nil)
)

// Env is a running broker and store and what they are.
type Env struct {
	Servers
	Backend Backend
}

// Options shape what Start starts; the zero value is good for a test.
type Options struct {
	// Logf tells about installations and downloads, which take a while; nil:
	// os.Stderr.
	Logf func(format string, args ...any)
}

// Start starts a broker and a store of their own. The caller closes them.
// Programs that only want the embedded ones use package embedded, which
// is smaller.
func Start(ctx context.Context, b Backend, o Options) (*Env, error) {
	var s Servers
	var err error
	switch b {
	case Embedded:
		s, err = startEmbedded(ctx)
	case Local:
		s, err = local.Start(ctx, local.Options{Logf: o.Logf})
	case Compose:
		s, err = compose.Start(ctx)
	default:
		return nil, fmt.Errorf("unknown back end %q", b)
	}
	if err != nil {
		return nil, fmt.Errorf("start %s servers: %w", b, err)
	}
	return &Env{Servers: s, Backend: b}, nil
}

// startEmbedded starts both on ports that are theirs still when they come back from a kill.
func startEmbedded(ctx context.Context) (embeddedServers, error) {
	var o embedded.Options
	for _, at := range []*string{&o.Kafka, &o.Redis} {
		address, err := probe.FreeAddress(ctx)
		if err != nil {
			return embeddedServers{}, err
		}
		*at = address
	}
	e, err := embedded.Start(ctx, o)
	return embeddedServers{e}, err
}

// Real returns the back end with real servers: compose where a Docker engine
// answers and CREDENCE_COMPOSE is not "off", else local. It installs what is
// missing; the error says why there is neither.
func Real(ctx context.Context, o Options) (Backend, error) {
	if os.Getenv("CREDENCE_COMPOSE") != "off" && compose.Available(ctx) == nil {
		return Compose, nil
	}
	if err := local.Available(ctx, local.Options{Logf: o.Logf}); err != nil {
		return "", fmt.Errorf("no real servers can be had here: %w", err)
	}
	return Local, nil
}

// embeddedServers are embedded ones that can be put back in time.
type embeddedServers struct{ *embedded.Env }

func (e embeddedServers) SaveRedis(ctx context.Context) ([]byte, error) {
	return rewind.Save(ctx, e.StoreAddr())
}

func (e embeddedServers) RestoreRedis(ctx context.Context, saved []byte) error {
	return errors.Join(e.KillRedis(), rewind.Restore(ctx, e.StoreAddr(), saved), e.StartRedis(ctx))
}
