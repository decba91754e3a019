package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// engine is a docker that has no image, can pull every one, and writes down what it is told.
const engine = `#!/bin/sh
echo "$@" >> "$CALLS"
[ "$1 $2" != "image inspect" ]
`

// TestImagesComeByTheirDigest: make up pulls what the lock has by its digest and gives it the
// tag that docker-compose.yml names; our own image is built on the builder of that digest.
func TestImagesComeByTheirDigest(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	root := t.TempDir()
	for _, name := range []string{"testenv/compose/prepare", "testenv/offline/lib.sh", "testenv/offline/engine.sh", "docker-compose.yml"} {
		write(t, filepath.Join(root, filepath.FromSlash(name)), read(t, filepath.Join(repository, filepath.FromSlash(name))))
	}
	refs, err := references(repository)
	if err != nil {
		t.Fatal(err)
	}
	lock := map[string]string{}
	for i, ref := range refs {
		if ref != "redis:7" { // which nobody has looked up
			lock[ref] = "sha256:" + strings.Repeat(string(rune('0'+i)), 64)
		}
	}
	write(t, filepath.Join(root, filepath.FromSlash(lockFile)), "")
	if err := writeLock(filepath.Join(root, filepath.FromSlash(lockFile)), refs, lock); err != nil {
		t.Fatal(err)
	}
	bin, calls := t.TempDir(), filepath.Join(t.TempDir(), "calls")
	write(t, filepath.Join(bin, "docker"), engine)
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "testenv", "compose", "prepare"))
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "CREDENCE_") && !strings.HasPrefix(v, "PATH=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"), "CALLS="+calls, "XDG_CACHE_HOME="+t.TempDir(), "COMPOSE_PROFILES=observe")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	said := read(t, calls)
	for _, ref := range slices.Sorted(maps.Keys(lock)) {
		at := ref + "@" + lock[ref]
		if !strings.Contains(said, "pull --quiet "+at+"\n") || !strings.Contains(said, "tag "+at+" "+ref+"\n") {
			t.Errorf("%s is not taken by its digest:\n%s", ref, said)
		}
	}
	if !strings.Contains(said, "pull --quiet redis:7\n") || !strings.Contains(said, "--build-arg BUILDER=golang:1.26@"+lock["golang:1.26"]+" ") {
		t.Errorf("said was\n%s", said)
	}
}

// write makes a file that may be executed, and the folders on the way to it.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}
