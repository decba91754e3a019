//go:build unix

package api

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// perOperation is how many examples schemathesis is told to make of each
// operation: few by default, more on real parts (CREDENCE_BACKEND), or
// CREDENCE_EXAMPLES, with 450 of which come 10,000 requests.
func perOperation(t *testing.T) int {
	if text := os.Getenv("CREDENCE_EXAMPLES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal("CREDENCE_EXAMPLES:", err)
		}
		return n
	}
	if os.Getenv("CREDENCE_BACKEND") != "" {
		return 100
	}
	return 15
}

// requestsPerExample is how many requests an example of each operation makes
// at the least.
const requestsPerExample = 22

// unfit are the paths where what the document allows may still not fit: rows and
// expressions of any form a model, an order a page. No document says what all models
// take, or which parameters exclude each other. Of one model it says that, but not from which
// numbers on a prediction is beyond floats.
var unfit = []string{"/v1/models", "/v1/models/{key}/predict", "/v1/model/predict", "/v1/models/{key}/contrast", "/v1/model/contrast"}

// settings let such requests be refused.
func settings() []byte {
	var b []byte
	paths := slices.Clone(unfit)
	for _, key := range keys {
		paths = append(paths, predictPath(key))
	}
	for _, path := range paths {
		b = fmt.Appendf(b, "[[operations]]\ninclude-path = %q\nchecks.positive_data_acceptance.expected-statuses = [\"2xx\", 404, 422]\n", path)
	}
	return b
}

// counter stands between schemathesis and the consumer and counts.
type counter struct {
	mu       sync.Mutex
	n        int
	statuses map[int]int
	broken   []string // requests that failed on our side
}

func (c *counter) seen(r *http.Response) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	c.statuses[r.StatusCode]++
	if r.StatusCode >= http.StatusInternalServerError && len(c.broken) < 10 {
		c.broken = append(c.broken, fmt.Sprintf("%s %s: %d", r.Request.Method, r.Request.URL, r.StatusCode))
	}
	return nil
}

// testers is how many schemathesis run side by side, each with a share of the
// paths and one thread: before Python 3.11.8 its parser fails at times where
// threads share it (SystemError: AST constructor recursion depth mismatch).
const testers = 2

// TestSchemathesis sends what schemathesis makes from the document, which the
// server serves, to a consumer with models of every kind: no answer may be a
// 5xx, and every answer must be as the document says. The stream of events does
// not end and has tests of its own.
func TestSchemathesis(t *testing.T) {
	python := testenv.Schemathesis(t)
	if python == "" {
		t.Skip("no schemathesis")
	}
	examples := perOperation(t)
	base := open(t)
	target, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	count := &counter{statuses: map[int]int{}}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); whole(r) }, ModifyResponse: count.seen, ErrorHandler: count.failed,
	})
	t.Cleanup(proxy.Close)
	type said struct {
		text []byte
		err  error
	}
	results := make([]said, testers)
	var all sync.WaitGroup
	for i, document := range shares(t, pointed(t, base), testers) {
		dir := t.TempDir()
		for name, text := range map[string][]byte{"openapi.json": document, "schemathesis.toml": settings()} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		// ignored_auth needs a server with a token; sink/web tests that. The
		// health checks are about how fast examples are made on this machine.
		cmd := exec.CommandContext(t.Context(), python, "-m", "schemathesis.cli", "run", "openapi.json",
			"--url", proxy.URL, "--exclude-path", "/v1/events", "--checks", "all", "--exclude-checks", "ignored_auth",
			"--phases", "examples,coverage,fuzzing", "--max-examples", strconv.Itoa(examples), "--seed", "1", "--request-timeout", "60",
			"--continue-on-failure", "--suppress-health-check", "all", "--generation-database", "none", "--no-color", "--workers", "1")
		cmd.Dir, cmd.Env = dir, programs.Surroundings()
		all.Go(func() { results[i].text, results[i].err = cmd.CombinedOutput() })
	}
	all.Wait()
	count.mu.Lock()
	defer count.mu.Unlock()
	fmt.Printf("schemathesis made %d requests, answered %s\n", count.n, count.summary())
	t.Run("document", func(t *testing.T) {
		for _, r := range results {
			if r.err != nil {
				t.Errorf("schemathesis: %v\n%s", r.err, r.text[max(0, len(r.text)-20_000):])
			}
		}
	})
	t.Run("no 5xx", func(t *testing.T) {
		if len(count.broken) > 0 {
			t.Errorf("failed on our side:\n%s", strings.Join(count.broken, "\n"))
		}
	})
	t.Run("requests", func(t *testing.T) {
		if least := requestsPerExample * examples; count.n < least {
			t.Errorf("%d requests, want at least %d", count.n, least)
		}
		if good := count.statuses[http.StatusOK]; good < count.n/10 {
			t.Errorf("only %d of %d requests were answered with 200: the others test little", good, count.n)
		}
	})
}

// whole reads the body of a request before it goes on. The server closes a body
// when its answer begins, and a transport that has not seen the end of it by
// then cuts the connection, and the answer with it: once in some 30,000 requests.
func whole(r *httputil.ProxyRequest) {
	if r.Out.Body != nil {
		body, _ := io.ReadAll(r.In.Body) // what is cut short does not have its length, and fails
		r.Out.Body = io.NopCloser(bytes.NewReader(body))
	}
}

// failed counts a request that got no answer, or none in time.
func (c *counter) failed(w http.ResponseWriter, r *http.Request, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = append(c.broken, fmt.Sprintf("%s %s: %v", r.Method, r.URL, err))
	w.WriteHeader(http.StatusBadGateway)
}

func (c *counter) summary() string {
	var parts []string
	for status, n := range c.statuses {
		parts = append(parts, fmt.Sprintf("%d x %d", status, n))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}
