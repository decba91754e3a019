//go:build unix

package rows

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOnlyPlainFiles names folders and a pipe that nobody writes to: none is waited for.
func TestOnlyPlainFiles(t *testing.T) {
	for _, ending := range Extensions {
		dir := filepath.Join(t.TempDir(), "in"+ending)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), dir, Selection{Key: "k"}, Watch{}); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "a folder; name one file in it") {
			t.Errorf("a folder in%s: %v", ending, err)
		}
		pipe := filepath.Join(t.TempDir(), "pipe"+ending)
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), pipe, Selection{Key: "k"}, Watch{}); !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "not a plain file") {
			t.Errorf("a pipe in%s: %v", ending, err)
		}
	}
}
