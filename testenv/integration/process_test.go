//go:build unix

package integration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

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

// ended is what a program that ended has said.
type ended struct {
	code           int
	data, messages string
}

// command runs a program to its end.
func command(t *testing.T, program string, args ...string) ended {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = surroundings()
	var data, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &data, &messages
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(program), strings.Join(args, " "), err, last(messages.String()))
	}
	return ended{cmd.ProcessState.ExitCode(), data.String(), messages.String()}
}

// last is the end of a long text.
func last(s string) string { return s[max(0, len(s)-4000):] }

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

// service is a running consumer.
type service struct {
	cmd      *exec.Cmd
	messages transcript
	done     chan struct{} // closed when it has ended
	base     string        // of its URLs
}

// start runs the consumer until stop, or the end of the test.
func (w *world) start(t *testing.T, args ...string) *service {
	t.Helper()
	s := &service{done: make(chan struct{})}
	s.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(programs, "consumer"), append([]string{"run", "--config", w.file}, args...)...)
	s.cmd.Env, s.cmd.Stderr = surroundings(), &s.messages
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = s.cmd.Wait() // ProcessState has it
		close(s.done)
	}()
	t.Cleanup(func() {
		if !s.ended() {
			if t.Failed() && s.base != "" {
				t.Logf("the consumer is %s", s.excuse())
			}
			_ = s.cmd.Process.Signal(syscall.SIGTERM)
			select {
			case <-s.done:
			case <-time.After(15 * time.Second):
				_ = s.cmd.Process.Kill()
				<-s.done
			}
		}
		if t.Failed() {
			t.Logf("a consumer's last words:\n%s", last(s.messages.String()))
		}
	})
	at := regexp.MustCompile(`http server listens" address=(\S+)`)
	eventually(t, 30*time.Second, "the HTTP server's address", func() (bool, error) {
		if m := at.FindStringSubmatch(s.messages.String()); m != nil {
			s.base = "http://" + m[1]
			return true, nil
		}
		if s.ended() {
			t.Fatalf("the consumer ended:\n%s", last(s.messages.String()))
		}
		return false, nil
	})
	return s
}

func (s *service) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// stop sends SIGTERM and expects an orderly end.
func (s *service) stop(t *testing.T) {
	t.Helper()
	if s.ended() {
		t.Fatalf("the consumer had ended by itself: %v\n%s", s.cmd.ProcessState, last(s.messages.String()))
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.done:
	case <-time.After(30 * time.Second):
		t.Fatal("the consumer did not end within 30 s of SIGTERM")
	}
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d after SIGTERM\n%s", code, last(s.messages.String()))
	}
}

// fetch asks the consumer over HTTP.
func (s *service) fetch(t *testing.T, path string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%v\n%s", err, last(s.messages.String()))
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// excuse is what the consumer says of itself when a test has failed.
func (s *service) excuse() string {
	resp, err := http.Get(s.base + "/readyz") //nolint:noctx // the test's context has ended
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(resp.Body)
	return fmt.Sprint(string(b), err)
}

// readiness waits until /readyz has a status.
func (s *service) readiness(t *testing.T, status int, within time.Duration) string {
	t.Helper()
	var said string
	eventually(t, within, fmt.Sprintf("/readyz %d", status), func() (bool, error) {
		var got int
		if got, said = s.fetch(t, "/readyz"); got != status {
			return false, fmt.Errorf("it says %d %s", got, said)
		}
		return true, nil
	})
	return said
}

// metric is the sum of a metric's values over the label sets that hold all of
// the given ones, each as name="value".
func (s *service) metric(t *testing.T, name string, labels ...string) float64 {
	t.Helper()
	_, text := s.fetch(t, "/metrics")
	sum := 0.0
next:
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, "credence_"+name)
		if !ok || rest[0] != '{' && rest[0] != ' ' {
			continue
		}
		for _, l := range labels {
			if !strings.Contains(rest, l) {
				continue next
			}
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(rest[strings.LastIndex(rest, " "):]), 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += v
	}
	return sum
}

// peak is the most memory that the process has had, in bytes.
func (s *service) peak(t *testing.T) (int64, bool) {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, false
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(b)
	if m == nil {
		return 0, false
	}
	kb, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10, true
}
