//go:build unix

package api

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/programs"
)

// Requests of a run on real parts (CREDENCE_BACKEND=real) or in CI, and of a
// quick one; examples is what schemathesis is told to make per operation.
const (
	fullRequests, fullExamples   = 10_000, 600
	quickRequests, quickExamples = 600, 25
)

// settings let rows of any form be refused by a model that they do not fit: no
// document says what all models take.
const settings = `
[[operations]]
include-path = "/v1/models/{key}/predict"
checks.positive_data_acceptance.expected-statuses = ["2xx", 404, 422]
`

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

// TestSchemathesis sends what schemathesis makes from the document, which the
// server serves, to a consumer with models of every kind: no answer may be a
// 5xx, and every answer must be as the document says. The stream of events does
// not end and has a test of its own.
func TestSchemathesis(t *testing.T) {
	python := testenv.Schemathesis(t)
	if python == "" {
		t.Skip("no schemathesis")
	}
	least, examples := quickRequests, quickExamples
	if os.Getenv("CI") == "true" || os.Getenv("CREDENCE_BACKEND") != "" {
		least, examples = fullRequests, fullExamples
	}
	base := open(t)
	target, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	count := &counter{statuses: map[int]int{}}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, ModifyResponse: count.seen, ErrorHandler: count.failed,
	})
	t.Cleanup(proxy.Close)
	document := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(document, pointed(t, base), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "schemathesis.toml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-m", "schemathesis.cli", "run", document,
		"--url", proxy.URL, "--exclude-path", "/v1/events", "--checks", "all", "--exclude-checks", "ignored_auth",
		"--phases", "examples,coverage,fuzzing", "--max-examples", strconv.Itoa(examples), "--seed", "1",
		"--request-timeout", "60", "--continue-on-failure", "--suppress-health-check", "all", "--generation-database", "none", "--no-color", "--workers", "2")
	cmd.Dir = dir
	cmd.Env = programs.Surroundings()
	out, err := cmd.CombinedOutput()
	count.mu.Lock()
	defer count.mu.Unlock()
	fmt.Printf("schemathesis made %d requests, answered %s\n", count.n, count.summary())
	t.Run("document", func(t *testing.T) {
		if err != nil {
			t.Errorf("schemathesis: %v\n%s", err, out[max(0, len(out)-20_000):])
		}
	})
	t.Run("no 5xx", func(t *testing.T) {
		if len(count.broken) > 0 {
			t.Errorf("failed on our side:\n%s", strings.Join(count.broken, "\n"))
		}
	})
	t.Run("requests", func(t *testing.T) {
		if count.n < least {
			t.Errorf("%d requests, want at least %d", count.n, least)
		}
		if good := count.statuses[http.StatusOK]; good < count.n/10 {
			t.Errorf("only %d of %d requests were answered with 200: the others test little", good, count.n)
		}
	})
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

// pointed returns the server's document with keys that there are among those
// that may be, and for each of these a path of its own to predict what its
// model can: what is made at random has no model, and fits none.
func pointed(t *testing.T, base string) []byte {
	t.Helper()
	var doc map[string]any
	get(t, base+"/v1/openapi.json", &doc)
	at := func(path ...string) map[string]any {
		v := doc
		for _, p := range path {
			next, ok := v[p].(map[string]any)
			if !ok {
				t.Fatalf("the document has no %s", strings.Join(path, "."))
			}
			v = next
		}
		return v
	}
	key := at("components", "parameters", "Key")
	key["schema"] = map[string]any{"anyOf": []any{map[string]any{"enum": keys}, key["schema"]}}
	paths := at("paths")
	for _, key := range keys {
		row, required, steps := map[string]any{}, []string{}, strings.HasPrefix(key, "dlm/")
		for _, in := range inputs(t, base, key) {
			switch {
			case in.Role == "response":
				continue
			case in.Type == "category" && in.Other == "reject":
				row[in.Name] = map[string]any{"enum": in.Levels}
			case in.Type == "category":
				row[in.Name] = map[string]any{"type": []string{"string", "integer", "boolean"}, "minimum": math.MinInt64, "maximum": math.MaxInt64}
			case in.Role == "exposure":
				row[in.Name] = map[string]any{"type": "number", "exclusiveMinimum": 0}
			default:
				row[in.Name] = map[string]any{"type": []string{"number", "boolean"}}
			}
			required = append(required, in.Name)
		}
		schema := map[string]any{"type": "object", "required": []string{"rows"}, "additionalProperties": false, "properties": map[string]any{
			"rows": map[string]any{"type": "array", "minItems": 1, "items": map[string]any{
				"type": "object", "properties": row, "required": required,
			}},
		}}
		if steps {
			schema = map[string]any{"$ref": "#/components/schemas/PredictSteps"}
		}
		post := map[string]any{}
		for name, v := range at("paths", "/v1/models/{key}/predict", "post") {
			post[name] = v
		}
		post["operationId"] = "predict " + key
		post["requestBody"] = map[string]any{"required": true, "content": map[string]any{"application/json": map[string]any{"schema": schema}}}
		paths["/v1/models/"+url.PathEscape(key)+"/predict"] = map[string]any{"post": post}
	}
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// input is one of what a model's rows are made of.
type input struct {
	Name, Role, Type, Other string
	Levels                  []string
}

func inputs(t *testing.T, base, key string) []input {
	t.Helper()
	var about struct{ Inputs []input }
	get(t, base+"/v1/models/"+url.PathEscape(key)+"/about", &about)
	if len(about.Inputs) == 0 {
		t.Fatalf("%s has no inputs", key)
	}
	return about.Inputs
}
