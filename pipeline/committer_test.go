package pipeline

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestCommitsAreInOrder: offsets that are asked for while one is on its way wait
// for it, and only the newest of them is sent.
func TestCommitsAreInOrder(t *testing.T) {
	began, release := make(chan struct{}, 1), make(chan struct{})
	var sent []int64
	c := newCommitter(func(_ context.Context, at GroupOffset) error {
		sent = append(sent, at.Offset)
		began <- struct{}{}
		<-release
		return nil
	}, time.Hour)
	c.to(t.Context(), GroupOffset{Offset: 10})
	<-began
	c.to(t.Context(), GroupOffset{Offset: 20})
	c.to(t.Context(), GroupOffset{Offset: 30})
	start := time.Now()
	c.wait()
	if took := time.Since(start); took > lastWord+10*time.Second {
		t.Errorf("a coordinator that does not answer holds up the end for %v", took)
	}
	c.mu.Lock()
	done := c.done
	c.mu.Unlock()
	close(release)
	<-done
	if !slices.Equal(sent, []int64{10, 30}) {
		t.Errorf("committed %v", sent)
	}
}

// TestCommitsAreRare: however often checkpoints come, the group's coordinator sees
// one offset in an interval, and the last one as soon as it is waited for.
func TestCommitsAreRare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type commit struct {
			at     time.Duration
			offset int64
		}
		var sent []commit
		start := time.Now()
		c := newCommitter(func(_ context.Context, at GroupOffset) error {
			sent = append(sent, commit{time.Since(start), at.Offset})
			return nil
		}, time.Second)
		for i := range int64(84) {
			c.to(t.Context(), GroupOffset{Offset: i})
			<-time.After(30 * time.Millisecond)
		}
		c.wait()
		if want := []commit{{0, 0}, {time.Second, 33}, {2 * time.Second, 66}, {2520 * time.Millisecond, 83}}; !slices.Equal(sent, want) {
			t.Errorf("committed %v, want %v", sent, want)
		}
	})
}
