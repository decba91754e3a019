//go:build unix

package integration

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestImportThroughTrouble: an import that is killed at work, that finds Redis full, that runs beside a consumer
// or twice. Whatever became of it, no consumer goes on from half of it, and run again it is whole: with --force
// only where it had begun to change something.
func TestImportThroughTrouble(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{})
		f := w.feeder(t, 12)
		f.send(t, 120)
		w.settle(t)
		want := f.complete(t, w)
		file := filepath.Join(t.TempDir(), "state.arrows")
		run := func(code int, says string, args ...string) {
			t.Helper()
			if got := w.consumer(t, args...); got.Code != code || !strings.Contains(got.Messages+got.Data, says) {
				t.Errorf("%q: exit %d, want %d and %q\n%s%s", args, got.Code, code, says, got.Data, got.Messages)
			}
		}
		empty := func() {
			t.Helper()
			if err := w.store.FlushDB(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
		}
		run(0, "", "state", "export", "--out", file)
		scope := "credence:{" + w.cluster + "/" + w.group + "/" + w.input
		layout := scope + "}:topic"
		halted, unchanged := 0, 0
		for i := range 6 {
			empty()
			cmd := exec.CommandContext(t.Context(), filepath.Join(binaries, "consumer"), "state", "import", "--in", file, "--config", w.file)
			cmd.Env = programs.Surroundings()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for { // without a pause: it takes a moment only
				n, err := w.store.HGet(t.Context(), layout, "partitions").Result()
				if i%2 == 1 { // once its first partition is cleared
					n, err = w.store.HGet(t.Context(), scope+"/0}:meta", "owner").Result()
				}
				if err == nil && n != "" {
					break
				}
			}
			_ = cmd.Process.Kill()
			if err := cmd.Wait(); err == nil {
				continue // it was faster
			}
			if n, err := w.store.HGet(t.Context(), layout, "partitions").Result(); err != nil || n != "0" {
				continue
			}
			halted++
			run(1, "state import has not come to its end", "run", "--until-end")
			run(1, "state import has not come to its end", "state", "repair")
			run(1, "state import has not come to its end", "check")
			if again := w.consumer(t, "state", "import", "--in", file); again.Code == 0 && strings.Contains(again.Messages, "has changed nothing: its mark is taken back") {
				unchanged++
			} else {
				if again.Code != 1 || !strings.Contains(again.Messages, "another import is under way, from "+file) {
					t.Errorf("run again: exit %d\n%s", again.Code, again.Messages)
				}
				run(0, "states of", "state", "import", "--in", file, "--force", "--yes")
			}
			w.settle(t)
			w.same(t, "killed, and run again", want)
		}
		t.Logf("%d of 6 imports were killed at work, %d of them before they had changed anything", halted, unchanged)
		run(1, "import into a new group, or replace it by --force", "state", "import", "--in", file)
		run(0, "states of", "state", "import", "--in", file, "--force", "--yes")
		s := w.start(t)
		s.Readiness(t, 200)
		run(1, "live members", "state", "import", "--in", file, "--force", "--yes")
		s.Stop(t)
		w.same(t, "beside a consumer", want)
		if env.Backend != testenv.Embedded { // whose store is never full
			empty()
			t.Cleanup(func() { // should the test end before
				w.store.ConfigSet(context.WithoutCancel(t.Context()), "maxmemory", "0")
				w.store.ConfigSet(context.WithoutCancel(t.Context()), "maxmemory-policy", "noeviction")
			})
			if err := w.store.ConfigSet(t.Context(), "maxmemory", "1mb").Err(); err != nil {
				t.Fatal(err)
			}
			run(1, "OOM", "state", "import", "--in", file)
			if err := w.store.ConfigSet(t.Context(), "maxmemory", "0").Err(); err != nil {
				t.Fatal(err)
			}
			if err := w.store.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err(); err != nil {
				t.Fatal(err)
			}
			run(1, "maxmemory-policy is allkeys-lru", "state", "import", "--in", file)
			if err := w.store.ConfigSet(t.Context(), "maxmemory-policy", "noeviction").Err(); err != nil {
				t.Fatal(err)
			}
			run(0, "states of", "state", "import", "--in", file)
			w.settle(t)
			w.same(t, "after a Redis that was full", want)
		}
		run(0, "0 differ", "verify")
	})
}

// TestLostBehindAnImport: a new group whose store is lost before a consumer was at work is not taken for a
// new one: where the log has been trimmed, its partitions halt instead of beginning with what is left.
func TestLostBehindAnImport(t *testing.T) {
	each(t, func(t *testing.T, env *testenv.Env) {
		w := newWorld(t, env, setup{partitions: 1})
		f := w.feeder(t, 3)
		f.send(t, 15)
		w.settle(t)
		file := filepath.Join(t.TempDir(), "state.arrows")
		third := func(args ...string) []string { return append(args, "--set", "kafka.group="+w.group+"-3") }
		for _, args := range [][]string{{"state", "export", "--out", file}, third("state", "import", "--in", file)} {
			if got := w.consumer(t, args...); got.Code != 0 {
				t.Fatalf("%q: exit %d\n%s", args, got.Code, got.Messages)
			}
		}
		if err := w.store.FlushDB(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		if err := env.TrimLog(t.Context(), w.input, 0, 1); err != nil {
			t.Fatal(err)
		}
		if got := w.consumer(t, third("run", "--until-end")...); got.Code != 1 || !strings.Contains(got.Messages, "halted (store_lost)") {
			t.Errorf("exit %d\n%s", got.Code, programs.Last(got.Messages))
		}
		for _, args := range [][]string{third("state", "import", "--in", file), third("run", "--until-end")} {
			if got := w.consumer(t, args...); got.Code != 0 {
				t.Errorf("%q: exit %d\n%s", args, got.Code, programs.Last(got.Messages))
			}
		}
	})
}
