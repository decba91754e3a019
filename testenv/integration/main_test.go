//go:build unix

package integration

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/compose"
	"github.com/credence-stream/credence/testenv/programs"
)

// binaries is the folder of the consumer and the producer under test, set
// once before any test runs.
var binaries string

func TestMain(m *testing.M) { os.Exit(programs.Main(m, &binaries)) }

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
