package pipeline

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
)

func TestBudgetMakesOnlyFetchesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(100)
		b.Add(90)
		got := make(chan error, 2)
		for range 2 {
			go func() { got <- b.Acquire(t.Context(), 20) }()
		}
		synctest.Wait()
		if len(got) != 0 {
			t.Fatal("90 + 20 of 100 bytes were given")
		}
		b.Add(300) // a debt: nobody waits for it
		b.Add(-300)
		synctest.Wait()
		if len(got) != 0 {
			t.Fatal("a debt paid back let a fetch through too early")
		}
		b.Add(-60)
		synctest.Wait()
		if len(got) != 2 {
			t.Fatalf("%d of 2 fetches went on after room was made for both: a wake-up was lost", len(got))
		}
		if b.Used() != 70 {
			t.Errorf("%d bytes held, want 70", b.Used())
		}
	})
}

// One large request at a time may take the total above the limit, and nobody
// passes it: neither starves the other.
func TestBudgetLetsOneLargeRequestThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(100)
		b.Add(90)
		if err := b.Acquire(t.Context(), 1000); err != nil {
			t.Fatal(err)
		}
		order := make(chan int64, 3)
		for _, n := range []int64{500, 5, 600} {
			go func() {
				if b.Acquire(t.Context(), n) == nil {
					order <- n
				}
			}()
			synctest.Wait()
		}
		if len(order) != 0 || b.try(1, 100) {
			t.Fatalf("%d requests were let through at %d of 100 bytes", len(order), b.Used())
		}
		for _, step := range []struct {
			freed int64
			want  []int64
		}{{1000, []int64{500}}, {491, nil}, {4, []int64{5, 600}}} {
			b.Add(-step.freed)
			synctest.Wait()
			var got []int64
			for len(order) > 0 {
				got = append(got, <-order)
			}
			slices.Sort(got)
			if !slices.Equal(got, step.want) {
				t.Errorf("after %d bytes were given back requests of %v bytes went on, want %v", step.freed, got, step.want)
			}
		}
	})
}

func TestBudgetForgetsWhoGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(100)
		b.Add(100)
		ctx, cancel := context.WithCancel(t.Context())
		first, second := make(chan error, 1), make(chan error, 1)
		go func() { first <- b.Acquire(ctx, 20) }()
		synctest.Wait()
		go func() { second <- b.Acquire(t.Context(), 10) }()
		synctest.Wait()
		b.Add(-10)
		cancel()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
		if err := <-second; err != nil || b.Used() != 100 {
			t.Errorf("%v, %d bytes held", err, b.Used())
		}
	})
}

// A fetch that is short of room gives up what it has while it waits, and has
// all that it needs when it is run again.
func TestBudgetIsWaitedForWithEmptyHands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(1 << 20)
		b.Add(900 << 10)
		runs := 0
		done := make(chan *Room)
		go func() {
			r, err := b.Within(t.Context(), func(r *Room) error {
				runs++
				if err := r.Take(100 << 10); err != nil {
					return err
				}
				return r.Take(50 << 10)
			})
			if err != nil {
				t.Error(err)
			}
			done <- r
		}()
		synctest.Wait()
		if b.Used() != 900<<10 {
			t.Errorf("who waits holds %d bytes", b.Used()-900<<10)
		}
		b.Add(-100 << 10)
		r := <-done
		if runs != 2 || b.Used() != 950<<10 {
			t.Errorf("%d runs, %d KiB held; want 2, 950", runs, b.Used()>>10)
		}
		r.Settle(10 << 10)
		if b.Used() != 810<<10 {
			t.Errorf("%d KiB held after the fetch kept 10 of them, want 810", b.Used()>>10)
		}
		boom := errors.New("boom")
		if _, err := b.Within(t.Context(), func(r *Room) error { return errors.Join(r.Take(1), boom) }); !errors.Is(err, boom) || b.Used() != 810<<10 {
			t.Errorf("%v, %d KiB held after a fetch that failed", err, b.Used()>>10)
		}
	})
}
