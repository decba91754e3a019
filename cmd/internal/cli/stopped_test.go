package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Who stops a command is told so, and not what it was waiting for.
func TestStoppedIsNoMystery(t *testing.T) {
	for stopped, want := range map[bool]string{true: "p: stopped\n", false: "p: partition 3: context canceled\n"} {
		ctx, stop := context.WithCancel(t.Context())
		var said strings.Builder
		root := &cobra.Command{Use: "p", RunE: func(*cobra.Command, []string) error {
			if stopped {
				stop()
			}
			return fmt.Errorf("partition 3: %w", context.Canceled)
		}}
		p := Program{Stdout: io.Discard, Stderr: &said}
		if code := p.Run(ctx, root, nil); code != 1 || said.String() != want {
			t.Errorf("exit code %d, %q, want %q", code, said.String(), want)
		}
		stop()
	}
}
