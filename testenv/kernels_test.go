//go:build unix

package testenv

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/credence-stream/credence/testenv/compose"
)

// TestKernelsAreGenerated: the assembly of cdf/lin is what its generator writes.
// The generator is a module of its own, which a cache may not hold.
func TestKernelsAreGenerated(t *testing.T) {
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	lin, dir := filepath.Join(root, "cdf", "lin"), t.TempDir()
	gen := filepath.Join(dir, "gen") // beside what it writes, as there: the head of the file has its path
	if err := os.CopyFS(gen, os.DirFS(filepath.Join(lin, "gen"))); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = gen
		return cmd.CombinedOutput()
	}
	if out, err := run("list", "-deps", "."); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("go list: %v\n%s", err, out)
		}
		fmt.Fprintf(os.Stderr, "\n*** THE ASSEMBLY IS NOT GENERATED AGAIN: %v ***\n%s\n", err, out)
		t.Skip("no modules: see the line above")
	}
	const name = "strip_amd64.s"
	if out, err := run("run", ".", "-out", "../"+name); err != nil {
		t.Fatalf("go run: %v\n%s", err, out)
	}
	made, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile(filepath.Join(lin, name))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, committed) {
		t.Errorf("cdf/lin/%s is not what cdf/lin/gen writes: run make kernels", name)
	}
}
