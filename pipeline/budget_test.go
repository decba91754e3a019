package pipeline

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestBudgetMakesOnlyFetchesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(100)
		if err := b.Acquire(t.Context(), 60); err != nil {
			t.Fatal(err)
		}
		got := make(chan error, 2)
		for range 2 {
			go func() { got <- b.Acquire(t.Context(), 50) }()
		}
		synctest.Wait()
		if len(got) != 0 {
			t.Fatal("60 + 50 of 100 bytes were given")
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
		if b.Used() != 100 {
			t.Errorf("%d bytes held, want 100", b.Used())
		}
	})
}

func TestBudgetLetsOneOversizedRequestThrough(t *testing.T) {
	b := NewBudget(10)
	if err := b.Acquire(t.Context(), 1000); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Acquire(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
