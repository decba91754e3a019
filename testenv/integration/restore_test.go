//go:build unix

package integration

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestRestore loses the store and follows the how-to: nothing is lost but the work since the
// export, which is done again. It says how long that took.
func TestRestore(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{})
		f := w.feeder(t, 6)
		f.send(t, 120)
		w.settle(t)
		file := filepath.Join(t.TempDir(), "state.arrows")
		if got := w.consumer(t, "state", "export", "--out", file); got.Code != 0 {
			t.Fatalf("export: exit %d\n%s", got.Code, got.Messages)
		}
		const since = 60
		f.send(t, since)
		w.settle(t)
		want := f.complete(t, w)
		if err := w.store.FlushDB(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if got := w.consumer(t, "state", "import", "--in", file); got.Code != 0 {
			t.Fatalf("import: exit %d\n%s", got.Code, got.Messages)
		}
		imported := time.Since(start)
		got := w.consumer(t, "run", "--until-end")
		if text := fmt.Sprintf("%d records", since); got.Code != 0 || !strings.Contains(got.Messages, text) {
			t.Errorf("after the import: exit %d, want %s\n%s", got.Code, text, got.Messages)
		}
		t.Logf("recovery time %v, of which the import took %v; recovery point: the export, %d shards were applied again, 0 lost",
			time.Since(start).Round(time.Millisecond), imported.Round(time.Millisecond), since)
		w.same(t, "before the store was emptied", want)
		if got := w.consumer(t, "verify"); got.Code != 0 || !strings.Contains(got.Messages, "6 keys match the log, 0 differ") {
			t.Errorf("verify: exit %d\n%s", got.Code, got.Messages)
		}
	})
}

// TestNewerFormat puts a state of a later format before the consumer, as after a downgrade:
// it halts by name, changes nothing, and goes on once the format is its own.
func TestNewerFormat(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{partitions: 1})
		f := w.feeder(t, 2)
		f.send(t, 10)
		w.settle(t)
		before := f.complete(t, w)
		metas, err := w.store.Keys(t.Context(), "credence:{"+w.cluster+"/"+w.group+"/*meta*").Result()
		if err != nil || len(metas) != 1 {
			t.Fatalf("metas %q, error %v", metas, err)
		}
		format := func(n int) {
			t.Helper()
			if err := w.store.HSet(t.Context(), metas[0], "format", n).Err(); err != nil {
				t.Fatal(err)
			}
		}
		format(pipeline.StateFormat + 1)
		f.send(t, 4)
		got := w.consumer(t, "run", "--until-end")
		for _, text := range []string{"halted (format)", "run the version that wrote it", "new consumer group"} {
			if got.Code != 1 || !strings.Contains(got.Messages, text) {
				t.Errorf("exit %d, no %q in\n%s", got.Code, text, programs.Last(got.Messages))
			}
		}
		format(pipeline.StateFormat)
		w.same(t, "before the downgrade", before)
		w.settle(t)
		f.complete(t, w)
	})
}
