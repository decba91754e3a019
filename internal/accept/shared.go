package accept

import (
	"os"
	"path/filepath"
	"testing"
)

// Shared returns a path under the folder of data and vectors that lies beside
// the module, or under $CREDENCE_SHARED. Without the file it skips the test.
func Shared(t testing.TB, path string) string {
	t.Helper()
	root := os.Getenv("CREDENCE_SHARED")
	if root == "" {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				break
			}
			if parent := filepath.Dir(dir); parent != dir {
				dir = parent
				continue
			}
			t.Fatal("no go.mod above the package")
		}
		root = filepath.Join(dir, "..", "shared")
	}
	full := filepath.Join(root, path)
	if _, err := os.Stat(full); err != nil {
		t.Skipf("shared data not present: %s (set CREDENCE_SHARED)", path)
	}
	return full
}
