//go:build unix

package integration

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/compose"
)

// programs is the folder of the consumer and the producer under test, set
// once before any test runs.
var programs string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "credence-integration-*")
	if err == nil {
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		programs, err = dir, build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return testenv.Main(m)
}

// raced reports whether this is a test with the race detector: then the
// programs have it, too, and take many times the memory.
func raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// build compiles both programs.
func build(dir string) error {
	args := []string{"build", "-o", dir + string(filepath.Separator)}
	if raced() {
		args = append(args, "-race")
	}
	if overlay := os.Getenv("CREDENCE_OVERLAY"); overlay != "" { // a planted fault
		args = append(args, "-overlay", overlay)
	}
	const module = "github.com/credence-stream/credence/cmd/"
	out, err := exec.CommandContext(context.Background(), "go", append(args, module+"consumer", module+"producer")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build the programs under test: %w\n%s", err, out)
	}
	return nil
}

// each runs a test on every back end that was asked for. Embedded servers are
// a test's own, so that such tests wait side by side.
func each(t *testing.T, f func(t *testing.T, env *testenv.Env)) {
	t.Helper()
	backends := testenv.Backends(t)
	if !slices.ContainsFunc(backends, func(b testenv.Backend) bool { return b != testenv.Embedded }) {
		t.Parallel()
	}
	for _, b := range backends {
		t.Run(string(b), func(t *testing.T) { f(t, testenv.Open(t, b)) })
	}
}

// data returns the path of a file of the shared data, which is no part of the
// repository, and skips the test where it is absent.
func data(t *testing.T, name string) string {
	t.Helper()
	shared := os.Getenv("CREDENCE_SHARED")
	if shared == "" {
		root, err := compose.Root()
		if err != nil {
			t.Fatal(err)
		}
		shared = filepath.Join(filepath.Dir(root), "shared")
	}
	path := filepath.Join(shared, "data", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs %s: set CREDENCE_SHARED to the folder that holds data/", path)
	}
	return path
}

// eventually asks again and again until done reports true, and fails the test
// when that takes too long.
func eventually(t *testing.T, within time.Duration, what string, done func() (bool, error)) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(within)
	for {
		ok, err := done()
		if ok && err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-deadline:
			t.Fatalf("not within %v: %s (%v)", within, what, err)
		}
	}
}
