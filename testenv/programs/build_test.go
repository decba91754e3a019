//go:build unix

package programs

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// TestBuildIsShared: who builds at once has whole programs each, which are the same files.
func TestBuildIsShared(t *testing.T) {
	var group sync.WaitGroup
	dirs, found := []string{t.TempDir(), t.TempDir()}, make([]error, 2)
	for i, dir := range dirs {
		group.Go(func() { found[i] = Build(t.Context(), dir) })
	}
	group.Wait()
	var first os.FileInfo
	for i, dir := range dirs {
		if found[i] != nil {
			t.Fatal(found[i])
		}
		program := filepath.Join(dir, "consumer")
		if err := exec.CommandContext(t.Context(), program, "version").Run(); err != nil {
			t.Error(err)
		}
		info, err := os.Stat(program)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = info
		}
		if info.Size() != first.Size() {
			t.Errorf("programs of %d and %d bytes", first.Size(), info.Size())
		}
	}
}

// TestLinkedProgramsStay: the program that a test has is the one that it was given, also
// when another is built under the shared name.
func TestLinkedProgramsStay(t *testing.T) {
	shared, mine := t.TempDir(), filepath.Join(t.TempDir(), "times")
	at := filepath.Join(shared, "times")
	const older = "\x7fELF, and nothing else"                      // which the go command takes for a program, and replaces
	if err := os.WriteFile(at, []byte(older), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	if err := link(at, mine); err != nil {
		t.Fatal(err)
	}
	if err := build(t.Context(), shared, []string{"testenv/times"}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != older {
		t.Errorf("it has become another: %v, %d bytes", err, len(text))
	}
	if text, err := os.ReadFile(at); err != nil || string(text) == older {
		t.Errorf("nothing was built: %v", err)
	}
}
