//go:build unix

// Package programs builds the consumer and the producer and runs them as
// processes, as users do.
package programs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/credence-stream/credence/testenv/compose"
	"github.com/credence-stream/credence/testenv/probe"
)

// Build compiles both programs into a folder, and more packages of the module
// by their paths below it, with the fault that CREDENCE_OVERLAY plants. Test
// binaries share what is compiled without one: linking takes seconds.
func Build(ctx context.Context, dir string, more ...string) error {
	packages := append([]string{"cmd/consumer", "cmd/producer"}, more...)
	if overlay := os.Getenv("CREDENCE_OVERLAY"); overlay != "" {
		return build(ctx, dir, packages, "-overlay", overlay)
	}
	shared, err := lockShared()
	if err != nil {
		return err
	}
	defer shared.Close() //nolint:errcheck // a lock that is let go
	if err := build(ctx, shared.Name(), packages); err != nil {
		return err
	}
	for _, p := range packages {
		if err := link(filepath.Join(shared.Name(), path.Base(p)), filepath.Join(dir, path.Base(p))); err != nil {
			return fmt.Errorf("the programs under test: %w", err)
		}
	}
	return nil
}

// build has the go command see to it that a folder has the programs of packages: it writes
// none that is there as its source is.
func build(ctx context.Context, dir string, packages []string, args ...string) error {
	args = append([]string{"build", "-o", dir + string(filepath.Separator)}, args...)
	if probe.Raced() {
		args = append(args, "-race")
	}
	for _, p := range packages {
		args = append(args, "github.com/credence-stream/credence/"+p)
	}
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build the programs under test: %w\n%s", err, out)
	}
	return nil
}

// lockShared returns the folder of programs that test binaries share, open and locked: two
// that are built at once would write over one another.
func lockShared() (*os.File, error) {
	root, err := compose.Root()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(root, ".cache", "programs")
	if probe.Raced() {
		dir += "-raced"
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return folder, nil
}

// link gives a file a second name, or copies it where the other folder is on another disk.
// The go command replaces a program, and does not change the file that had its name.
func link(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()                                                     //nolint:errcheck // only read
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755) //nolint:gosec // a program
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
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
