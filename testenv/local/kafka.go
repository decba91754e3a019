//go:build unix

package local

import (
	"cmp"
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
	"slices"
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
	proc    *process
	addr    string
	guarded string
	secure  string
	ca      string
}

// loopback is where servers listen unless they are told otherwise.
const loopback = "127.0.0.1"

// place is where a server listens, and the address under which others find it.
type place struct {
	Host string
	Port int
	Seen string // host:port
}

// newPlace returns a free port of a host, "" for loopback, that is found under its own
// address.
func newPlace(ctx context.Context, host string) (place, error) {
	host = cmp.Or(host, loopback)
	port, err := probe.FreePort(ctx, host)
	return place{host, port, net.JoinHostPort(host, strconv.Itoa(port))}, err
}

// member is one broker of a cluster, which is a controller as well. Its fields
// fill in server.properties.
type member struct {
	ID                          int
	Voters                      string // id@host:port of all controllers
	Clients, Peers, Controllers place
	Guarded                     place // of clients that have names and permissions; no port: there is none
	Secure                      place // the same by TLS
	Keystore                    string
	Replicas, InSync            int
	Data                        string
}

// startKafka starts a broker that is a cluster of its own.
func startKafka(ctx context.Context, t tools, dir, host string) (*kafka, error) {
	var err error
	for range 3 { // another process may take a port between our look and the start
		m := member{ID: 1, Replicas: 1, InSync: 1}
		for _, p := range []*place{&m.Clients, &m.Guarded, &m.Secure, &m.Peers, &m.Controllers} {
			if *p, err = newPlace(ctx, host); err != nil {
				return nil, err
			}
		}
		m.Voters = "1@" + m.Controllers.Seen
		var k *kafka
		if k, err = newKafka(ctx, t, dir, clusterID(), m); err != nil {
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

// newKafka lays out dir and formats the log.
func newKafka(ctx context.Context, t tools, dir, cluster string, m member) (*kafka, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	properties := filepath.Join(dir, "server.properties")
	logging := filepath.Join(dir, "log4j2.properties")
	m.Data = filepath.Join(dir, "data")
	c, err := newCertificate(dir)
	if err != nil {
		return nil, err
	}
	m.Keystore = c.Both
	if err := errors.Join(write(properties, "files/server.properties", m), write(logging, "files/log4j2.properties", nil)); err != nil {
		return nil, err
	}
	java := func(class string, args ...string) []string {
		return slices.Concat([]string{
			t.java, "-Xms64m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
			"-XX:+ExitOnOutOfMemoryError", "-Djava.awt.headless=true",
			"-Dlog4j2.configurationFile=file:" + logging, "-Dkafka.logs.dir=" + dir,
		}, t.flags, []string{"-cp", filepath.Join(t.jars, "*"), class}, args)
	}
	format := java("kafka.tools.StorageTool", "format", "-t", cluster, "-c", properties)
	if out, err := exec.CommandContext(ctx, format[0], format[1:]...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("format kafka's log: %w: %s", err, out)
	}
	broker := java("kafka.Kafka", properties)
	if t.dump != "" {
		broker = slices.Insert(broker, 1, t.dump)
	}
	return &kafka{
		proc: &process{log: filepath.Join(dir, "broker.log"), dir: dir, args: broker},
		addr: m.Clients.Seen, guarded: m.Guarded.Seen, secure: m.Secure.Seen, ca: c.File,
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
	return ready(ctx, k.proc, func(ctx context.Context) error { return probe.Kafka(ctx, k.addr) })
}

// ready waits until answers succeeds, the process ends or probe.Patience does.
func ready(ctx context.Context, p *process, answers func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, probe.Patience)
	defer cancel()
	return probe.Until(ctx, func(ctx context.Context) error {
		if err := p.ended(); err != nil {
			cancel()
			return err
		}
		once, done := context.WithTimeout(ctx, 10*time.Second)
		defer done()
		return answers(once)
	})
}
