package admin_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"testing"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
	"github.com/credence-stream/credence/pipeline/storetest"
)

// TestMarkIsTakenBack: whatever call an import is killed before, its mark is taken back where the states and
// the layout are what they were, and nowhere else. Whoever takes it back may be killed as well.
func TestMarkIsTakenBack(t *testing.T) {
	before, was, x, _ := files(t)
	store := storetest.NewMemory()
	store.Restore(before)
	layout := func() pipeline.Layout {
		l, err := store.Layout(t.Context(), "in")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	first, taken, left := layout(), 0, 0
	for at, total := 0, 1<<30; at <= total; at++ {
		for own := 0; own <= 12; own++ {
			store.Restore(before)
			im := x.begin(t.Context(), store, "first", false)
			if n := im.steps(at); n < at {
				total = n
			}
			im.kill()
			what := fmt.Sprintf("killed before call %d, and then before %d", at, own)
			marked, same, calls := layout(), maps.Equal(contents(t, store, refilled), was), 0
			killed := &stepped{Memory: store, may: func() bool { calls++; return calls <= own }}
			_, err := admin.TakeBack(t.Context(), killed, killed, "in", refilled, marked)
			whole(t, store, what, was, x.holds)
			if errors.Is(err, errKilled) {
				continue
			}
			now := layout()
			switch {
			case err != nil:
				t.Fatalf("%s: %v", what, err)
			case marked.Importing == nil:
			case same:
				taken++
				if !reflect.DeepEqual(now, first) {
					t.Fatalf("%s: the layout is %+v, was %+v", what, now, first)
				}
			default:
				left++
				if !reflect.DeepEqual(now, marked) {
					t.Fatalf("%s: the mark of an import that has changed states is taken back", what)
				}
			}
		}
	}
	if taken < 10 || left < 50 {
		t.Errorf("%d marks were taken back, and %d were not", taken, left)
	}
}

// TestImportTakesItsNotesBack: the group has the offsets of before behind an import that ends before it has
// changed anything, and those of the import where states may be others.
func TestImportTakesItsNotesBack(t *testing.T) {
	before, was, x, _ := files(t)
	p := pipeline.Partition{Topic: "in"}
	for _, unknown := range []bool{false, true} {
		store := storetest.NewMemory()
		store.Restore(before)
		if unknown { // whether the states are cleared
			store.Inject(func(c storetest.Call) storetest.Fault {
				if c.Op == "clear" {
					return storetest.After
				}
				return storetest.None
			})
		}
		var noted []map[int32]pipeline.GroupOffset
		err := x.run(t.Context(), store, "first", false, func(at map[int32]pipeline.GroupOffset) error {
			if noted = append(noted, at); at == nil || unknown {
				return nil
			}
			_, err := store.Claim(context.WithoutCancel(t.Context()), pipeline.NewLease(p)) // a worker is faster
			return err
		})
		store.Inject(nil)
		layout, lerr := store.Layout(t.Context(), "in")
		if lerr != nil {
			t.Fatal(lerr)
		}
		if unknown {
			if err == nil || len(noted) != 1 || layout.Importing == nil {
				t.Errorf("noted %v, error %v, and the layout is %+v", noted, err, layout)
			}
			continue
		}
		if !errors.Is(err, pipeline.ErrFenced) || len(noted) != 2 || noted[1] != nil || layout.Importing != nil {
			t.Errorf("noted %v, error %v, and the layout is %+v", noted, err, layout)
		}
		whole(t, store, "fenced", was)
	}
	// What stays noted is said.
	store, full := storetest.NewMemory(), errors.New("the brokers are gone")
	if err := x.run(t.Context(), store, "first", false, func(map[int32]pipeline.GroupOffset) error { return full }); err == nil ||
		err.Error() != "the brokers are gone; the offsets that it has noted for the group stay (the brokers are gone)" {
		t.Error(err)
	}
}
