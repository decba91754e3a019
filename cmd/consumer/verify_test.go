package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/pipeline"
)

// cell finds what Redis holds for a key and returns its hash.
func (w *world) cell(key string) (client *redis.Client, hash, cell string) {
	w.Helper()
	o, err := redis.ParseURL(w.env.RedisURL())
	if err != nil {
		w.Fatal(err)
	}
	client = redis.NewClient(o)
	w.Cleanup(func() { _ = client.Close() })
	names, err := client.Keys(w.Context(), "credence:*:state:*").Result()
	if err != nil {
		w.Fatal(err)
	}
	for _, name := range names {
		if cell, err := client.HGet(w.Context(), name, key).Result(); err == nil {
			return client, name, cell
		}
	}
	w.Fatalf("nothing is stored for key %q", key)
	return nil, "", ""
}

// restate changes the stored envelope of a key behind everybody's back, with
// checksums that fit.
func (w *world) restate(key string, change func(*pipeline.Envelope)) {
	w.Helper()
	client, hash, cell := w.cell(key)
	var e pipeline.Envelope
	if err := e.UnmarshalBinary([]byte(cell[1:])); err != nil {
		w.Fatal(err)
	}
	change(&e)
	if n := len(e.Snapshot) - 4; n > 0 {
		binary.LittleEndian.PutUint32(e.Snapshot[n:], crc32.Checksum(e.Snapshot[:n], crc32.MakeTable(crc32.Castagnoli)))
	}
	b, err := e.AppendBinary([]byte(cell[:1]))
	if err != nil {
		w.Fatal(err)
	}
	// The envelope's checksum begins where it does.
	b = binary.LittleEndian.AppendUint32(b[:len(b)-4], crc32.Checksum(b[1:len(b)-4], crc32.MakeTable(crc32.Castagnoli)))
	if err := client.HSet(w.Context(), hash, key, b).Err(); err != nil {
		w.Fatal(err)
	}
}

// A clean store is verified, also in many passes; a byte that was flipped in
// the middle of a snapshot, its checksums mended, is found and named.
func TestVerify(t *testing.T) {
	w := newWorldOf(t, "format: json", `models: [{match: "p/*", kind: poisson}, {match: "s", kind: dlm}, {match: "**", kind: linear}]
memory: {cache: 1MiB}`)
	var keys []string
	for i := range 300 {
		keys = append(keys, fmt.Sprintf("k/%d", i))
	}
	w.send(append(keys, "s", "p/1"), 3)
	w.must("run", "--until-end")
	out, messages := w.must("verify")
	if out != "" || !strings.Contains(messages, "301 keys match the log, 0 differ") || strings.Contains(messages, "arithmetic") {
		t.Fatalf("clean: %s\n%s", messages, out)
	}
	if _, messages := w.must("verify", "--key", "k/1*"); !strings.Contains(messages, "111 keys") {
		t.Errorf("some keys: %s", messages)
	}
	for _, c := range []struct {
		key, what string
		change    func(*pipeline.Envelope)
	}{
		{"k/7", "the snapshot differs from byte", func(e *pipeline.Envelope) { e.Snapshot[len(e.Snapshot)-40] ^= 1 }},
		{"s", "the snapshot differs from byte", func(e *pipeline.Envelope) { e.Snapshot[len(e.Snapshot)/2] ^= 1 }},
		{"k/8", "and by the log at", func(e *pipeline.Envelope) { e.Offset-- }},
		{"k/9", "the table of producers' runs differs", func(e *pipeline.Envelope) {
			if err := e.SetRepeats(nil); err == nil {
				t.Error("nothing is a table of repeats")
			}
			if err := e.SetRepeats([]byte{0}); err != nil {
				t.Error(err)
			}
		}},
	} {
		_, _, before := w.cell(c.key)
		w.restate(c.key, c.change)
		code, out, messages := w.consumer("verify", "--format", "json")
		if code != 3 || strings.Count(out, "\n") != 1 || !strings.Contains(out, fmt.Sprintf("%q", c.key)) || !strings.Contains(out, c.what) ||
			!strings.Contains(messages, "300 keys match the log, 1 differ") || !strings.Contains(messages, "another arithmetic than") {
			t.Errorf("%s: exit %d %s\n%s", c.key, code, messages, out)
		}
		client, hash, _ := w.cell(c.key)
		if err := client.HSet(t.Context(), hash, c.key, before).Err(); err != nil {
			t.Fatal(err)
		}
	}
	// Not even a checksum, and a key that is gone altogether.
	client, hash, before := w.cell("k/7")
	client.HSet(t.Context(), hash, "k/7", before[:50]+"x"+before[51:])
	client, hash, _ = w.cell("k/8")
	client.HDel(t.Context(), hash, "k/8")
	code, out, messages := w.consumer("verify", "--format", "csv")
	if code != 3 || strings.Count(out, "\n") != 3 || !strings.Contains(out, "checksum") || !strings.Contains(out, "no state is stored, and the log gives one of 3 shards") {
		t.Errorf("exit %d %s\n%s", code, messages, out)
	}
}
