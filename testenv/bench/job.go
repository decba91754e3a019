//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/credence-stream/credence/pipeline/kafka"
)

// job is the same work as a person writes it in Python: confluent-kafka,
// pyarrow, numpy and the state in the same Redis. It measures itself, as
// consume measures the consumer.
type job struct {
	rig     *rig
	topic   *topic
	missing error // why it cannot be had
}

func (j *job) batch(ctx context.Context, _ time.Duration) (pace, error) {
	if j.missing != nil {
		return unknown, nil
	}
	r := j.rig
	r.started++
	group := fmt.Sprintf("job-%d", r.started)
	if err := r.client.Create(ctx, kafka.OutputTopic(group+"-out", partitions, 16<<20)); err != nil {
		return unknown, err
	}
	cmd := exec.CommandContext(ctx, r.peers.python, filepath.Join(r.peers.dir, "job.py"),
		r.env.Brokers()[0], r.env.RedisURL(), j.topic.name, group, strconv.Itoa(j.topic.records))
	cmd.Env = peerEnv()
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		j.missing = fmt.Errorf("job.py: %w: %s", err, lastWords(&said))
		return unknown, ctx.Err()
	}
	var records, cpu, wall float64
	if _, err := fmt.Sscan(string(out), &records, &cpu, &wall); err != nil {
		return unknown, fmt.Errorf("job.py: %q: %w", out, err)
	}
	return pace{cpu / records, wall / records}, nil
}
