//go:build unix

package browser

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/credence-stream/credence/testenv/compose"
)

// installed is the page's source with the packages that it is built with, in a
// folder of the test binary's own: one npm ci for all tests.
var installed struct {
	sync.Once
	dir string
	err error
}

// source returns a copy of the page's source with its packages; "" after a
// loud line where they can't be had, a failure in CI.
func source(t testing.TB) string {
	t.Helper()
	asked(t)
	installed.Do(func() { installed.dir, installed.err = installSource(t) })
	if installed.err == nil {
		return installed.dir
	}
	if os.Getenv("CI") == "true" {
		t.Fatal(installed.err)
	}
	fmt.Fprintf(os.Stderr, "\n*** THE PAGE'S BUILD IS NOT TESTED: %v ***\n\n", installed.err)
	t.Skip("no npm packages: see the line above")
	return ""
}

func installSource(t testing.TB) (string, error) {
	t.Helper()
	root, err := compose.Root()
	if err != nil {
		return "", err
	}
	web := filepath.Join(root, "sink", "web")
	dir, err := os.MkdirTemp(scratch, "page-*")
	if err != nil {
		return "", err
	}
	// The types come from ../openapi.yaml.
	ui := filepath.Join(dir, "ui")
	list, err := exec.CommandContext(t.Context(), "git", "-C", filepath.Join(web, "ui"), "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return "", fmt.Errorf("the page's files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if err := copyFile(filepath.Join(web, "ui", name), filepath.Join(ui, name)); err != nil {
			return "", err
		}
	}
	if err := copyFile(filepath.Join(web, "openapi.yaml"), filepath.Join(dir, "openapi.yaml")); err != nil {
		return "", err
	}
	// Tests look at what was built; the build replaces it.
	if err := os.CopyFS(filepath.Join(dir, "dist"), os.DirFS(filepath.Join(web, "dist"))); err != nil {
		return "", err
	}
	return ui, npm(t, ui, "ci", "--no-audit", "--no-fund", "--ignore-scripts")
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644)
}

func npm(t testing.TB, dir string, args ...string) error {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "npm", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("npm %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// TestBuildReproduces builds the page and compares it, byte for byte, with
// what is embedded in the consumer.
func TestBuildReproduces(t *testing.T) {
	ui := source(t)
	if err := npm(t, ui, "run", "build"); err != nil {
		t.Fatal(err)
	}
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	committed, built := tree(t, filepath.Join(root, "sink", "web", "dist")), tree(t, filepath.Join(ui, "..", "dist"))
	if len(committed) < 3 {
		t.Fatalf("sink/web/dist has only %d files", len(committed))
	}
	for name, want := range built {
		if got, ok := committed[name]; !ok {
			t.Errorf("sink/web/dist has no %s: run make page", name)
		} else if !bytes.Equal(got, want) {
			t.Errorf("sink/web/dist/%s is not what the source gives: run make page", name)
		}
	}
	for name := range committed {
		if _, ok := built[name]; !ok {
			t.Errorf("sink/web/dist/%s does not come from the source: run make page", name)
		}
	}
}

// tree returns the files below a folder.
func tree(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestSource runs the page's own tests, which need no browser.
func TestSource(t *testing.T) {
	if err := npm(t, source(t), "test"); err != nil {
		t.Error(err)
	}
}
