//go:build unix

package manual

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/compose"
	"github.com/credence-stream/credence/testenv/programs"
)

// TestMakeBuild does what `make build` says, into a folder of its own, and
// runs what it built.
func TestMakeBuild(t *testing.T) {
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := exec.CommandContext(t.Context(), "make", "-n", "-C", root, "--no-print-directory", "build").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(plan), "-o bin/ ") != 1 {
		t.Fatalf("make build says %q", plan)
	}
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "bash", "-euc", strings.Replace(string(plan), "-o bin/ ", "-o '"+dir+"/' ", 1))
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := programs.Run(t, filepath.Join(dir, "consumer"), "version"); got.Code != 0 || !strings.HasPrefix(got.Data, "consumer ") {
		t.Errorf("consumer version: %+v", got)
	}
	if got := programs.Run(t, filepath.Join(dir, "producer"), "replay", "--help"); got.Code != 0 || !strings.Contains(got.Data, "--key-column") {
		t.Errorf("producer replay --help: %+v", got)
	}
}
