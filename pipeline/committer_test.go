package pipeline

import (
	"context"
	"slices"
	"testing"
	"time"
)

// TestCommitsAreInOrder: offsets that are asked for while one is on its way wait
// for it, and only the newest of them is sent.
func TestCommitsAreInOrder(t *testing.T) {
	began, release := make(chan struct{}, 1), make(chan struct{})
	var sent []int64
	c := committer{commit: func(_ context.Context, offset int64) error {
		sent = append(sent, offset)
		began <- struct{}{}
		<-release
		return nil
	}}
	c.to(t.Context(), 10)
	<-began
	c.to(t.Context(), 20)
	c.to(t.Context(), 30)
	start := time.Now()
	c.wait()
	if took := time.Since(start); took > lastWord+10*time.Second {
		t.Errorf("a coordinator that does not answer holds up the end for %v", took)
	}
	close(release)
	c.wait()
	if !slices.Equal(sent, []int64{10, 30}) {
		t.Errorf("committed %v", sent)
	}
}
