// Package compose runs the services kafka and redis of docker-compose.yml on
// the Docker engine of this machine, as a project of its own on free
// ports, next to whatever else runs there.
package compose

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/credence-stream/credence/testenv/probe"
)

// Env is a running broker and store. Its methods are safe for concurrent use.
type Env struct {
	Project     *Project
	broker, url string
}

// Start brings the two services up and returns when they answer. It pulls no
// image by itself where testenv/offline made stand-ins.
func Start(ctx context.Context) (*Env, error) {
	p, err := newProject(ctx, fmt.Sprintf("%s%d", prefix, os.Getpid()))
	if err != nil {
		return nil, err
	}
	sweep(ctx, p)
	e := &Env{
		Project: p,
		broker:  net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Kafka)),
		url:     "redis://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Redis)) + "/0",
	}
	if _, err := p.Run(ctx, "up", "-d", "kafka", "redis"); err != nil {
		return nil, fmt.Errorf("%w (behind a closed network, testenv/offline makes the images)", closing(err, e))
	}
	if err := e.answers(ctx, true, true); err != nil {
		return nil, closing(err, e)
	}
	return e, nil
}

func closing(err error, e *Env) error {
	if err2 := e.Close(); err2 != nil {
		return fmt.Errorf("%w; then %w", err, err2)
	}
	return err
}

func (e *Env) answers(ctx context.Context, kafka, redis bool) error {
	ctx, cancel := context.WithTimeout(ctx, probe.Patience)
	defer cancel()
	if kafka {
		if err := probe.Kafka(ctx, e.broker); err != nil {
			return err
		}
	}
	if redis {
		return probe.Redis(ctx, e.url)
	}
	return nil
}

// sweep takes down the projects of test binaries that are gone: one that was
// killed could not clean up.
func sweep(ctx context.Context, p *Project) {
	out, err := p.docker(ctx, nil, "ps", "--all", "--filter", "label=com.docker.compose.project",
		"--format", `{{.Label "com.docker.compose.project"}}`)
	if err != nil {
		return
	}
	for name := range strings.FieldsSeq(string(out)) {
		pid, err := strconv.Atoi(strings.TrimPrefix(name, prefix))
		if !strings.HasPrefix(name, prefix) || err != nil {
			continue
		}
		if _, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid))); os.IsNotExist(err) {
			old := *p
			old.Name = name
			old.Down(ctx) //nolint:errcheck // the next run tries again
		}
	}
}

// Brokers returns the broker's address on this machine.
func (e *Env) Brokers() []string { return []string{e.broker} }

// RedisURL returns the store's URL on this machine.
func (e *Env) RedisURL() string { return e.url }

// KillKafka ends the broker's container with SIGKILL.
func (e *Env) KillKafka() error { return e.Project.Kill(context.Background(), "kafka") }

// StartKafka starts the killed container and returns when the broker answers.
func (e *Env) StartKafka(ctx context.Context) error {
	if err := e.Project.Start(ctx, "kafka"); err != nil {
		return err
	}
	return e.answers(ctx, true, false)
}

// PauseKafka freezes the broker's container.
func (e *Env) PauseKafka() error { return e.Project.Pause(context.Background(), "kafka") }

// ResumeKafka ends a pause.
func (e *Env) ResumeKafka() error { return e.Project.Resume(context.Background(), "kafka") }

// KillRedis ends the store's container with SIGKILL.
func (e *Env) KillRedis() error { return e.Project.Kill(context.Background(), "redis") }

// StartRedis starts the killed container and returns when the store answers.
func (e *Env) StartRedis(ctx context.Context) error {
	if err := e.Project.Start(ctx, "redis"); err != nil {
		return err
	}
	return e.answers(ctx, false, true)
}

// PauseRedis freezes the store's container.
func (e *Env) PauseRedis() error { return e.Project.Pause(context.Background(), "redis") }

// ResumeRedis ends a pause.
func (e *Env) ResumeRedis() error { return e.Project.Resume(context.Background(), "redis") }

// aof is the folder of the store's append-only file in its container.
const aof = "/data/appendonlydir"

// SaveRedis returns a copy of the append-only file as it is now: a prefix of
// what it will be, possibly torn at its end, as after a power loss. The store
// is frozen meanwhile, since docker refuses to copy a file that grows.
func (e *Env) SaveRedis(ctx context.Context) ([]byte, error) {
	id, err := e.Project.container(ctx, "redis")
	if err != nil {
		return nil, err
	}
	if err := probe.Written(ctx, e.RedisURL()); err != nil {
		return nil, err
	}
	if err := e.PauseRedis(); err != nil {
		return nil, err
	}
	saved, err := e.Project.docker(ctx, nil, "cp", id+":"+aof, "-")
	if err2 := e.ResumeRedis(); err == nil {
		err = err2
	}
	return saved, err
}

// RestoreRedis kills the store, puts its append-only file back to a copy and
// starts it again. Files that the copy lacks stay; the manifest names those
// that count.
func (e *Env) RestoreRedis(ctx context.Context, saved []byte) error {
	if err := e.KillRedis(); err != nil {
		return err
	}
	id, err := e.Project.container(ctx, "redis")
	if err != nil {
		return err
	}
	if _, err := e.Project.docker(ctx, saved, "cp", "-", id+":"+filepath.Dir(aof)); err != nil {
		return err
	}
	return e.StartRedis(ctx)
}

// Close removes the containers, their network and their data.
func (e *Env) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return e.Project.Down(ctx)
}
