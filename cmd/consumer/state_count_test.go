package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/pipeline"
)

// stateRedis is a client of the store, and the prefix of what it has of a partition, or with the id -1
// of the topic.
func (w *world) stateRedis(id int) (client *redis.Client, prefix string) {
	w.Helper()
	client, hash, _ := w.cell(stateKeys[0])
	scope, _, _ := strings.Cut(hash, "}:")
	scope = scope[:strings.LastIndexByte(scope, '/')]
	if id >= 0 {
		scope += fmt.Sprintf("/%d", id)
	}
	return client, scope + "}:"
}

// drop deletes what Redis has under names.
func (w *world) drop(client *redis.Client, names ...string) {
	w.Helper()
	if n, err := client.Del(w.Context(), names...).Result(); err != nil || n != int64(len(names)) {
		w.Fatalf("%d of %q deleted, error %v", n, names, err)
	}
}

// manyKeys are enough for their partitions to tell how many there were.
func manyKeys() (keys []string) {
	keys = append(keys, stateKeys...)
	for i := range 20 {
		keys = append(keys, fmt.Sprintf("many/%d", i))
	}
	return keys
}

// TestLostCountIsFoundByTheKeys: the store has lost the number of partitions, and the topic was given
// some since. Nothing goes on as if nothing was, and repair finds the number: after a rescaling
// all is as in a group that never met this.
func TestLostCountIsFoundByTheKeys(t *testing.T) {
	w := newWorld(t, "format: json")
	keys := manyKeys()
	w.send(keys, 3)
	w.must("run", "--until-end")
	twin := []string{"--set", "kafka.group=twin", "--set", "kafka.output=twins"}
	w.must(append([]string{"run", "--until-end"}, twin...)...)
	client, topic := w.stateRedis(-1)
	w.drop(client, topic+"topic")
	more := connect.Partitions + 2
	w.partitions("shards", int32(more))
	file := filepath.Join(t.TempDir(), "s.arrows")
	const lost = "the store has lost how many partitions topic shards had"
	for _, args := range [][]string{
		{"run", "--until-end"}, {"verify"}, {"state", "export", "--out", file},
		{"rescale", "--to", fmt.Sprint(more), "--yes"}, {"check"},
	} {
		if code, out, messages := w.consumer(args...); code != 1 || !strings.Contains(out+messages, lost) || !strings.Contains(out+messages, "state repair") {
			t.Errorf("%v: exit %d\n%s%s", args, code, out, messages)
		}
	}
	code, out, messages := w.consumer("state", "repair", "--json")
	if code != 2 || strings.Count(out, lost) != more || !strings.Contains(messages, "topic shards had 4 partitions") || !strings.Contains(messages, "needs --yes") {
		t.Fatalf("repair: exit %d\n%s%s", code, out, messages)
	}
	w.must("state", "repair", "--yes")
	if code, _, messages := w.consumer("run", "--until-end"); code != 1 || !strings.Contains(messages, fmt.Sprintf("rescale --to %d", more)) {
		t.Errorf("run: exit %d\n%s", code, messages)
	}
	w.must("rescale", "--to", fmt.Sprint(more), "--yes", "--export", file)
	w.must(append([]string{"rescale", "--to", fmt.Sprint(more), "--yes", "--export", filepath.Join(t.TempDir(), "t.arrows")}, twin...)...)
	w.send(keys, 4)
	w.must("run", "--until-end")
	w.must(append([]string{"run", "--until-end"}, twin...)...)
	w.must("verify")
	for _, key := range keys {
		a, said := w.must("get", key)
		b, _ := w.must(append([]string{"get", key}, twin...)...)
		if a != b || said != "" || !strings.Contains(a, `"t":7,`) {
			t.Errorf("%s: %s\n%s, in the twin %s", key, said, a, b)
		}
	}
}

// TestRepairOfALostWatermark: a partition has states and no watermark, beside a lost count or not. It
// is rebuilt from the log while the topic is as it was; afterwards nothing can, and repair says so.
func TestRepairOfALostWatermark(t *testing.T) {
	w := settled(t)
	want := w.everything()
	for _, id := range []int{int(home("b")), int(home("a/1"))} {
		client, p := w.stateRedis(id)
		_, topic := w.stateRedis(-1)
		w.drop(client, p+"meta", topic+"topic")
		if code, _, messages := w.consumer("run", "--until-end"); code != 1 || !strings.Contains(messages, "halted (damaged)") || !strings.Contains(messages, "state repair") {
			t.Errorf("exit %d\n%s", code, messages)
		}
		code, out, messages := w.consumer("state", "repair", "--json")
		if code != 2 || strings.Count(out, "rebuilt from the log") != 1 || !strings.Contains(messages, "what is left of its state will be dropped") {
			t.Errorf("repair: exit %d\n%s%s", code, out, messages)
		}
		w.must("state", "repair", "--yes")
		w.must("run", "--until-end")
		w.must("verify")
		if now := w.everything(); !maps.Equal(now, want) {
			t.Errorf("rebuilt: %v, was %v", now, want)
		}
	}
	client, p := w.stateRedis(int(home("b")))
	w.drop(client, p+"meta")
	w.partitions("shards", connect.Partitions+1)
	code, out, messages := w.consumer("state", "repair", "--yes", "--json")
	if code != 1 || strings.Count(out, "can neither be moved nor rebuilt") != 1 || !strings.Contains(messages, "need a decision") {
		t.Errorf("repair of a topic that has grown: exit %d\n%s%s", code, out, messages)
	}
}

// TestLostCountThatKeysDoNotTell: where keys fit several numbers, or none, none is guessed.
func TestLostCountThatKeysDoNotTell(t *testing.T) {
	w := newWorld(t, "format: json")
	w.send(stateKeys[:1], 3)
	w.must("run", "--until-end")
	client, topic := w.stateRedis(-1)
	w.drop(client, topic+"topic")
	w.partitions("shards", 4*connect.Partitions)
	code, out, messages := w.consumer("state", "repair", "--yes", "--json")
	if code != 1 || !strings.Contains(out, "the 1 stored key into their partitions for each of the numbers") || !strings.Contains(messages, "need a decision") {
		t.Errorf("exit %d\n%s%s", code, out, messages)
	}
	layout, err := w.layout()
	if err != nil || layout.Partitions != pipeline.Unbegun {
		t.Errorf("%+v, %v", layout, err)
	}
}

// layout is what the store says of the topic.
func (w *world) layout() (pipeline.Layout, error) {
	c := w.config()
	conn := w.connect(c)
	if err := conn.OpenStore(w.Context(), c); err != nil {
		return pipeline.Layout{}, err
	}
	return conn.Store.Layout(w.Context(), c.Kafka.Input)
}
