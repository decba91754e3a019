//go:build linux

package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv/probe"
)

// asChild makes the test binary start a store, say where, and wait.
const asChild = "CREDENCE_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asChild); dir != "" {
		os.Exit(child(dir))
	}
	os.Exit(m.Run())
}

func child(dir string) int {
	r, err := startRedis(context.Background(), tools{redis: "redis-server"}, dir, "")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(r.url)
	select {} // until killed
}

// TestServersDieWithTheirParent kills a process that started a store: nothing
// in it can clean up, and still the store must be gone.
func TestServersDieWithTheirParent(t *testing.T) {
	if _, err := prepare(t.Context(), Options{}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asChild+"="+t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	addr := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(url), "redis://"), "/0")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() //nolint:errcheck // killed
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	err = probe.Until(ctx, func(ctx context.Context) error {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err != nil {
			return nil
		}
		return errors.Join(errors.New("the store outlived its parent"), c.Close())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSweep removes what a dead process left and nothing else.
func TestSweep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	gone := exec.CommandContext(t.Context(), "true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	dirs := map[string]bool{ // whether it stays
		fmt.Sprintf("%s%d-1", prefix, gone.Process.Pid): false,
		fmt.Sprintf("%s%d-1", prefix, os.Getpid()):      true,
		prefix + "notes": true,
		"other":          true,
	}
	for dir := range dirs {
		if err := os.Mkdir(filepath.Join(os.TempDir(), dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	sweep()
	for dir, stays := range dirs {
		if _, err := os.Stat(filepath.Join(os.TempDir(), dir)); (err == nil) != stays {
			t.Errorf("%s: stays %t, want %t", dir, err == nil, stays)
		}
	}
}

// TestFailedStart tells at once why a server is not there.
func TestFailedStart(t *testing.T) {
	dir := t.TempDir()
	p := &process{log: filepath.Join(dir, "log"), dir: dir, args: []string{"sh", "-c", "echo out of luck; exit 3"}}
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	err := ready(t.Context(), p, func(ctx context.Context) error { return probe.Redis(ctx, "redis://127.0.0.1:1/0") })
	if err == nil || !strings.Contains(err.Error(), "out of luck") {
		t.Errorf("error %v does not show the log", err)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
