//go:build unix

// Package programs builds the consumer and the producer and runs them as
// processes, as users do.
package programs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/credence-stream/credence/testenv/probe"
)

// Raced reports whether this is a test with the race detector: then the
// programs have it, too, and take many times the memory.
func Raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// Build compiles both programs into a folder, and more packages of the module
// by their paths below it, with the fault that CREDENCE_OVERLAY plants.
func Build(ctx context.Context, dir string, more ...string) error {
	args := []string{"build", "-o", dir + string(filepath.Separator)}
	if Raced() {
		args = append(args, "-race")
	}
	if overlay := os.Getenv("CREDENCE_OVERLAY"); overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	for _, p := range append([]string{"cmd/consumer", "cmd/producer"}, more...) {
		args = append(args, "github.com/credence-stream/credence/"+p)
	}
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build the programs under test: %w\n%s", err, out)
	}
	return nil
}

// Eventually waits until done reports true, looking many times a second, and
// fails the test with the last error where probe.Patience ends before.
func Eventually(t testing.TB, what string, done func() (bool, error)) {
	t.Helper()
	probe.EventuallyNil(t, what, func() error {
		ok, err := done()
		if err == nil && !ok {
			err = errors.New("not yet")
		}
		return err
	})
}
