package probe

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestUntilSaysWhatFailed: what is told of at the end is why it failed, not that the last try was
// ended.
func TestUntilSaysWhatFailed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tries := 0
	err := Until(ctx, func(ctx context.Context) error {
		if tries++; tries == 3 {
			cancel()
			return ctx.Err()
		}
		return errors.New("no leader")
	})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "no leader") {
		t.Errorf("after %d tries: %v", tries, err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	if err := Until(ctx, func(context.Context) error { // a try may know that no other will do
		cancel()
		return errors.New("the process has ended")
	}); !strings.Contains(err.Error(), "has ended") {
		t.Error(err)
	}
}
