//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/credence-stream/credence/testenv/probe"
)

// consumer is a running `consumer run`.
type consumer struct {
	cmd    *exec.Cmd
	listen string
	output string // topic
	said   bytes.Buffer
}

// start runs the program over a topic in a group of its own. settings are
// lines of its configuration.
func (r *rig) start(ctx context.Context, topic, settings string) (*consumer, error) {
	listen, err := probe.FreeAddress(ctx)
	if err != nil {
		return nil, err
	}
	r.started++
	group := fmt.Sprintf("bench-%d", r.started)
	config, err := r.file(group+".yaml", fmt.Sprintf(`kafka: {brokers: [%q], group: %s, input: %s, output: %s-out, dead_letters: %s-dead}
redis: {url: %q}
http: {listen: %q, pprof: true}
models: [{match: "**", kind: linear}]
%s
`, r.env.Brokers()[0], group, topic, group, group, r.env.RedisURL(), listen, settings))
	if err != nil {
		return nil, err
	}
	c := &consumer{cmd: exec.CommandContext(ctx, r.binary, "run", "--config", config), listen: listen, output: group + "-out"}
	c.cmd.Stderr = &c.said
	return c, c.cmd.Start()
}

func (c *consumer) stop() error {
	if err := errors.Join(c.cmd.Process.Signal(syscall.SIGTERM), c.cmd.Wait()); err != nil {
		return fmt.Errorf("consumer run: %w: %s", err, c.said.Bytes())
	}
	return nil
}

// consume takes a topic to its end. The pace is that from the first record
// given to a lane, for joining a group is not what is measured, until the process is gone: its last
// checkpoint is work, too.
func (r *rig) consume(t *topic, settings string) whole {
	return func(ctx context.Context) (p pace, err error) {
		p, _, err = r.run(ctx, t, settings)
		return p, err
	}
}

// run returns the metrics once all records were given to lanes, too.
func (r *rig) run(ctx context.Context, t *topic, settings string) (p pace, last metrics, err error) {
	c, err := r.start(ctx, t.name, settings)
	if err != nil {
		return p, nil, err
	}
	start, first, last, err := c.follow(ctx, t.records)
	if err = errors.Join(err, c.stop()); err != nil {
		return p, nil, err
	}
	n := last[recordsConsumed] - first[recordsConsumed]
	cpu := (c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime()).Seconds()
	return pace{(cpu - first[processorSeconds]) / n, time.Since(start).Seconds() / n}, last, nil
}

// follow asks for metrics from the first record given to a lane to the last.
func (c *consumer) follow(ctx context.Context, records int) (start time.Time, first, last metrics, err error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return start, first, nil, ctx.Err()
		}
		m, err := c.metrics(ctx)
		switch {
		case err != nil || m[recordsConsumed] == 0: // not up yet
		case start.IsZero():
			start, first = time.Now(), m
			tick.Reset(200 * time.Millisecond) // an answer takes some of the time that is measured
		case m[recordsConsumed] >= float64(records):
			return start, first, m, nil
		}
	}
}

// metrics are the program's, those of all labels added up.
type metrics map[string]float64

const (
	recordsConsumed  = "credence_records_consumed_total"
	processorSeconds = "process_cpu_seconds_total"
	residentBytes    = "process_resident_memory_bytes"
	memoryBytes      = "credence_memory_bytes"
	cacheBytes       = "credence_cache_bytes"
	cacheKeys        = "credence_cache_keys"
)

func (c *consumer) metrics(ctx context.Context) (metrics, error) {
	m := metrics{}
	return m, c.get(ctx, "/metrics", func(body io.Reader) error {
		lines := bufio.NewScanner(body)
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), " ")
			name, _, labels := strings.Cut(name, "{")
			if labels {
				value = value[strings.LastIndexByte(value, ' ')+1:]
			}
			if v, err := strconv.ParseFloat(value, 64); err == nil {
				m[name] += v
			}
		}
		return lines.Err()
	})
}

// get hands on what the consumer answers.
func (c *consumer) get(ctx context.Context, path string, take func(io.Reader) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.listen+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", path, resp.Status)
	}
	return take(resp.Body)
}
