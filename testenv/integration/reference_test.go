//go:build unix

package integration

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/probe"
	"github.com/credence-stream/credence/testenv/programs"
)

// realData is a real data set with what folds it and what should come out.
type realData struct {
	name, kind string
	cuts       []int // rows per shard, with a key for each; 0: all rows in one
	load       func(t *testing.T) *experiment
	heavy      bool // takes minutes under the race detector
}

// experiment is a real data set made ready.
type experiment struct {
	columns  string // of the entry of models, in YAML
	settings string
	publish  string // more than scale: model
	rows     *table // in their order
	asked    *table // rows that have no response, a last shard of their own; nil: none
	check    func(t *testing.T, cut int, got outcome)
}

// outcome is what came out in the end.
type outcome struct {
	posterior
	predictions []prediction // of the rows that were asked
}

type prediction struct {
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
	Low  float64 `json:"q2.5"`
	High float64 `json:"q97.5"`
}

// TestReference streams real data sets, all of them through one topic,
// producer, consumer and store, and compares what comes out with the posterior
// of all their rows, found by programs that have nothing to do with this one.
func TestReference(t *testing.T) {
	if testing.Short() {
		t.Skip("the figures of real data are not for a short run")
	}
	var sets []realData
	experiments := map[string]*experiment{}
	entries, asks := "", false
	for _, d := range allRealData() {
		if !slices.Contains(models.Kinds().Names(), d.kind) {
			t.Logf("LEFT OUT: %s needs the model %s, which this version does not have", d.name, d.kind)
			continue
		}
		if probe.Raced() && d.heavy {
			t.Logf("LEFT OUT: %s takes minutes under the race detector", d.name)
			continue
		}
		e := d.load(t)
		asks = asks || e.asked != nil
		sets, experiments[d.name] = append(sets, d), e
		entries += fmt.Sprintf(`
  - match: %s/*
    kind: %s
    columns: {%s}
    publish: {scale: model%s}
    settings: {%s}`, d.name, d.kind, e.columns, e.publish, e.settings)
	}
	each(t, func(t *testing.T, env *testenv.Env) {
		const record = "33619968" // limits.record and a little more: some shards are a whole data set
		w := newWorld(t, env, setup{topic: map[string]string{"max.message.bytes": record}, kafka: ", format: json", models: entries})
		for _, d := range sets {
			w.replay(t, d, experiments[d.name], "first", d.cuts...)
		}
		w.settle(t)
		got := w.outcomes(t, asks)
		before := map[string]posterior{}
		for _, d := range sets {
			for _, cut := range d.cuts {
				key := d.key(cut)
				t.Run(key, func(t *testing.T) {
					p, e := got[key], experiments[d.name]
					if shards, rows := e.size(cut); p.T != shards || p.N != rows {
						t.Fatalf("t %d, n %d; want %d, %d\n%s", p.T, p.N, shards, rows, w.complaints(t))
					}
					e.check(t, cut, p)
					stored := w.get(t, key)
					for name, v := range p.variable {
						if stored.variable[name] != v {
							t.Errorf("%s is %v in the topic and %v in the store", name, v, stored.variable[name])
						}
					}
					before[key] = stored
				})
			}
		}
		// A run that is sent once more changes nothing, another one does.
		for _, d := range sets {
			w.replay(t, d, experiments[d.name], "first", d.cuts[0])
		}
		w.settle(t)
		w.same(t, "before the repeated run", before)
		first, cut := sets[0], sets[0].cuts[0]
		w.replay(t, first, experiments[first.name], "second", cut)
		w.settle(t)
		shards, rows := experiments[first.name].size(cut)
		if p := w.get(t, first.key(cut)); p.T != 2*shards || p.N != 2*rows {
			t.Errorf("after a second run: t %d, n %d", p.T, p.N)
		}
	})
}

// key is the key that a data set has when it is cut that way.
func (d realData) key(cut int) string {
	if cut == 0 {
		return d.name + "/all"
	}
	return fmt.Sprintf("%s/%d", d.name, cut)
}

// size is the number of shards and of rows to absorb.
func (e *experiment) size(cut int) (shards, rows int64) {
	n := len(e.rows.lines)
	if cut == 0 {
		cut = n
	}
	shards = int64((n + cut - 1) / cut)
	if e.asked != nil {
		shards++
	}
	return shards, int64(n)
}

// replay sends a data set, cut in each of these ways.
func (w *world) replay(t *testing.T, d realData, e *experiment, run string, cuts ...int) {
	t.Helper()
	send := func(what *table, run, key string, rows int) {
		got := programs.Run(t, filepath.Join(binaries, "producer"), "replay", "--input", what.file(t), "--key", key,
			"--rows", fmt.Sprint(rows), "--run-id", run, "--topic", w.input, "--brokers", w.env.Brokers()[0])
		if got.Code != 0 {
			t.Fatalf("producer: exit %d\n%s", got.Code, got.Messages)
		}
	}
	for _, cut := range cuts {
		rows := cut
		if cut == 0 {
			rows = len(e.rows.lines)
		}
		send(e.rows, run, d.key(cut), rows)
		if e.asked != nil {
			send(e.asked, run+"-asked", d.key(cut), len(e.asked.lines))
		}
	}
}

// outcomes returns the last posterior of each key and, where there are
// predictions, its last ones.
func (w *world) outcomes(t *testing.T, predictions bool) map[string]outcome {
	t.Helper()
	all := map[string]outcome{}
	for _, p := range w.tail(t) {
		all[p.Key] = outcome{posterior: p}
	}
	if !predictions {
		return all
	}
	for _, r := range read(t, w.env, w.output+".predictions") {
		var message struct {
			Predictions []prediction `json:"predictions"`
		}
		if err := json.Unmarshal(r.Value, &message); err != nil {
			t.Fatalf("%v: %.300s", err, r.Value)
		}
		o := all[string(r.Key)]
		o.predictions = message.Predictions
		all[string(r.Key)] = o
	}
	return all
}

// complaints are the reasons on the dead letters.
func (w *world) complaints(t *testing.T) string {
	t.Helper()
	var all []string
	for _, r := range read(t, w.env, w.dead) {
		for _, h := range r.Headers {
			if h.Key == "__connect.errors.exception.message" {
				all = append(all, fmt.Sprintf("%s: %s", r.Key, h.Value))
			}
		}
	}
	return fmt.Sprintf("%d dead letters\n%s", len(all), strings.Join(slices.Compact(all), "\n"))
}
