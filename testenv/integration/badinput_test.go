//go:build unix

package integration

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/probe"
	"github.com/credence-stream/credence/testenv/programs"
)

// memoryBound is what a consumer with memory: {inflight: 64MiB} may need while
// it meets records of 40 MB, in three forms (as fetched, as record, as the
// dead letter's batch), and what asks for hundreds of gigabytes.
const memoryBound = 400 << 20

// bounded checks the most memory that the process has had.
func bounded(t *testing.T, s *programs.Service) {
	t.Helper()
	peak, ok := s.Peak(t)
	if !ok || probe.Raced() {
		return
	}
	t.Logf("peak memory of the process: %d MiB, allowed are %d MiB", peak>>20, memoryBound>>20)
	if peak > memoryBound {
		t.Errorf("peak memory %d MiB", peak>>20)
	}
}

// TestBadInput sends one record of every kind that cannot be applied, each
// followed by one that can.
func TestBadInput(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{partitions: 1, topic: map[string]string{"max.message.bytes": strconv.Itoa(64 << 20)}, models: badModels})
		rng := rand.New(rand.NewPCG(8, 1))
		c := franz(t, env, kgo.ProducerBatchMaxBytes(64<<20), kgo.ProducerBatchCompression(kgo.NoCompression()))
		at := time.UnixMilli(1_600_000_000_000)
		record := func(key, value []byte) *kgo.Record {
			at = at.Add(time.Second)
			return &kgo.Record{Topic: w.input, Key: key, Value: value, Timestamp: at, Headers: []kgo.RecordHeader{
				{Key: "trace", Value: []byte{0, 0xff}}, {Key: "trace", Value: []byte{}}, {Key: "", Value: []byte("no name")}, {Key: "null"},
			}}
		}
		all := badRecords(t, rng)
		letters := map[string]*bad{} // by offset
		sent := map[string]*kgo.Record{}
		stages := map[string]float64{}
		var clean []*kgo.Record // what would have been sent without the bad ones
		s := w.start(t, "--set", "memory.inflight=64MiB")
		follow := func(value []byte) {
			r := record([]byte(goodKey), value)
			send(t, c, r)
			clean = append(clean, r)
		}
		follow(good(t, rng))
		for i := range all {
			r := record(all[i].key, all[i].value)
			send(t, c, r)
			offset := strconv.FormatInt(r.Offset, 10)
			letters[offset], sent[offset] = &all[i], r
			stages[all[i].stage]++
			follow(good(t, rng))
		}
		// A missing feature is no reason to refuse a shard here: its row is dropped.
		nan := math.NaN()
		follow(stream(t, nil, column{"x", []float64{1, nan, 2, nan}}, column{"z", []float64{1, 2, 3, 4}}, column{"y", []float64{1, 2, 3, 4}}))
		w.caughtUp(t)

		s.Readiness(t, 200)
		bounded(t, s)
		for stage, n := range stages {
			if got := s.Metric(t, "records_dead_lettered_total", `stage="`+stage+`"`); got != n {
				t.Errorf("records_dead_lettered_total of stage %s is %v, want %v", stage, got, n)
			}
		}
		if got := s.Metric(t, "rows_dropped_total"); got != 2 {
			t.Errorf("rows_dropped_total is %v, want 2", got)
		}
		p := w.get(t, goodKey)
		if n := int64(len(all)+1)*feederRows + 2; p.T != int64(len(clean)) || p.N != n {
			t.Errorf("%s: t %d, n %d; want %d, %d", goodKey, p.T, p.N, len(clean), n)
		}
		s.Stop(t)

		for _, r := range read(t, env, w.dead) {
			letter(t, r, letters, sent)
		}
		for offset, b := range letters {
			t.Errorf("%s: no dead letter of offset %s", b.name, offset)
		}
		undisturbed(t, env, clean, p)
	})
}

// letter compares a dead letter with the record that it stands for.
func letter(t *testing.T, r *kgo.Record, letters map[string]*bad, sent map[string]*kgo.Record) {
	t.Helper()
	about := map[string]string{}
	own := 0 // headers of the record itself, which come first
	for i, h := range r.Headers {
		if name, ok := strings.CutPrefix(h.Key, "__connect.errors."); ok {
			about[name] = string(h.Value)
		} else {
			own = i + 1
		}
	}
	if len(about) < 6 {
		t.Fatalf("a dead letter has only %d headers about it", len(about))
	}
	b, want := letters[about["offset"]], sent[about["offset"]]
	if b == nil {
		t.Errorf("offset %q is dead: %s", about["offset"], about["exception.message"])
		return
	}
	delete(letters, about["offset"])
	if about["stage"] != b.stage || !strings.Contains(about["exception.message"], b.reason) || about["exception.message"] == "" {
		t.Errorf("%s: stage %q, message %q; want %s, ...%s...", b.name, about["stage"], about["exception.message"], b.stage, b.reason)
	}
	if about["topic"] != want.Topic || about["partition"] != "0" || about["exception.class.name"] == "" {
		t.Errorf("%s: headers %v", b.name, about)
	}
	if sum, out := about["value.sha256"]; out {
		leftOut(t, b.name, r, want, about["value.bytes"], sum)
		return
	}
	if !identical(r.Key, want.Key) || !identical(r.Value, want.Value) || !r.Timestamp.Equal(want.Timestamp) {
		t.Errorf("%s: key, value or timestamp is not that of the record: %q %d bytes %v, want %q %d bytes %v",
			b.name, r.Key, len(r.Value), r.Timestamp, want.Key, len(want.Value), want.Timestamp)
	}
	if own != len(want.Headers) {
		t.Errorf("%s: %d headers of its own, want %d", b.name, own, len(want.Headers))
		return
	}
	for i, h := range want.Headers {
		if g := r.Headers[i]; g.Key != h.Key || !identical(g.Value, h.Value) {
			t.Errorf("%s: header %d is %v, want %v", b.name, i, g, h)
		}
	}
	t.Logf("%-30s %-6s %s", b.name, about["stage"], about["exception.message"])
}

// leftOut compares a dead letter without its record's value with the record.
func leftOut(t *testing.T, name string, r, want *kgo.Record, bytes, sum string) {
	t.Helper()
	if is := fmt.Sprintf("%x", sha256.Sum256(want.Value)); bytes != strconv.Itoa(len(want.Value)) || sum != is || len(want.Value) < 1000<<10 {
		t.Errorf("%s: left out are %s bytes with the sum %s, want %d, %s", name, bytes, sum, len(want.Value), is)
	}
	if !identical(r.Key, want.Key) || len(r.Value) > 0 || !r.Timestamp.Equal(want.Timestamp) {
		t.Errorf("%s: key %q, %d bytes, %v, want %q, none, %v", name, r.Key, len(r.Value), r.Timestamp, want.Key, want.Timestamp)
	}
	t.Logf("%-30s left out: %s bytes", name, bytes)
}

// identical tells null from empty.
func identical(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }

// undisturbed sends the good records alone to a topic of their own: the key's
// posterior must be the same.
func undisturbed(t *testing.T, env *testenv.Env, clean []*kgo.Record, want posterior) {
	t.Helper()
	w := newWorld(t, env, setup{partitions: 1, models: badModels})
	for _, r := range clean {
		send(t, w.kafka, &kgo.Record{Topic: w.input, Key: r.Key, Value: r.Value, Timestamp: r.Timestamp})
	}
	w.settle(t)
	got := w.get(t, goodKey)
	offset := regexp.MustCompile(`(,"outliers":{"rows":1,"t":24),"offset":\d+`) // of the last shard, which is wild
	from := func(p posterior) string {
		if !offset.MatchString(p.text) {
			t.Errorf("no outliers: %s", p.text)
		}
		return offset.ReplaceAllString(p.text[strings.Index(p.text, `"n_eff"`):], "$1")
	}
	if from(got) != from(want) {
		t.Errorf("bad records have left a trace:\n%s%s", want.text, got.text)
	}
}

// TestBomb sends a batch of a few kilobytes that unpacks to 200 MB: it is
// passed over by its offsets, and reported without its value.
func TestBomb(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{partitions: 1})
		f := w.feeder(t, 1)
		s := w.start(t)
		f.send(t, 1)
		bomb := franz(t, env, kgo.ProducerBatchCompression(kgo.ZstdCompression()), kgo.ProducerBatchMaxBytes(256<<20), kgo.BrokerMaxWriteBytes(512<<20))
		send(t, bomb, &kgo.Record{Topic: w.input, Key: []byte("k/0"), Value: make([]byte, 200<<20)})
		f.send(t, 1)
		w.caughtUp(t)
		f.complete(t, w)
		bounded(t, s)
		dead := read(t, env, w.dead)
		if len(dead) != 1 || dead[0].Value != nil || dead[0].Key != nil {
			t.Fatalf("%d dead letters, want one without key and value", len(dead))
		}
		for _, h := range dead[0].Headers {
			if h.Key == "__connect.errors.exception.message" {
				t.Logf("%s", h.Value)
			}
			if h.Key == "__connect.errors.stage" && string(h.Value) != "decode" {
				t.Errorf("stage %s", h.Value)
			}
		}
		s.Stop(t)
	})
}
