//go:build unix

package main

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every module of a program has its licence among the notices, and Go has; a module
// without one stops the release.
func TestNotices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "producer")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w", "-o", path, "./cmd/producer")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := notices(t.Context(), root, path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil || len(info.Deps) < 20 {
		t.Fatalf("%d modules, %v", len(info.Deps), err)
	}
	titles := []string{"Go " + strings.TrimPrefix(info.GoVersion, "go")}
	for _, m := range info.Deps {
		titles = append(titles, m.Path+" "+m.Version)
	}
	for _, title := range titles {
		if !strings.Contains(string(text), "\n"+title+", ") {
			t.Errorf("nothing about %s", title)
		}
	}
	for _, says := range []string{"Apache License", "Copyright (c)", "Redistribution and use", "apache/thrift"} {
		if !strings.Contains(string(text), says) {
			t.Errorf("the notices do not say %q", says)
		}
	}
	bare := t.TempDir()
	if err := os.WriteFile(filepath.Join(bare, "NOTICE"), []byte("ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := appendNotices(new(strings.Builder), "example.org/bare v1.0.0", bare); err == nil || !strings.Contains(err.Error(), "no licence") {
		t.Errorf("a module without a licence: %v", err)
	}
}
