package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/connect"
)

// TestPastOfARescaledTopicIsLost: where the store has lost which partitions a topic had, the states are whole and the
// log cannot be read again as it was applied. What would read it says so, by what the group has noted, instead of reading
// it as if it always had been like that. An export of before brings it back; one of now does not, and nobody forgets.
func TestPastOfARescaledTopicIsLost(t *testing.T) {
	w := settled(t)
	dir := t.TempDir()
	file, blind := filepath.Join(dir, "rescaled.arrows"), filepath.Join(dir, "blind.arrows")
	w.must("rescale", "--to", fmt.Sprint(connect.Partitions+2), "--yes", "--export", file)
	w.send(stateKeys, 2)
	w.must("run", "--until-end")
	w.must("verify")
	client, p := w.stateRedis(-1)
	lost := func() { w.drop(client, p+"topic") }
	refused := func(when string) {
		t.Helper()
		for _, args := range [][]string{{"verify"}, {"get", "b", "--at-offset", "0"}} {
			code, out, messages := w.consumer(args...)
			if says := "the store has lost which partitions it had before"; code != 1 || out != "" || !strings.Contains(messages, says) || !strings.Contains(messages, "rescaled from") {
				t.Errorf("%s: %v: exit %d, no %q in\n%s%s", when, args, code, says, out, messages)
			}
		}
	}
	lost()
	refused("lost")
	w.send(stateKeys, 1)
	w.must("run", "--until-end") // the states are whole, and go on
	want := w.everything()
	refused("lost, and gone on")
	if _, messages := w.must("state", "export", "--out", blind); !strings.Contains(messages, "warning: the group notes that topic shards was rescaled") {
		t.Errorf("export: %s", messages)
	}
	w.must("state", "import", "--in", blind, "--force", "--yes")
	refused("imported without the past")
	w.must("state", "import", "--in", file, "--force", "--yes")
	w.must("run", "--until-end")
	w.must("verify")
	if now := w.everything(); !maps.Equal(now, want) {
		t.Errorf("%v, was %v", now, want)
	}
}
