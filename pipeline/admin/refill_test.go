package admin_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// TestImportKilledAnywhere: whatever call an import is killed before, workers find what was there
// before or all of the file, or halt. Another import is refused while the mark is there, which says
// whose it is, and takes its place where it is told to. Where nothing was changed it need not be told.
func TestImportKilledAnywhere(t *testing.T) {
	before, was, x, y := files(t)
	store := storetest.NewMemory()
	marked, unchanged, total := 0, 0, 1<<30
	for at := 0; at <= total; at++ {
		store.Restore(before)
		im := x.begin(t.Context(), store, "first", false)
		if n := im.steps(at); n < at {
			total = n
		}
		im.kill()
		what := fmt.Sprintf("killed before call %d", at)
		whole(t, store, what, was, x.holds)
		layout, err := store.Layout(t.Context(), "in")
		if err != nil {
			t.Fatal(err)
		}
		same := maps.Equal(contents(t, store, refilled), was)
		if same && layout.Importing != nil {
			unchanged++
		}
		err = y.run(t.Context(), store, "second", false, noted)
		if left := layout.Importing != nil && !same; left != errors.Is(err, admin.ErrImporting) || !left && err != nil {
			t.Fatalf("%s: the layout is %+v, and another import ends with %v", what, layout, err)
		} else if left {
			marked++
			for _, text := range []string{"first.arrows", "2026-11-26T", "--force"} {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%s: no %q in %v", what, text, err)
				}
			}
			whole(t, store, what+", another was refused")
			if err = y.run(t.Context(), store, "second", true, noted); err != nil {
				t.Fatalf("%s: in its place: %v", what, err)
			}
		}
		whole(t, store, what+", in its place", y.holds)
	}
	if marked < 8 || unchanged < 4 || total < 15 {
		t.Errorf("of %d calls %d leave a mark, and %d one that says that nothing is changed", total, marked, unchanged)
	}
}

// TestImportFailsAnywhere: an import that a call fails of, with or without its effect, leaves no mark where
// nothing was changed, and else one that the next import need not be told about.
func TestImportFailsAnywhere(t *testing.T) {
	before, was, x, y := files(t)
	store := storetest.NewMemory()
	taken := 0
	for _, fault := range []storetest.Fault{storetest.Before, storetest.After} {
		for at := 1; ; at++ {
			store.Restore(before)
			calls := 0
			store.Inject(func(storetest.Call) storetest.Fault {
				if calls++; calls == at {
					return fault
				}
				return storetest.None
			})
			err := x.run(t.Context(), store, "first", false, noted)
			store.Inject(nil)
			if calls < at {
				break
			}
			what := fmt.Sprintf("call %d, fault %d", at, fault)
			if !errors.Is(err, storetest.ErrInjected) {
				t.Fatalf("%s: error %v", what, err)
			}
			whole(t, store, what, was, x.holds)
			layout, lerr := store.Layout(t.Context(), "in")
			if lerr != nil || layout.Importing != nil && (!layout.Importing.Ended || !strings.Contains(err.Error(), "run it again: consumers halt")) {
				t.Fatalf("%s: %v; the layout is %+v, %v", what, err, layout, lerr)
			}
			if layout.Importing == nil {
				taken++
			}
			if err := y.run(t.Context(), store, "second", false, noted); err != nil {
				t.Fatalf("%s: run again: %v", what, err)
			}
			whole(t, store, what+", run again", y.holds)
		}
	}
	if taken < 10 {
		t.Errorf("nothing was left %d times", taken)
	}
	// A topic that had no count has none again.
	store = storetest.NewMemory()
	stop := errors.New("no offsets")
	if err := x.run(t.Context(), store, "first", false, func(map[int32]pipeline.GroupOffset) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
	if n, err := store.Pin(t.Context(), "in", refilled); err != nil || n != refilled {
		t.Errorf("after an import that was refused, pinned at %d, error %v", n, err)
	}
}

// TestTwoImports: of two imports at once, one of which takes the place of the other or not, none
// succeeds with states of both, whatever call of the one comes behind which of the other. One that takes
// the mark of the other for left over, because nothing is changed yet, ends the other.
func TestTwoImports(t *testing.T) {
	before, was, x, y := files(t)
	store := storetest.NewMemory()
	schedules, both, refused, neither := 0, 0, 0, 0
	for _, force := range []bool{false, true} {
		for i, n := 0, 1<<30; i <= n; i++ {
			for j, m := 0, 1<<30; j <= m; j++ {
				store.Restore(before)
				a, b := x.begin(t.Context(), store, "first", false), y.begin(t.Context(), store, "second", force)
				what := fmt.Sprintf("%d calls, then %d of the other (force %t)", i, j, force)
				if done := a.steps(i); done < i {
					n = i
				}
				whole(t, store, what, was, x.holds)
				if done := b.steps(j); done < j {
					m = j
				}
				whole(t, store, what, was, x.holds, y.holds)
				for !a.over || !b.over {
					a.steps(1)
					whole(t, store, what+", first", was, x.holds, y.holds)
					b.steps(3)
				}
				whole(t, store, what+", both", was, x.holds, y.holds)
				schedules++
				switch {
				case a.err == nil && b.err == nil: // one after the other
					both++
					whole(t, store, what+", one after the other", x.holds, y.holds)
				case a.err == nil:
					whole(t, store, what+", first", x.holds)
				case b.err == nil:
					whole(t, store, what+", second", y.holds)
				}
				if errors.Is(b.err, admin.ErrImporting) {
					refused++
					if force || a.err != nil && !errors.Is(a.err, pipeline.ErrFenced) {
						t.Fatalf("%s: %v and %v", what, a.err, b.err)
					}
				}
				if a.err != nil && b.err != nil && !force {
					neither++
				}
				if err := x.run(t.Context(), store, "third", true, noted); err != nil {
					t.Fatalf("%s: a third: %v", what, err)
				}
				whole(t, store, what+", a third", x.holds)
			}
		}
	}
	t.Logf("%d schedules; both succeeded in %d, one was refused in %d, neither succeeded in %d", schedules, both, refused, neither)
	if schedules < 400 || refused < 50 || both == schedules || neither > schedules/50 {
		t.Error("too few")
	}
}

// TestImportSurvivesFailovers: a master of the store that dies before any call, and with it what its replica lacks,
// costs a run at most: an import that succeeds has all of its states there, also behind a later failover.
func TestImportSurvivesFailovers(t *testing.T) {
	before, was, x, _ := files(t)
	store := storetest.NewMemory()
	failed, survived := 0, 0
	for victim := int32(-1); victim < refilled; victim++ {
		for at, total := 1, 1<<30; at <= total; at++ {
			store.Restore(before)
			calls := 0
			store.InjectFailover(func(storetest.Call) (pipeline.Partition, bool) {
				calls++
				return pipeline.Partition{Topic: "in", ID: victim}, calls == at
			})
			err := x.run(t.Context(), store, "first", false, noted)
			store.InjectFailover(nil)
			if calls < at {
				total = at
			}
			what := fmt.Sprintf("before call %d the master of partition %d died", at, victim)
			for id := int32(-1); id < refilled; id++ { // and all of them once more
				once := true
				store.InjectFailover(func(storetest.Call) (pipeline.Partition, bool) {
					die := once
					once = false
					return pipeline.Partition{Topic: "in", ID: id}, die
				})
				if _, err := store.Layout(t.Context(), "in"); err != nil {
					t.Fatal(err)
				}
				store.InjectFailover(nil)
				if err == nil {
					whole(t, store, what, x.holds)
					if l, lerr := store.Layout(t.Context(), "in"); lerr != nil || l.Importing != nil {
						t.Fatalf("%s: it succeeded, and the layout is %+v, %v", what, l, lerr)
					}
				} else {
					whole(t, store, what, was, x.holds)
				}
			}
			if err == nil {
				survived++
				continue
			}
			failed++
			if err := x.run(t.Context(), store, "again", true, noted); err != nil {
				t.Fatalf("%s: run again: %v", what, err)
			}
			whole(t, store, what+", run again", x.holds)
		}
	}
	t.Logf("noticed %d failovers, lost nothing in %d", failed, survived)
	if failed < 5 || survived < 5 {
		t.Error("too few")
	}
}

// TestImportVacates: a partition that the file has nothing of is empty behind an import, also where a failover
// brings back what was deleted.
func TestImportVacates(t *testing.T) {
	before, was, x, _ := files(t)
	rest := x
	rest.parts, rest.rows = map[int32]admin.Export{0: x.parts[0]}, x.rows[:x.parts[0].Keys]
	store := storetest.NewMemory()
	store.Restore(before)
	if err := rest.run(t.Context(), store, "first", false, noted); err != nil {
		t.Fatal(err)
	}
	want, noticed := contents(t, store, refilled), 0
	if maps.Equal(want, was) || len(want) != refilled+len(rest.rows) {
		t.Fatalf("%d partitions and keys", len(want))
	}
	for at := 1; ; at++ {
		store.Restore(before)
		calls := 0
		store.InjectFailover(func(storetest.Call) (pipeline.Partition, bool) {
			calls++
			return pipeline.Partition{Topic: "in", ID: 1}, calls == at
		})
		err := rest.run(t.Context(), store, "first", false, noted)
		store.InjectFailover(nil)
		if calls < at {
			break
		}
		if err == nil {
			whole(t, store, fmt.Sprintf("a failover before call %d", at), want)
		} else if noticed++; !strings.Contains(err.Error(), "has states again that were deleted") {
			t.Errorf("a failover before call %d: %v", at, err)
		}
	}
	if noticed == 0 {
		t.Error("no failover was noticed")
	}
}

// TestImportAsksFirst: what would be refused at the end is refused before anything is changed.
func TestImportAsksFirst(t *testing.T) {
	before, was, x, _ := files(t)
	store := storetest.NewMemory()
	store.Restore(before)
	may := errors.New("not authorized")
	r := &admin.Refill{
		Topic: "in", Count: refilled, Parts: x.parts, Mark: pipeline.Importing{ID: "first"}, Store: store, Admin: store, Layouts: store,
		MayNote: func(context.Context) error { return may },
		Note:    func(context.Context, map[int32]pipeline.GroupOffset) error { return may },
	}
	store.Inject(func(c storetest.Call) storetest.Fault {
		if c.Op != "layout" {
			t.Errorf("%s, before it was asked", c.Op)
		}
		return storetest.None
	})
	err := r.Run(t.Context())
	store.Inject(nil)
	if !errors.Is(err, may) {
		t.Error(err)
	}
	whole(t, store, "refused", was)
	store.Inject(func(c storetest.Call) storetest.Fault {
		switch c.Op {
		case "replicated":
			return storetest.Before
		case "set layout", "clear", "save":
			t.Errorf("%s, before replicas were asked for", c.Op)
		}
		return storetest.None
	})
	may = nil
	if err := r.Run(t.Context()); !errors.Is(err, storetest.ErrInjected) {
		t.Error(err)
	}
}
