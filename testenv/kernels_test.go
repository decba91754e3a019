//go:build unix

package testenv

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/credence-stream/credence/testenv/compose"
)

// TestKernelsAreGenerated: the assembly of cdf is what its generators write.
// The generator is a module of its own, which a cache may not hold.
func TestKernelsAreGenerated(t *testing.T) {
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	cdf, dir := filepath.Join(root, "cdf"), t.TempDir()
	gen := filepath.Join(dir, "lin", "gen") // beside what it writes, as there: the heads of the files have its path
	if err := os.CopyFS(gen, os.DirFS(filepath.Join(cdf, "lin", "gen"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"vec", "normal", "rnd"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = gen
		return cmd.CombinedOutput()
	}
	if out, err := run("list", "-deps", "./..."); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("go list: %v\n%s", err, out)
		}
		fmt.Fprintf(os.Stderr, "\n*** THE ASSEMBLY IS NOT GENERATED AGAIN: %v ***\n%s\n", err, out)
		t.Skip("no modules: see the line above")
	}
	for program, file := range map[string]string{
		"lin":    "../strip_amd64.s",
		"vec":    "../../vec/vec_amd64.s",
		"normal": "../../normal/normal_amd64.s",
		"rnd":    "../../rnd/lanes_amd64.s",
	} {
		if out, err := run("run", "./"+program, "-out", file); err != nil {
			t.Fatalf("go run: %v\n%s", err, out)
		}
		name := filepath.Join(program, filepath.Base(file))
		made, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(filepath.Join(cdf, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(made, committed) {
			t.Errorf("cdf/%s is not what cdf/lin/gen writes: run make kernels", name)
		}
	}
}

// TestKernelsLeaveUpperHalvesClear: what kernels leave in the upper halves of registers
// makes all code after them several times slower.
func TestKernelsLeaveUpperHalvesClear(t *testing.T) {
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "cdf", "*", "*_amd64.s"))
	if err != nil || len(files) == 0 {
		t.Fatal("no assembly: ", err)
	}
	end := regexp.MustCompile(`(?m)^\s*RET$`)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		ends := end.FindAllIndex(text, -1)
		if functions := bytes.Count(text, []byte("\nTEXT ")); len(ends) != functions || functions == 0 {
			t.Errorf("%s: %d functions, %d ends", name, functions, len(ends))
		}
		for _, at := range ends {
			if !bytes.HasSuffix(bytes.TrimSpace(text[:at[0]]), []byte("VZEROUPPER")) {
				t.Errorf("%s: no VZEROUPPER before the RET at byte %d", name, at[0])
			}
		}
	}
}
