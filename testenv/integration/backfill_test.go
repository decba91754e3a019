//go:build unix

package integration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv"
)

// TestBackfill begins a group in the middle of the log, loses its store, and asks for what
// was published.
func TestBackfill(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{partitions: 1})
		f := w.feeder(t, 1)
		f.send(t, 20)
		apart := w.apart("-new")
		w.settle(t, append(apart, "--from", "12")...)
		want := w.get(t, "k/0", apart...)
		if want.T != 8 {
			t.Fatalf("t is %d, 8 shards follow offset 12", want.T)
		}
		if err := w.store.FlushDB(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		w.settle(t, apart...)
		w.same(t, "before the store was emptied", map[string]posterior{"k/0": want}, apart...)
		for _, p := range w.tail(t, append(apart, "--limit", "3")...) {
			at := append([]string{"--at-offset", fmt.Sprint(p.Source.Offset)}, apart...)
			if got := w.get(t, "k/0", at...); strings.TrimSpace(got.text) != strings.TrimSpace(p.text) {
				t.Errorf("offset %d: %swas published as %s", p.Source.Offset, got.text, p.text)
			}
		}
		if got := w.consumer(t, append([]string{"run", "--until-end", "--from", "12"}, apart...)...); got.Code != 1 || !strings.Contains(got.Messages, "has state of 1 key") {
			t.Errorf("begun twice: exit %d\n%s", got.Code, got.Messages)
		}
	})
}
