//go:build unix

package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/kafka"
	"github.com/credence-stream/credence/pipeline/redis"
	"github.com/credence-stream/credence/testenv/probe"
)

// outcome is all that a group left behind.
type outcome struct {
	states  map[string]string // partition and key -> stored value, snapshot and place in the log
	outputs map[string]string // partition and offset of the input, topic kind -> the message
	repeats int
	// rewritten are outputs that came again with other bytes, by another release.
	rewritten map[string]string
}

// observer reads what a group left behind.
type observer struct {
	log   *kafka.Log
	store *redis.Store
	group group
	input string
	// releases says that several were at work, which may write the same output with other
	// bytes.
	releases bool
}

func observe(t *testing.T, client *kafka.Client, g group, input string) *observer {
	t.Helper()
	cluster, err := client.ClusterID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	store, err := redis.Open(redis.Options{URL: g.redis, Cluster: cluster, Group: g.name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	log, err := kafka.NewLog(client, 32<<20)
	if err != nil {
		t.Fatal(err)
	}
	return &observer{log: log, store: store, group: g, input: input}
}

// behind returns how far the stored watermarks are from the ends of the log together.
func (o *observer) behind(ctx context.Context) (int64, error) {
	n, err := o.log.Partitions(ctx, o.input)
	if err != nil {
		return 0, err
	}
	behind := int64(0)
	for p := range n {
		part := pipeline.Partition{Topic: o.input, ID: int32(p)}
		_, end, err := o.log.Bounds(ctx, part)
		if err != nil {
			return 0, err
		}
		meta, err := o.store.Meta(ctx, part)
		if err != nil {
			return 0, err
		}
		behind += end - max(0, meta.Watermark)
	}
	return behind, nil
}

// outcome reads states and outputs, and checks what holds for every group: a
// repeated output is byte-identical, and first occurrences per key are in the
// order of the input.
func (o *observer) outcome(t *testing.T) outcome {
	t.Helper()
	for _, topic := range []string{o.group.output, o.group.output + ".alerts", o.group.name + "-dead"} {
		o.led(t, topic)
	}
	out := outcome{states: o.states(t), outputs: map[string]string{}, rewritten: map[string]string{}}
	o.readOutputs(t, o.group.output, &out)
	o.readOutputs(t, o.group.output+".alerts", &out)
	o.readDead(t, &out)
	return out
}

// led waits until every partition of a topic has a leader, which it may not yet
// have when the last broker is back.
func (o *observer) led(t *testing.T, topic string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	err := probe.Until(ctx, func(ctx context.Context) error {
		n, err := o.log.Partitions(ctx, topic)
		for p := range n {
			_, _, of := o.log.Bounds(ctx, pipeline.Partition{Topic: topic, ID: int32(p)})
			err = errors.Join(err, of)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// states reads all states.
func (o *observer) states(t *testing.T) map[string]string {
	t.Helper()
	states := map[string]string{}
	n, err := o.log.Partitions(t.Context(), o.input)
	if err != nil {
		t.Fatal(err)
	}
	for p := range n {
		part := pipeline.Partition{Topic: o.input, ID: int32(p)}
		keys, err := o.store.Keys(t.Context(), part, "", "", 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			value, err := o.store.Get(t.Context(), part, key)
			if err != nil {
				t.Fatal(err)
			}
			states[fmt.Sprintf("%d %s", p, key)] = string(value)
		}
	}
	return states
}

// readOutputs reads a topic of what was published. What comes again has to be the same,
// and so counts once: alerts are told exactly as often as an undisturbed run tells them.
func (o *observer) readOutputs(t *testing.T, topic string, out *outcome) {
	t.Helper()
	last := map[string]int64{}
	err := o.log.Tail(t.Context(), topic, kafka.TailOptions{UntilEnd: true}, func(_ pipeline.Partition, r *pipeline.Record) error {
		source, id := header(r, "ce_source"), header(r, "ce_id")
		place := strings.TrimPrefix(source, "/"+o.group.name) + " " + id
		message := fmt.Sprintf("%d\n%s\n%s", r.Time, r.Key, r.Value)
		for _, h := range r.Headers {
			if h.Key != "ce_source" {
				message += fmt.Sprintf("\n%s: %s", h.Key, h.Value)
			}
		}
		if old, ok := out.outputs[place]; ok {
			out.repeats++
			if old != message && !o.releases {
				t.Errorf("%s was published twice with different bytes", place)
			}
			if old != message {
				out.rewritten[place] = message
			}
			return nil
		}
		out.outputs[place] = message
		var offset int64
		if _, err := fmt.Sscan(id, &offset); err != nil {
			return fmt.Errorf("ce_id %q: %w", id, err)
		}
		of := source + " " + string(r.Key)
		if before, ok := last[of]; ok && offset < before {
			t.Errorf("%s: offset %d came first after offset %d", of, offset, before)
		}
		last[of] = offset
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (o *observer) readDead(t *testing.T, out *outcome) {
	t.Helper()
	err := o.log.Tail(t.Context(), o.group.name+"-dead", kafka.TailOptions{UntilEnd: true}, func(_ pipeline.Partition, r *pipeline.Record) error {
		place := "dead " + header(r, "__connect.errors.partition") + " " + header(r, "__connect.errors.offset")
		message := fmt.Sprintf("%d\n%s\n%s\n%s", r.Time, r.Key, r.Value, header(r, "__connect.errors.exception.message"))
		if old, ok := out.outputs[place]; ok && old != message {
			t.Errorf("%s became two dead letters with different bytes", place)
		}
		out.outputs[place] = message
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// alerts counts those that were told of.
func (got outcome) alerts() (rose, fell int) {
	for place, message := range got.outputs {
		switch {
		case !strings.Contains(place, "/alerts/"):
		case strings.Contains(message, "raised"):
			rose++
		default:
			fell++
		}
	}
	return rose, fell
}

func header(r *pipeline.Record, key string) string {
	v, _ := r.Header(key)
	return string(bytes.Clone(v))
}

// equal reports every difference from an undisturbed run.
func (got outcome) equal(t *testing.T, want outcome) {
	t.Helper()
	differ := func(what string, got, want map[string]string) {
		wrong, missing, extra := 0, 0, 0
		for k, v := range want {
			if g, ok := got[k]; !ok {
				missing++
				if missing <= 3 {
					t.Errorf("%s %s is missing", what, k)
				}
			} else if g != v {
				wrong++
				if wrong <= 3 {
					t.Errorf("%s %s is not that of an undisturbed run", what, k)
				}
			}
		}
		for k := range got {
			if _, ok := want[k]; !ok {
				extra++
				if extra <= 3 {
					t.Errorf("%s %s is not in an undisturbed run", what, k)
				}
			}
		}
		t.Logf("%ss: %d compared, %d wrong, %d missing, %d extra", what, len(want), wrong, missing, extra)
	}
	differ("state", got.states, want.states)
	if want.outputs == nil { // states alone
		return
	}
	rose, fell := want.alerts()
	if t.Logf("alerts of the undisturbed run: %d rose, %d fell", rose, fell); rose == 0 || fell == 0 {
		t.Error("no alert rose and fell: nothing is compared")
	}
	differ("output", got.outputs, want.outputs)
}

// same reports states that are not what they were.
func same(t *testing.T, before, after map[string]string) {
	t.Helper()
	outcome{states: after}.equal(t, outcome{states: before})
}
