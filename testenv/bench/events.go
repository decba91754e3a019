//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// events measures rows that come one a record, as JSON, and are gathered until they are
// shards, beside the same shards as Arrow: in rows a second of processor time.
func (b *bench) events() error {
	r, err := b.servers()
	if err != nil {
		return err
	}
	l := b.load()
	defer b.with(effort{rounds: l.rounds})()
	arrow, err := r.produce(b.ctx, rows, l.few, l.records)
	if err != nil {
		return err
	}
	// A tenth of the shards for a tenth of the keys: each key has as many.
	single, err := r.produceEvents(b.ctx, l.few/10, l.records/10)
	if err != nil {
		return err
	}
	got, err := b.effort.duel(b.ctx, r.consume(single, fmt.Sprintf("input: {format: json, coalesce: {rows: %d}}", rows)), r.consume(arrow, ""))
	if err != nil {
		return err
	}
	shards := pace{got[1].cpu / rows, got[1].wall / rows}
	b.add(paced(fmt.Sprintf("events of one row in JSON, %d gathered to a shard, against the shards in Arrow", rows), unit{name: "rows/s", scale: 1, rate: true},
		got[0], shards, .05, b.how(line{how: fmt.Sprintf("linear p=%d, input.coalesce; %d events of %d keys, %d shards of n=%d of %d keys, %d partitions, %s servers on the same cores",
			columns, single.records, single.keys, arrow.records, rows, arrow.keys, partitions, b.backend)})))
	return nil
}

// produceEvents fills a topic with the rows of shards, a record each: those of a key's
// shard one behind the other, so that it is gathered of them again.
func (r *rig) produceEvents(ctx context.Context, keys, shards int) (*topic, error) {
	t := &topic{name: fmt.Sprintf("bench-events-%d-%d", keys, shards), n: 1, keys: keys, records: shards * rows, ends: make([]int64, partitions)}
	fresh := regression(rows, columns).fresh()
	return r.fill(ctx, t, shards, func(key int, send func(pipeline.Output) error) error {
		values, err := events(fresh())
		if err != nil {
			return err
		}
		for _, value := range values {
			if err := send(record(t.name, key, value)); err != nil {
				return err
			}
		}
		return nil
	})
}

// events returns the rows of a shard of numbers as objects in JSON, to the bit.
func events(b *cdf.Batch) (all [][]byte, err error) {
	for i := range b.Rows {
		text := []byte{'{'}
		for j := range b.Columns {
			c := &b.Columns[j]
			value, err := json.Marshal(c.Number[i])
			if err != nil {
				return nil, err
			}
			if j > 0 {
				text = append(text, ',')
			}
			text = fmt.Appendf(text, "%q:%s", c.Name, value)
		}
		all = append(all, append(text, '}'))
	}
	return all, nil
}
