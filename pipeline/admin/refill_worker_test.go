package admin_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/pipelinetest"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// TestImportBesideAWorker: a worker comes to a new group while it is filled, whose log no longer has what is in
// the file. It does so at every call of the import, goes on after every call of its own that decides, and
// is held there for different times. Whenever it began with a partition as new, the import says so; where that succeeds, and where
// it is run again, states end as those of a group that never met this.
func TestImportBesideAWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, from, rules, rest := settledTopic(t, 12, refilled)
		file := exportAll(t, from)
		l.send(rest[:20])
		l.work(t, from, rules)
		want := states(t, from, refilled)
		for _, k := range l.parts {
			k.Start = 10
		}
		began, schedules, succeeded := 0, 0, 0
		run := func(victim int32, i, own, more int) (steps int) {
			store := storetest.NewMemory()
			im := file.begin(t.Context(), store, "import", false)
			steps = im.steps(i)
			turns, worker := make(chan bool, 1000), &stepped{Memory: store}
			worker.may = func() bool { <-turns; return true } // closed, it waits no more
			w, err := pipeline.New(pipelinetest.Options(l.parts[victim], worker, rules))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- w.Run(ctx) }()
			for range own {
				synctest.Wait()
				turns <- true
			}
			synctest.Wait()
			steps += im.steps(more)
			close(turns)
			synctest.Wait()
			steps += im.steps(1 << 30)
			synctest.Wait()
			meta, err := store.Meta(t.Context(), pipeline.Partition{Topic: "in", ID: victim})
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("partition %d: %d calls of the import, %d of the worker, %d of the import", victim, i, own, more)
			schedules++
			if new := meta.Exists && meta.Origin == 10; new {
				began++
				if im.err == nil {
					t.Fatalf("%s: the partition was begun as new, and the import succeeded", what)
				}
			}
			cancel()
			if err := <-done; err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if im.err == nil {
				succeeded++
			} else if err := file.run(t.Context(), store, "again", true, noted); err != nil {
				t.Fatalf("%s: run again: %v", what, err)
			}
			if schedules%11 == 0 {
				l.work(t, store, rules)
				if got := states(t, store, refilled); !maps.Equal(got, want) {
					t.Fatalf("%s: other states than those of a group that never met this", what)
				}
			}
			return steps
		}
		total := run(0, 1<<30, 0, 0)
		for victim := range int32(refilled) {
			for i := 0; i <= total; i++ {
				for own := 1; own <= 5; own++ {
					for _, more := range []int{0, 2, 1 << 30} {
						run(victim, i, own, more)
					}
				}
			}
		}
		t.Logf("%d schedules: in %d the worker began anew, in %d the import succeeded", schedules, began, succeeded)
		if began < 10 || succeeded < 100 {
			t.Error("too few")
		}
	})
}

// TestImportedAndLost: a store that is lost behind an import, or while it is killed, is told from a new
// group by the group's offsets: where the log has not all of it, workers halt, else they rebuild it.
func TestImportedAndLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, from, rules, _ := settledTopic(t, 12, refilled)
		file, want := exportAll(t, from), states(t, from, refilled)
		total := file.begin(t.Context(), storetest.NewMemory(), "import", false).steps(1 << 30)
		lost, cleared := 0, false
		for at := 0; at <= total; at++ {
			store := storetest.NewMemory()
			im := file.begin(t.Context(), store, "import", false)
			im.steps(at)
			im.kill()
			if metas, err := store.Meta(t.Context(), pipeline.Partition{Topic: "in"}); err != nil {
				t.Fatal(err)
			} else if cleared = cleared || metas.Owner != ""; cleared && len(im.at) < refilled {
				t.Fatalf("killed before call %d: states are changed, and the group has noted %v", at, im.at)
			}
			if len(im.at) == 0 {
				continue
			}
			lost++
			for _, start := range []int64{0, 10} {
				store = storetest.NewMemory()
				for id, k := range l.parts {
					k.Start, k.Group, k.Noted = start, im.at[int32(id)].Offset, pipeline.Note{Rescaled: im.at[int32(id)].Rescaled}
				}
				if start == 0 {
					l.work(t, store, rules)
					if got := states(t, store, refilled); !maps.Equal(got, want) {
						t.Fatalf("killed before call %d, and rebuilt: other states", at)
					}
					continue
				}
				b := pipelinetest.StartWith(t, l.parts[1], store, rules)
				if why := b.ReadyWithin(t, time.Minute, false); !strings.Contains(why, "claiming") && !strings.Contains(why, "the store has lost") {
					t.Fatalf("killed before call %d: %q", at, why)
				}
				if err := b.UntilEnd(t.Context()); err == nil || !strings.Contains(err.Error(), "the store has lost the state of in/1") {
					t.Fatalf("killed before call %d: error %v", at, err)
				}
				b.Stop(t)
			}
		}
		if lost < 5 {
			t.Errorf("of %d calls %d note offsets", total, lost)
		}
	})
}
