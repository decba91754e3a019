//go:build unix

package main

import (
	"context"
	"fmt"
)

// Settings of a worker whose cache holds scale's keys, with what its process may
// then take: see docs/configuration.md.
const (
	roomy      = "memory: {cache: 2GiB, inflight: 256MiB}"
	roomyBytes = (2<<30 + 256<<20 + 128<<20) * 13 / 10
)

// scale measures one worker with a great many keys, with one that has all records, and
// with many partitions. Such runs are long: each is made once.
func (b *bench) scale() error {
	r, err := b.servers()
	if err != nil {
		return err
	}
	l := b.load()
	defer b.with(effort{rounds: 1})()
	const n = 10
	few, err := r.produce(b.ctx, n, l.few, l.records)
	if err != nil {
		return err
	}
	most, err := r.produce(b.ctx, n, l.most, l.most)
	if err != nil {
		return err
	}
	hot, err := r.produce(b.ctx, n, 1, l.records)
	if err != nil {
		return err
	}
	wide, err := r.produceTo(b.ctx, 64, n, l.few, l.records)
	if err != nil {
		return err
	}
	var end metrics
	got, err := b.effort.duel(b.ctx, r.consume(few, ""), whole(func(ctx context.Context) (p pace, err error) {
		p, end, err = r.run(ctx, most, roomy)
		return p, err
	}), r.consume(hot, ""), r.consume(wide, ""))
	if err != nil {
		return err
	}
	u := micros("record")
	how := func(t *topic) string { return b.how(line{how: t.how(b.backend)}) }
	b.add(paced(fmt.Sprintf("%d keys with one shard of n=%d each against %d keys", l.most, n, l.few), u, got[1], got[0], .5, how(most)))
	b.add(aimed(fmt.Sprintf("resident memory with %d keys", l.most), unit{name: "MiB", scale: 1}, figure(end[residentBytes])/(1<<20),
		roomyBytes>>20, "1.3 times of cache, inflight and 128 MiB is the goal; "+how(most)))
	b.add(paced(fmt.Sprintf("one key that has all records against %d keys", l.few), u, got[2], got[0], .8, how(hot)))
	b.add(paced("64 partitions against 4", u, got[3], got[0], .8, how(wide)))
	return nil
}
