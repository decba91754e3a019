//go:build unix

package main

import (
	"context"
	"fmt"
)

// load is how much is sent through Kafka.
type load struct {
	rounds, records int
	few, many, most int // keys
	seconds         int // of a stream of low load
}

func (b *bench) load() load {
	if b.quick {
		return load{rounds: 1, records: 60_000, few: 1000, many: 20_000, most: 100_000, seconds: 10}
	}
	return load{rounds: 3, records: 150_000, few: 1000, many: 100_000, most: 1_000_000, seconds: 30}
}

// servers starts the rig at the first call.
func (b *bench) servers() (_ *rig, err error) {
	if b.rig == nil {
		b.rig, err = newRig(b.ctx, b.backend, b.dir, b.peers)
	}
	return b.rig, err
}

// paths measures consumer run beside a job in Python and loops that only fetch
// and decode, and with other checkpoints.
func (b *bench) paths() error {
	r, err := b.servers()
	if err != nil {
		return err
	}
	l := b.load()
	defer b.with(effort{rounds: l.rounds})()
	t, err := r.produce(b.ctx, rows, l.few, l.records)
	if err != nil {
		return fmt.Errorf("produce: %w", err)
	}
	python := &job{rig: r, topic: t, missing: r.peers.absent}
	got, err := b.effort.duel(b.ctx, r.consume(t, ""), python, r.bare(t), r.libraries(t), r.consume(t, every("1s")), r.consume(t, every("1h")))
	if err != nil {
		return err
	}
	ours, job, bare, libraries, second, never := got[0], got[1], got[2], got[3], got[4], got[5]
	u, how := micros("record"), b.how(line{how: t.how(b.backend)})
	if name := "consumer run against a job in Python (confluent-kafka, pyarrow, numpy, Redis)"; python.missing != nil {
		b.add(lacking(name, u, ours, 20, python.missing))
	} else {
		b.add(paced(name, u, ours, job, 20, how))
	}
	b.add(paced("consumer run against a bare loop of kafka-go's Client.Fetch and arrow's ipc.Reader", u, ours, libraries, 1, how))
	b.add(paced("consumer run against a bare loop of our own fetch and decoder", u, ours, bare, .5, how))
	b.add(paced("checkpoints every second against never", u, second, never, .95, how))
	return b.profile("consumer run", r.watch(t))
}

// every leaves it to an interval when a checkpoint is cut.
func every(interval string) string {
	return "memory: {inflight: 8GiB}\ncheckpoint: {interval: " + interval + ", records: 1000000000, bytes: 4GiB}"
}

// manyKeys measures keys of one shard each beside the 1,000 keys of a topic, and the
// memory that they take.
func (b *bench) manyKeys() error {
	r, err := b.servers()
	if err != nil {
		return err
	}
	l := b.load()
	defer b.with(effort{rounds: l.rounds})()
	for _, n := range []int{rows, 10} {
		t, err := r.produce(b.ctx, n, l.few, l.records)
		if err != nil {
			return err
		}
		many, err := r.produce(b.ctx, n, l.many, l.many)
		if err != nil {
			return err
		}
		var end metrics
		got, err := b.effort.duel(b.ctx, whole(func(ctx context.Context) (p pace, err error) {
			p, end, err = r.run(ctx, many, "")
			return p, err
		}), r.consume(t, ""))
		if err != nil {
			return err
		}
		how := b.how(line{how: many.how(b.backend)})
		item := fmt.Sprintf("%d keys with one shard of n=%d each against %d keys", l.many, n, l.few)
		b.add(paced(item, micros("record"), got[0], got[1], .8, how))
		if err := b.profile(item, r.watch(many)); err != nil {
			return err
		}
		if n == 10 {
			b.memory(end, how)
		}
	}
	return nil
}

// memory says what the keys of the last run take and whether the gauge of the process's
// memory, all its parts together, knows.
func (b *bench) memory(end metrics, how string) {
	bytes := unit{name: "bytes/key", scale: 1}
	n := figure(end[cacheKeys])
	resident, gauge := figure(end[residentBytes])/n, figure(end[memoryBytes])/n
	b.add(aimed("resident memory of a key", bytes, resident, 3000, "the process's resident bytes at the end over the keys that it holds; "+how))
	b.add(compared("credence_memory_bytes, all parts, and resident memory, the lesser against the greater", unit{name: "bytes/key", scale: 1, rate: true},
		min(gauge, resident), max(gauge, resident), .9, fmt.Sprintf("over the keys that it holds, of which states are %.0f bytes/key; %s", figure(end[cacheBytes])/n, how)))
}
