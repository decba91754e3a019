package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Letters whose key no model can have are counted in the account of a replay and never sent,
// and no failure: nothing would come of sending them later.
func TestReplayTellsOfUnusableKeys(t *testing.T) {
	w := newWorld(t, "format: json")
	w.send([]string{"a"}, 1)
	value := w.read("shards")[0].Value
	for _, key := range [][]byte{nil, {}, bytes.Repeat([]byte("k"), 513), []byte("\xff\xfe")} {
		w.records(kgo.Record{Topic: "shards", Key: key, Value: value})
	}
	w.must("run", "--until-end")
	for range 2 {
		_, messages := w.must("dead-letters", "replay")
		if !strings.Contains(messages, "4 letters are never sent, the first of shards/0 offset ") || !strings.Contains(messages, "0 letters sent to shards") {
			t.Errorf("the account: %s", messages)
		}
	}
	if n := len(w.read("shards")); n != 5 {
		t.Errorf("%d records in the input topic, want the 5 there were", n)
	}
	if out, _ := w.must("state", "list", "--format", "csv"); strings.Count(out, "\n") != 2 || !strings.Contains(out, "\na,linear,") {
		t.Errorf("states:\n%s", out)
	}
}
