package access

import (
	"context"
	"errors"
	"testing"
)

func TestTries(t *testing.T) {
	tries, ctx := NewTries(), t.Context()
	try := func(password string, taken, refused bool) error {
		done, err := tries.Begin(ctx, password)
		if err == nil {
			done(taken, refused)
		}
		return err
	}
	for range MostTries - 1 {
		if err := try("old", false, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := try("old", true, false); err != nil { // taken: it begins anew
		t.Fatal(err)
	}
	for i := range MostTries {
		select {
		case <-tries.Exhausted():
			t.Fatalf("exhausted after %d", i)
		default:
		}
		if err := try("old", false, true); err != nil {
			t.Fatal(err)
		}
	}
	<-tries.Exhausted()
	for range 3 {
		if err := try("old", false, true); !errors.Is(err, ErrExhausted) {
			t.Fatalf("a locked password: %v", err)
		}
	}
	if err := try("new", true, false); err != nil {
		t.Errorf("another password: %v", err)
	}
	// An outage is no refusal.
	for range 2 * MostTries {
		if err := try("third", false, false); err != nil {
			t.Fatal(err)
		}
	}
}

// A password that may be wrong is sent once at a time, so that no crowd of connections
// tries it more often than it may.
func TestTriesOneAtATime(t *testing.T) {
	tries := NewTries()
	done, err := tries.Begin(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tries.Begin(ended, "p"); !errors.Is(err, context.Canceled) {
		t.Errorf("a second try at once: %v", err)
	}
	done(true, false)
	for range 2 {
		if _, err := tries.Begin(ended, "p"); err != nil {
			t.Errorf("a password that was taken: %v", err)
		}
	}
}
