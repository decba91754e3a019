package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/connect"
	"github.com/credence-stream/credence/cmd/consumer/state"
	"github.com/credence-stream/credence/cmd/internal/replay"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// ask sends a request that is not ours to make.
func ask[R kmsg.Response](w *world, q interface {
	RequestWith(context.Context, kmsg.Requestor) (R, error)
},
) R {
	w.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(w.env.Brokers()...))
	if err != nil {
		w.Fatal(err)
	}
	defer c.Close()
	r, err := q.RequestWith(w.Context(), c)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// trim deletes the records of a partition of the input below an offset.
func (w *world) trim(partition int32, offset int64) {
	w.Helper()
	q, t, p := kmsg.NewPtrDeleteRecordsRequest(), kmsg.NewDeleteRecordsRequestTopic(), kmsg.NewDeleteRecordsRequestTopicPartition()
	p.Partition, p.Offset = partition, offset
	t.Topic, t.Partitions = "shards", append(t.Partitions, p)
	q.Topics = append(q.Topics, t)
	if r := ask(w, q); r.Topics[0].Partitions[0].ErrorCode != 0 {
		w.Fatalf("%+v", r)
	}
}

// recreate makes the input topic again, empty.
func (w *world) recreate(partitions int) {
	w.Helper()
	q, t := kmsg.NewPtrDeleteTopicsRequest(), kmsg.NewDeleteTopicsRequestTopic()
	t.Topic = kmsg.StringPtr("shards")
	q.Topics, q.TopicNames = append(q.Topics, t), []string{"shards"}
	if r := ask(w, q); r.Topics[0].ErrorCode != 0 {
		w.Fatalf("%+v", r)
	}
	w.topic(kafka.Topic{Name: "shards", Partitions: partitions})
}

// metas is what the store says of all partitions of a group.
func (w *world) metas(group string) (all []pipeline.Meta) {
	w.Helper()
	c := w.config()
	c.Kafka.Group = group
	conn := w.opened(c)
	for id := range int32(connect.Partitions) {
		m, err := conn.Store.Meta(w.Context(), pipeline.Partition{Topic: c.Kafka.Input, ID: id})
		if err != nil {
			w.Fatal(err)
		}
		all = append(all, m)
	}
	return all
}

// home is the partition of a key.
func home(key string) int32 { return kafka.PartitionOf([]byte(key), connect.Partitions) }

// A file that is of another log is refused before anything is changed,
// whatever is wrong with it.
func TestImportRefusesAnotherLog(t *testing.T) {
	for _, c := range []struct {
		name, why string
		change    func(*world)
	}{
		{"partitions added", fmt.Sprintf("it is of %d partitions, topic shards has %d", connect.Partitions, connect.Partitions+2), func(w *world) { w.partitions("shards", connect.Partitions+2) }},
		{"an empty topic", "was recreated: it has the id", func(w *world) { w.recreate(connect.Partitions) }},
		{"as many other records", "was recreated: it has the id", func(w *world) {
			w.recreate(connect.Partitions)
			w.send(stateKeys, 4)
		}},
		{"records gone that were never applied", "are gone that it does not know", func(w *world) {
			w.send(stateKeys, 2)
			m := w.metas(w.config().Kafka.Group)
			w.trim(home("b"), m[home("b")].Watermark+1)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := settled(t)
			file := w.exported()
			c.change(w)
			before := w.metas("third")
			code, _, messages := w.consumer("state", "import", "--in", file, "--set", "kafka.group=third", "--force", "--yes")
			if code != 1 || !strings.Contains(messages, c.why) {
				t.Errorf("exit %d %s, want %q", code, messages, c.why)
			}
			if after := w.metas("third"); !reflect.DeepEqual(before, after) || slices.ContainsFunc(after, func(m pipeline.Meta) bool { return m.Exists || m.Owner != "" }) {
				t.Errorf("refused, and the group has %+v", after)
			}
		})
	}
}

// An import beside live consumers is refused, and one beside a consumer that
// started in between changes nothing of its partition: it is run again.
func TestImportBesideAConsumer(t *testing.T) {
	w := settled(t)
	file := w.exported()
	p := w.serve(nil)
	w.eventually("the group has a member", func() bool {
		code, _, messages := w.consumer("state", "import", "--in", file, "--force", "--yes")
		return code == 1 && strings.Contains(messages, "live members")
	})
	p.end()
	w.must("state", "import", "--in", file, "--force", "--yes")
	w.must("verify")
}

// Where the log no longer has what a state was made of, repair drops nothing,
// and verify says what it can't tell.
func TestRepairOnATrimmedLog(t *testing.T) {
	w := settled(t)
	if out, messages := w.must("verify"); out != "" || !strings.Contains(messages, "5 keys match the log, 0 differ") {
		t.Fatal(messages)
	}
	w.trim(home("a/1"), 1)
	out, messages := w.must("verify")
	if out != "" || !strings.Contains(messages, "1 key has shards that are gone and cannot be verified") || strings.Contains(messages, "5 keys are what") {
		t.Errorf("verify: %s\n%s", messages, out)
	}
	client, hash, cell := w.cell("a/1")
	client.HSet(t.Context(), hash, "a/1", cell[:20]+"?"+cell[21:])
	before := w.metas(w.config().Kafka.Group)
	for _, more := range [][]string{nil, {"--partition", fmt.Sprint(home("a/1"))}} {
		code, out, messages := w.consumer(append([]string{"state", "repair", "--yes", "--json"}, more...)...)
		if code != 1 || !strings.Contains(out, "restore the store or import an export: the log begins at 1") || !strings.Contains(messages, "1 partition needs a decision") {
			t.Errorf("repair %v: exit %d %s\n%s", more, code, messages, out)
		}
		if after := w.metas(w.config().Kafka.Group); !reflect.DeepEqual(before, after) {
			t.Errorf("repair %v has changed %+v to %+v", more, before, after)
		}
	}
}

// A key that a foreign partitioner has sent into two partitions has a model in
// each: every command that meets it says so, and deletes both.
func TestAKeyInTwoPartitions(t *testing.T) {
	w := newWorld(t, "format: json")
	w.topic(kafka.Topic{Name: "shards", Partitions: connect.Partitions})
	value, err := arrow.Encode(&cdf.Batch{Rows: 3, Columns: []cdf.Column{{Name: "x", Number: []float64{1, 2, 3}}, {Name: "y", Number: []float64{1, 3, 4}}}})
	if err != nil {
		t.Fatal(err)
	}
	own, other := home("a"), (home("a")+1)%connect.Partitions
	for _, id := range []int32{own, other, other} {
		w.records(kgo.Record{Topic: "shards", Partition: id, Key: []byte("a"), Value: value})
	}
	w.must("run", "--until-end")
	ids := []string{fmt.Sprint(min(own, other)), fmt.Sprint(max(own, other))}
	out, messages := w.must("get", "a")
	if !strings.Contains(messages, fmt.Sprintf("partitions %d and %d both have a model", own, other)) || !strings.Contains(out, `"t":1,`) {
		t.Errorf("get: %s\n%s", messages, out)
	}
	out, messages = w.must("verify")
	if out != "" || !strings.Contains(messages, `key "a" has a model in each of the partitions `+strings.Join(ids, ", ")+fmt.Sprintf(", and murmur2 puts it into %d", own)) ||
		!strings.Contains(messages, "2 keys match the log, 0 differ") {
		t.Errorf("verify: %s\n%s", messages, out)
	}
	if _, messages := w.must("verify", "--key", "b"); strings.Contains(messages, "has a model in each") {
		t.Errorf("verify of another key: %s", messages)
	}
	out, _ = w.must("state", "list", "--format", "json")
	var listed []string
	for line := range strings.Lines(out) {
		var l state.Line
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		listed = append(listed, fmt.Sprint(l.Partition))
	}
	if !slices.Equal(listed, ids) {
		t.Errorf("list: partitions %q, want %q", listed, ids)
	}
	if _, messages := w.must("state", "delete", "a", "--yes", "--wait", "0"); !strings.Contains(messages, "2 tombstones sent") {
		t.Errorf("delete: %s", messages)
	}
	if _, messages := w.must("state", "delete", "a", "a", "--yes", "--wait", "0"); !strings.Contains(messages, "1 key, the first") || !strings.Contains(messages, "2 tombstones sent") {
		t.Errorf("delete of a key that is named twice: %s", messages)
	}
	w.must("run", "--until-end")
	if out, _ := w.must("state", "list"); out != "" {
		t.Errorf("after the deletion: %s", out)
	}
}

// While shards flow, verify sees nothing wrong: three times the watermark must
// have moved under it.
func TestVerifyBesideAConsumer(t *testing.T) {
	w := settled(t)
	group := w.config().Kafka.Group
	sum := func() (n int64) {
		for _, m := range w.metas(group) {
			n += m.Watermark
		}
		return n
	}
	p := w.serve(nil)
	conn := w.connect(w.config())
	ctx, cancel := context.WithCancel(t.Context())
	flows := make(chan error, 1)
	go func() {
		sender := conn.NewSender("shards", 0)
		for n := int64(4); ctx.Err() == nil; n++ {
			for i, key := range append([]string{fmt.Sprintf("new/%d", n%50)}, stateKeys...) {
				x := []float64{float64(n % 17), float64(i)}
				b := &cdf.Batch{Rows: 2, Columns: []cdf.Column{{Name: "x", Number: x}, {Name: "y", Number: []float64{1 + x[0], 2 + x[1]}}}}
				if err := sender.Send(ctx, replay.Shard{Key: key, N: n, Batch: b}); err != nil && ctx.Err() == nil {
					flows <- err
					return
				}
			}
			if err := sender.Flush(ctx); err != nil && ctx.Err() == nil {
				flows <- err
				return
			}
		}
		flows <- nil
	}()
	moved := 0
	w.eventually("verified three times under a moving watermark", func() bool {
		before := sum()
		code, out, messages := w.consumer("verify", "--format", "json")
		if code != 0 || out != "" || !strings.Contains(messages, " 0 differ") {
			t.Fatalf("verify: exit %d %s\n%s", code, messages, out)
		}
		if sum() > before {
			moved++
		}
		return moved == 3
	})
	cancel()
	if err := <-flows; err != nil {
		t.Error(err)
	}
	p.end()
	w.must("verify")
}
