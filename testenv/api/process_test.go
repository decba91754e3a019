//go:build unix

package api

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv"
)

// programs is the folder of the programs under test, set once before any test
// runs.
var programs string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "credence-api-*")
	if err == nil {
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		programs, err = dir, build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return testenv.Main(m)
}

// build compiles both programs.
func build(dir string) error {
	args := []string{"build", "-o", dir + string(filepath.Separator)}
	if overlay := os.Getenv("CREDENCE_OVERLAY"); overlay != "" { // a planted fault
		args = append(args, "-overlay", overlay)
	}
	const module = "github.com/credence-stream/credence/cmd/"
	out, err := exec.CommandContext(context.Background(), "go", append(args, module+"consumer", module+"producer")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build the programs under test: %w\n%s", err, out)
	}
	return nil
}

// surroundings are this process's, without what would configure the programs.
func surroundings() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "CREDENCE_") {
			env = append(env, v)
		}
	}
	return env
}

// produce runs the producer to its end.
func produce(t *testing.T, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(programs, "producer"), args...)
	cmd.Env = surroundings()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("producer %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// transcript is what a running program has said so far.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *transcript) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// consume runs a consumer until the end of the test and returns the URL of
// its HTTP server.
func consume(t *testing.T, config string) string {
	t.Helper()
	said, done := new(transcript), make(chan struct{})
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(programs, "consumer"), "run", "--config", config)
	cmd.Env, cmd.Stderr = surroundings(), said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait() // what it said tells
		close(done)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-done:
		case <-time.After(15 * time.Second):
			_ = cmd.Process.Kill()
			<-done
		}
		if t.Failed() {
			text := said.String()
			t.Logf("the consumer's last words:\n%s", text[max(0, len(text)-4000):])
		}
	})
	at := regexp.MustCompile(`http server listens" address=(\S+)`)
	var base string
	eventually(t, "the HTTP server's address", func() bool {
		if m := at.FindStringSubmatch(said.String()); m != nil {
			base = "http://" + m[1]
		}
		return base != ""
	})
	return base
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	end := time.After(time.Minute)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("waited a minute for %s", what)
		}
	}
}
