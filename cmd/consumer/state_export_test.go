//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestExportOverWhatIsNoFile: an export to a pipe goes through it, and one to a link to where
// it leads. Either was replaced by a file, and so was a device: as root /dev/stdout for all.
func TestExportOverWhatIsNoFile(t *testing.T) {
	w := settled(t)
	dir := t.TempDir()
	plain, pipe, link, led := filepath.Join(dir, "plain"), filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "led")
	w.must("state", "export", "--out", plain)
	want, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	through := make(chan []byte, 1)
	go func() {
		b, _ := os.ReadFile(pipe) // compared below
		through <- b
	}()
	w.must("state", "export", "--out", pipe)
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Fatalf("the pipe is one no more: %v, %v", info.Mode(), err) // and its reader waits for ever
	}
	if !bytes.Equal(<-through, want) {
		t.Error("another export went through the pipe than into the file")
	}
	if err := os.WriteFile(led, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(led, link); err != nil {
		t.Fatal(err)
	}
	w.must("state", "export", "--out", link)
	got, err := os.ReadFile(led)
	if info, lerr := os.Lstat(link); err != nil || lerr != nil || info.Mode()&os.ModeSymlink == 0 || !bytes.Equal(got, want) {
		t.Errorf("the link is %v, and it leads to %d bytes: %v, %v", info.Mode(), len(got), err, lerr)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
