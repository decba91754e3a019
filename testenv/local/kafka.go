//go:build unix

package local

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/credence-stream/credence/testenv/probe"
)

//go:embed files
var files embed.FS

// kafka is a broker that can go and come back.
type kafka struct {
	proc *process
	addr string
}

// startKafka lays out dir, formats the log and starts the broker.
func startKafka(ctx context.Context, t tools, dir string) (*kafka, error) {
	var err error
	for range 3 { // another process may take a port between our look and the start
		var k *kafka
		if k, err = newKafka(ctx, t, dir); err != nil {
			return nil, err
		}
		if err = k.start(ctx); err == nil {
			return k, nil
		}
		err = errors.Join(err, k.proc.kill(), os.RemoveAll(dir))
		if !strings.Contains(err.Error(), "Address already in use") {
			break
		}
	}
	return nil, err
}

func newKafka(ctx context.Context, t tools, dir string) (*kafka, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	broker, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	controller := broker
	for controller == broker {
		if controller, err = freePort(ctx); err != nil {
			return nil, err
		}
	}
	properties := filepath.Join(dir, "server.properties")
	logging := filepath.Join(dir, "log4j2.properties")
	f := struct {
		Broker, Controller int
		Data               string
	}{broker, controller, filepath.Join(dir, "data")}
	if err := errors.Join(write(properties, "files/server.properties", f), write(logging, "files/log4j2.properties", nil)); err != nil {
		return nil, err
	}
	java := func(class string, args ...string) []string {
		return append([]string{
			t.java, "-Xms64m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
			"-XX:+ExitOnOutOfMemoryError", "-Djava.awt.headless=true",
			"-Dlog4j2.configurationFile=file:" + logging, "-Dkafka.logs.dir=" + dir,
			"-cp", filepath.Join(t.jars, "*"), class,
		}, args...)
	}
	format := java("kafka.tools.StorageTool", "format", "-t", clusterID(), "-c", properties)
	if out, err := exec.CommandContext(ctx, format[0], format[1:]...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("format kafka's log: %w: %s", err, out)
	}
	return &kafka{
		proc: &process{log: filepath.Join(dir, "broker.log"), dir: dir, args: java("kafka.Kafka", properties)},
		addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(broker)),
	}, nil
}

// write fills one of our templates in.
func write(path, name string, fields any) error {
	t, err := template.ParseFS(files, name)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(t.Execute(f, fields), f.Close())
}

// clusterID returns 16 random bytes as Kafka writes them. Kafka's tools take a
// leading dash for an option.
func clusterID() string {
	for {
		var b [16]byte
		rand.Read(b[:]) //nolint:errcheck // never fails since Go 1.24
		if id := base64.RawURLEncoding.EncodeToString(b[:]); id[0] != '-' {
			return id
		}
	}
}

func (k *kafka) start(ctx context.Context) error {
	if err := k.proc.start(); err != nil {
		return err
	}
	return ready(ctx, k.proc, 90*time.Second, func(ctx context.Context) error { return probe.Kafka(ctx, k.addr) })
}

// ready waits until answers succeeds, the process ends or time is up.
func ready(ctx context.Context, p *process, limit time.Duration, answers func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return probe.Until(ctx, func(ctx context.Context) error {
		if err := p.ended(); err != nil {
			cancel()
			return err
		}
		once, done := context.WithTimeout(ctx, 2*time.Second)
		defer done()
		return answers(once)
	})
}
