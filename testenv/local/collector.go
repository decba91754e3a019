//go:build unix

package local

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/credence-stream/credence/testenv/install"
)

// Collector is an OpenTelemetry Collector that takes spans by OTLP/HTTP over TLS from whoever
// has its token, and passes each request on before it answers it: it has no queue, so that
// what its own exporter is answered decides what the sender is. It ends with this process.
type Collector struct {
	URL string // https://host:port
	CA  string // file of the certificate that it shows

	dir  string
	proc *process
}

// CollectorToken is what a collector wants as "Authorization: Bearer".
const CollectorToken = "of-the-collector"

// collectorConfig has the address, the certificate and its key, the token, and where spans go.
const collectorConfig = `receivers:
  otlp: {protocols: {http: {endpoint: %q, tls: {cert_file: %q, key_file: %q}, auth: {authenticator: bearertokenauth}}}}
extensions:
  bearertokenauth: {token: %q}
exporters:
  otlp_http: {endpoint: %q, sending_queue: {enabled: false}, retry_on_failure: {enabled: false}}
service:
  extensions: [bearertokenauth]
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [otlp_http]}}
`

// StartCollector builds the collector of the module in source, once, starts it and returns when it
// answers. It passes spans on to an OTLP/HTTP endpoint, to. The caller closes it.
func StartCollector(ctx context.Context, o Options, source, to string) (*Collector, error) {
	program, err := collectorProgram(ctx, o, source)
	if err != nil {
		return nil, err
	}
	dir, err := newFolder()
	if err != nil {
		return nil, err
	}
	c := &Collector{dir: dir}
	if err := c.prepare(ctx, program, to); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if err := c.Start(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// collectorProgram returns the program that the module in source makes, which is built anew
// when the module has changed.
func collectorProgram(ctx context.Context, o Options, source string) (string, error) {
	sum := sha256.New()
	for _, name := range []string{"main.go", "go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			return "", err
		}
		sum.Write(text)
	}
	i, err := install.New(ctx, o.Logf)
	if err != nil {
		return "", err
	}
	folder, err := i.Folder(fmt.Sprintf("collector-%.8x", sum.Sum(nil)), func(dir string) error {
		return i.Run(ctx, "go", "build", "-C", source, "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(dir, "collector"), ".")
	})
	return filepath.Join(folder, "collector"), errors.Join(err, i.Close())
}

// prepare writes what the collector is configured by.
func (c *Collector) prepare(ctx context.Context, program, to string) error {
	at, err := newPlace(ctx, loopback)
	if err != nil {
		return err
	}
	shown, err := newCertificate(c.dir)
	if err != nil {
		return err
	}
	c.URL, c.CA = "https://"+at.Seen, shown.File
	config := filepath.Join(c.dir, "collector.yaml")
	text := fmt.Sprintf(collectorConfig, at.Seen, shown.File, shown.Key, CollectorToken, to)
	c.proc = &process{log: filepath.Join(c.dir, "collector.log"), dir: c.dir, args: []string{program, "--config", "file:" + config}}
	return os.WriteFile(config, []byte(text), 0o600)
}

// Start starts a collector that was stopped, at the address that it had, and returns when it answers.
func (c *Collector) Start(ctx context.Context) error {
	if err := c.proc.start(); err != nil {
		return err
	}
	authority, err := os.ReadFile(c.CA)
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	t := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	defer t.CloseIdleConnections()
	client := &http.Client{Transport: t, Timeout: 2 * time.Second}
	return ready(ctx, c.proc, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/v1/traces", http.NoBody)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close() //nolint:errcheck // its status is all that counts
		if resp.StatusCode != http.StatusUnauthorized {
			return fmt.Errorf("the collector answers %s to who has no token", resp.Status)
		}
		return nil
	})
}

// Stop ends the collector as an operator does, and returns when it has ended.
func (c *Collector) Stop(ctx context.Context) error { return c.proc.stop(ctx) }

// Close ends the collector and removes its folder.
func (c *Collector) Close() error {
	var err error
	if c.proc != nil {
		err = c.proc.kill()
	}
	return errors.Join(err, os.RemoveAll(c.dir))
}
