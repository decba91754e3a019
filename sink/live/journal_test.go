package live

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/credence-stream/credence/pipeline"
)

func TestJournal(t *testing.T) {
	f := newFeed(1 << 20)
	start := f.End()
	_, _, more, lost := f.Read(start, 10)
	if lost {
		t.Fatal("the end of an empty feed is lost")
	}
	f.Saved(home, []*pipeline.Point{point("a", 0, 1, 1), point("b", 1, 1, 1), {Key: "a", Offset: 2, Deleted: true}})
	select {
	case <-more:
	default:
		t.Error("a reader that waits is not woken")
	}
	got, next, _, lost := f.Read(start, 2)
	if lost || len(got) != 2 || got[0].Key != "a" || got[1].Key != "b" || next != got[1].At {
		t.Fatalf("%+v, next %v, lost %v", got, next, lost)
	}
	if got, _, _, _ = f.Read(next, 10); len(got) != 1 || !got[0].Deleted {
		t.Errorf("after the first two: %+v", got)
	}
	back, err := ParsePosition(next.String())
	if err != nil || back != next {
		t.Errorf("%v reads back as %v, %v", next, back, err)
	}
	for _, wrong := range []string{"", "7", "-7", "x-", "x-1-2", "x--1"} {
		if p, err := ParsePosition(wrong); err == nil {
			t.Errorf("%q is read as %v", wrong, p)
		}
	}
	other := newFeed(1 << 20)
	if _, at, _, lost := other.Read(next, 10); !lost || at != other.End() {
		t.Error("a position of another life of the process is taken for one of this")
	}
	if _, _, _, lost := f.Read(Position{next.boot, 99}, 10); !lost {
		t.Error("a position in the future is taken")
	}
}

func TestJournalForgets(t *testing.T) {
	f := newFeed(1 << 20) // an eighth of it is the log
	start := f.End()
	for i := range int64(300) {
		f.Saved(home, []*pipeline.Point{point("a", i, i+1, 10)})
	}
	if n := f.log.queue.Bytes() + f.log.places() + f.log.named; n > 1<<17 {
		t.Errorf("the log has %d bytes", n)
	}
	if _, at, _, lost := f.Read(start, 10); !lost || at != f.End() {
		t.Error("what is overwritten is not told as lost")
	}
	oldest := Position{f.log.boot, f.log.last - uint64(len(f.log.records))}
	if got, _, _, lost := f.Read(oldest, 1000); lost || len(got) != len(f.log.records) || len(got) < 20 {
		t.Errorf("from the oldest kept: %d of %d, lost %v", len(got), len(f.log.records), lost)
	}
}

// Events are kept while somebody reads, for a minute more, and for who waits as long as it takes.
func TestJournalKeepsWhatIsRead(t *testing.T) {
	f := newFeed(1 << 20)
	now := time.Unix(1000, 0)
	f.clock = func() time.Time { return now }
	offset := int64(0)
	save := func() {
		f.Saved(home, []*pipeline.Point{point("a", offset, offset+1, 10)})
		offset++
	}
	kept := func(want int) {
		t.Helper()
		if n := len(f.log.records); n != want || f.log.queue.Len() != want {
			t.Errorf("at %v %d events are kept, of %d places, want %d", now, f.log.queue.Len(), n, want)
		}
	}
	read := func(at Position, want int, wantLost bool) Position {
		t.Helper()
		got, next, _, lost := f.Read(at, 10)
		if len(got) != want || lost != wantLost {
			t.Errorf("at %v %d events, lost %v, want %d, %v", now, len(got), lost, want, wantLost)
		}
		return next
	}
	start := f.End()
	now = now.Add(listened)
	save()
	kept(0) // the only reader did not come back
	at := read(start, 0, true)
	save()
	now = now.Add(listened - 1)
	save()
	kept(2)
	at = read(at, 2, false)
	at = read(at, 0, false) // waits from now on
	now = now.Add(time.Hour)
	save()
	save()
	kept(4)
	at = read(at, 2, false)
	now = now.Add(listened)
	save()
	kept(0)
	read(at, 0, true)
	if n := f.log.queue.Bytes() + f.log.places() + f.log.named; n != 0 {
		t.Errorf("the log has %d bytes of no event", n)
	}
}

// Readers beside a writer see every event once, in order, or are told that
// they lost some. Run with -race.
func TestReadersBesideAWriter(t *testing.T) {
	const events = 3000
	f := newFeed(64 << 20)
	start := f.End()
	var wait sync.WaitGroup
	for r := range 4 {
		wait.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(r), 1))
			at, seen := start, []int64{}
			for len(seen) == 0 || seen[len(seen)-1] < events {
				got, next, more, lost := f.Read(at, 1+rng.IntN(50))
				if lost {
					t.Error("a reader that keeps up lost events")
					return
				}
				for _, e := range got {
					seen = append(seen, e.T)
				}
				if at = next; len(got) == 0 {
					<-more
				}
				_ = f.Totals()
				_ = f.Found(Wanted{Flag: WeakRHat})
			}
			if !slices.IsSorted(seen) || len(seen) != events {
				t.Errorf("reader %d saw %d events", r, len(seen))
			}
		})
	}
	for i := range int64(events) {
		f.Saved(home, []*pipeline.Point{point("a", i, i+1, 1)})
		if i%100 == 0 {
			f.Event(pipeline.Event{Message: fmt.Sprint(i)})
		}
	}
	wait.Wait()
}
