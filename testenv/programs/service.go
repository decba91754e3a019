//go:build unix

package programs

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

	"github.com/credence-stream/credence/testenv/probe"
)

// Surroundings are this process's, without what would configure the programs.
func Surroundings() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "CREDENCE_") {
			env = append(env, v)
		}
	}
	return env
}

// Ended is what a program that ended has said.
type Ended struct {
	Code           int
	Data, Messages string // of stdout and stderr
}

// Run runs a program to its end, within probe.Patience. An exit code is no
// failure.
func Run(t testing.TB, program string, args ...string) Ended {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = Surroundings()
	var data, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &data, &messages
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(program), strings.Join(args, " "), err, Last(messages.String()))
	}
	return Ended{cmd.ProcessState.ExitCode(), data.String(), messages.String()}
}

// Last is the end of a long text.
func Last(s string) string { return s[max(0, len(s)-4000):] }

// Transcript is what a running program has said so far.
type Transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *Transcript) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *Transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// Service is a running consumer with an HTTP server.
type Service struct {
	Messages Transcript // of stderr
	Base     string     // of its URLs

	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

// Start runs a consumer, its first argument `run` or `demo`, until Stop or the
// end of the test, and returns when its HTTP server listens.
func Start(t testing.TB, program string, args ...string) *Service {
	t.Helper()
	s := &Service{done: make(chan struct{})}
	s.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), program, args...)
	s.cmd.Env, s.cmd.Stderr = Surroundings(), &s.Messages
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = s.cmd.Wait() // ProcessState has it
		close(s.done)
	}()
	t.Cleanup(func() {
		if !s.Ended() {
			if t.Failed() && s.Base != "" {
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
			t.Logf("a consumer's last words:\n%s", Last(s.Messages.String()))
		}
	})
	at := regexp.MustCompile(`(?:http server listens" address=|http://)(127\.0\.0\.1:\d+)`) // of run, of demo
	Eventually(t, "the HTTP server's address", func() (bool, error) {
		if m := at.FindStringSubmatch(s.Messages.String()); m != nil {
			s.Base = "http://" + m[1]
			return true, nil
		}
		if s.Ended() {
			t.Fatalf("the consumer ended:\n%s", Last(s.Messages.String()))
		}
		return false, nil
	})
	return s
}

// PID is the id of the process.
func (s *Service) PID() int { return s.cmd.Process.Pid }

// Ended reports whether the process has ended.
func (s *Service) Ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Kill ends the program as a crash does.
func (s *Service) Kill(t testing.TB) {
	t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.done
}

// Stop sends SIGTERM and expects an orderly end.
func (s *Service) Stop(t testing.TB) {
	t.Helper()
	if s.Ended() {
		t.Fatalf("the consumer had ended by itself: %v\n%s", s.cmd.ProcessState, Last(s.Messages.String()))
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.done:
	case <-time.After(probe.Patience):
		t.Fatalf("the consumer did not end within %v of SIGTERM", probe.Patience)
	}
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d after SIGTERM\n%s", code, Last(s.Messages.String()))
	}
}

// Fetch asks the consumer over HTTP.
func (s *Service) Fetch(t testing.TB, path string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("%v\n%s", err, Last(s.Messages.String()))
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// excuse is what the consumer says of itself when a test has failed.
func (s *Service) excuse() string {
	resp, err := http.Get(s.Base + "/readyz") //nolint:noctx // the test's context has ended
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(resp.Body)
	return fmt.Sprint(string(b), err)
}

// Readiness waits until /readyz has a status.
func (s *Service) Readiness(t testing.TB, status int) string {
	t.Helper()
	var said string
	Eventually(t, fmt.Sprintf("/readyz %d", status), func() (bool, error) {
		var got int
		if got, said = s.Fetch(t, "/readyz"); got != status {
			return false, fmt.Errorf("it says %d %s", got, said)
		}
		return true, nil
	})
	return said
}

// Metric is the sum of a metric's values over the label sets that hold all of
// the given ones, each as name="value".
func (s *Service) Metric(t testing.TB, name string, labels ...string) float64 {
	t.Helper()
	_, text := s.Fetch(t, "/metrics")
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

// Peak is the most memory that the process has had, in bytes.
func (s *Service) Peak(t testing.TB) (int64, bool) {
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

// Sockets is how many connections and listeners the process has open.
func (s *Service) Sockets(t testing.TB) (n int, ok bool) {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid)
	files, err := os.ReadDir(dir)
	if err != nil {
		return 0, false
	}
	for _, f := range files {
		if to, err := os.Readlink(filepath.Join(dir, f.Name())); err == nil && strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n, true
}
