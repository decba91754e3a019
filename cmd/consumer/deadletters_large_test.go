package main

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// A record larger than the dead letter topic takes halts nothing: its letter
// says where it is, and a replay reads it there.
func TestReplayOfLargeRecords(t *testing.T) {
	const rows = 3000 // 48 kB that nothing packs
	w := newWorldOf(t, "format: json", `models: [{match: "**", kind: linear}]
limits: {rows: 2, dead_letter: 16KiB}`)
	conn := w.connect(w.config())
	if err := conn.Client.Create(t.Context(), kafka.LetterTopic("shards.dead", 2, 20_000)); err != nil {
		t.Fatal(err)
	}
	b := incompressible(rows)
	keys := []string{"a", "b/1"}
	w.sendShards(keys, []*cdf.Batch{b, b})
	w.allDie()
	input := w.read("shards")
	letters := w.once("shards.dead")
	if len(letters) != 4 || len(letters[0].Value) > 0 {
		t.Fatalf("%d letters, the first with %d bytes", len(letters), len(letters[0].Value))
	}
	size := strconv.Itoa(len(input[0].Value))
	out, _ := w.must("dead-letters", "list", "--format", "json")
	if strings.Count(out, `"bytes":`+size+`,"left_out":true`) != 4 {
		t.Errorf("list:\n%s", out)
	}
	w.amend("rows: 2", "rows: 10000")
	w.must("run", "--until-end")
	if _, messages := w.must("dead-letters", "replay"); !strings.Contains(messages, "4 letters sent") {
		t.Errorf("replay: %s", messages)
	}
	replayedAsTheyWere(t, input, w.read("shards"))
	w.must("run", "--until-end")
	for _, key := range keys {
		if got, _ := w.must("get", key); !strings.Contains(got, `"t":2,"n":6000,`) {
			t.Errorf("%s: %.200s", key, got)
		}
	}
	// A log that has been trimmed has them no more: replay says so, and goes on.
	if err := conn.Client.DeleteGroup(t.Context(), w.config().Kafka.Group+".dlq"); err != nil {
		t.Fatal(err)
	}
	for id := range int32(connect.Partitions) {
		w.trim(id, -1)
	}
	code, _, messages := w.consumer("dead-letters", "replay")
	if code != 1 || !strings.Contains(messages, "4 letters are left out") || !strings.Contains(messages, "the input topic has its record no more") {
		t.Errorf("replay of what is gone: exit %d %s", code, messages)
	}
}

// incompressible returns a shard of 16 bytes a row that nothing packs.
func incompressible(rows int) *cdf.Batch {
	b := &cdf.Batch{Rows: rows, Columns: []cdf.Column{{Name: "x"}, {Name: "y"}}}
	r := rand.New(rand.NewPCG(1, 1))
	for range rows {
		x := r.NormFloat64()
		b.Columns[0].Number = append(b.Columns[0].Number, x)
		b.Columns[1].Number = append(b.Columns[1].Number, 3+2*x+r.NormFloat64())
	}
	return b
}

// What a letter may hold can be larger than what a record may be. Letters are
// packed: they are read under their own limit, and one that no longer can be is
// never taken for dealt with.
func TestLettersAboveTheLimitOfRecords(t *testing.T) {
	w := newWorldOf(t, "format: json", `models: [{match: "**", kind: linear}]
limits: {record: 16KiB, dead_letter: 64KiB}`)
	w.send([]string{"a"}, 1) // makes the topic
	shard, err := arrow.Encode(incompressible(3000))
	if err != nil {
		t.Fatal(err)
	}
	plain := kafka.NewPublisher(w.connect(w.config()).Client, kafka.Plain)
	if _, err := plain.Publish(t.Context(), []pipeline.Output{{Topic: "shards", Key: []byte("a"), Value: shard}, {Topic: "shards", Key: []byte("a"), Value: []byte("no shard")}}); err != nil {
		t.Fatal(err)
	}
	w.must("run", "--until-end")
	size := strconv.Itoa(len(shard))
	if out, _ := w.must("dead-letters", "list", "--format", "json"); !strings.Contains(out, `"bytes":`+size+`,"left_out":false,"state":"open"`) {
		t.Errorf("list: %s", out)
	}
	w.amend("dead_letter: 64KiB", "dead_letter: 16KiB")
	if out, _ := w.must("dead-letters", "list", "--format", "json"); strings.Count(out, `"state":"unread"`) != 1 || strings.Count(out, `"state":"open"`) != 1 {
		t.Errorf("list of what is too large: %s", out)
	}
	code, _, messages := w.consumer("dead-letters", "replay")
	if code != 1 || !strings.Contains(messages, "too large for limits.dead_letter") || !strings.Contains(messages, "0 letters sent") {
		t.Errorf("replay of what is too large: exit %d %s", code, messages)
	}
	w.amend("record: 16KiB, dead_letter: 16KiB", "record: 64KiB, dead_letter: 64KiB")
	if _, messages := w.must("dead-letters", "replay"); !strings.Contains(messages, "2 letters sent") {
		t.Errorf("replay: %s", messages)
	}
	w.must("run", "--until-end")
	if got, _ := w.must("get", "a"); !strings.Contains(got, `"t":2,`) {
		t.Errorf("%.200s", got)
	}
}
