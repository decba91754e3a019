package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/pipeline"
)

type lookup map[string]error // the error, or nil for a posterior

func (l lookup) Posterior(_ context.Context, key string) (*pipeline.Posterior, error) {
	err, known := l[key]
	if err != nil || !known {
		return nil, err
	}
	return &pipeline.Posterior{Key: key}, nil
}

type encoder string

func (e encoder) ContentType() string { return string(e) }
func (e encoder) Append(dst []byte, p *pipeline.Posterior, limit int) ([]byte, error) {
	return fmt.Appendf(dst, "%s %s %d", e, p.Key, limit), nil
}

const (
	jsonType  = "application/json"
	arrowType = "application/vnd.apache.arrow.stream"
)

func newServer(t *testing.T, change func(*Options)) *Server {
	t.Helper()
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "credence_probe"}, func() float64 { return 7 }))
	o := Options{
		Listen: "127.0.0.1:0",
		Ready:  func() []string { return nil },
		Lookup: lookup{
			"flights/ATL": nil, "a b/../ü?": nil, "x//y": nil, "a+b": nil,
			"damaged": fmt.Errorf("key damaged: %w", pipeline.ErrDamaged),
			"away":    errors.New("dial tcp store.internal:6379: refused"),
		},
		Encoders: []pipeline.Encoder{encoder(jsonType), encoder(arrowType)},
		Limit:    4096,
		Metrics:  metrics,
		Logger:   slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&o)
	}
	s, err := Listen(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.listener.Close() })
	return s
}

// ask sends one request to the handler and returns status, headers and body.
func ask(s *Server, method, target string, header ...string) (int, http.Header, string) {
	r := httptest.NewRequestWithContext(context.Background(), method, "http://localhost"+target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w.Code, w.Header(), w.Body.String()
}

func errorCode(body string) string {
	var f failure
	if json.Unmarshal([]byte(body), &f) != nil || f.Error.Message == "" {
		return "not an error body: " + body
	}
	return f.Error.Code
}

func TestHealth(t *testing.T) {
	var reasons []string
	s := newServer(t, func(o *Options) { o.Ready = func() []string { return reasons }; o.Token = "secret" })
	if status, _, _ := ask(s, "GET", "/livez"); status != 200 {
		t.Errorf("/livez without a token: %d, want 200", status)
	}
	if status, _, body := ask(s, "GET", "/readyz"); status != 200 || body != `{"status":"ready"}`+"\n" {
		t.Errorf("/readyz when ready: %d %s", status, body)
	}
	reasons = []string{"shards/0 halted: gap", "redis does not answer"}
	status, _, body := ask(s, "GET", "/readyz")
	if status != 503 || !strings.Contains(body, reasons[0]) || !strings.Contains(body, reasons[1]) {
		t.Errorf("/readyz when not ready: %d %s, want 503 with both reasons", status, body)
	}
	if status, _, _ := ask(s, "GET", "/livez"); status != 200 {
		t.Errorf("/livez when not ready: %d, want 200", status)
	}
}

func TestModelByKey(t *testing.T) {
	s := newServer(t, nil)
	for _, key := range []string{"flights/ATL", "a b/../ü?", "x//y", "a+b"} {
		status, header, body := ask(s, "GET", "/v1/models/"+url.PathEscape(key))
		if want := fmt.Sprintf("%s %s 4096", jsonType, key); status != 200 || body != want {
			t.Errorf("key %q: %d %q, want 200 %q", key, status, body, want)
		}
		if header.Get("Content-Type") != jsonType || header.Get("Cache-Control") != "no-store" {
			t.Errorf("key %q: headers %v", key, header)
		}
	}
	if status, _, body := ask(s, "GET", "/v1/models/flights/ATL"); status != 200 {
		t.Errorf("slash not escaped: %d %s, want 200", status, body)
	}
}

func TestModelErrors(t *testing.T) {
	s := newServer(t, nil)
	for _, c := range []struct {
		method, target string
		status         int
		code           string
	}{
		{"GET", "/v1/models/nobody", 404, "not_found"},
		{"GET", "/v1/models/", 400, "bad_key"},
		{"GET", "/v1/models/" + strings.Repeat("x", 513), 400, "bad_key"},
		{"GET", "/v1/models/%ff", 400, "bad_key"},
		{"POST", "/v1/models/flights%2FATL", 405, "method_not_allowed"},
		{"GET", "/v1/models/damaged", 500, "damaged_state"},
		{"GET", "/v1/models/away", 503, "unavailable"},
		{"GET", "/nothing", 404, "not_found"},
		{"POST", "/metrics", 405, "method_not_allowed"},
		{"DELETE", "/readyz", 405, "method_not_allowed"},
	} {
		status, header, body := ask(s, c.method, c.target)
		if status != c.status || errorCode(body) != c.code {
			t.Errorf("%s %.40s: %d %s, want %d %s", c.method, c.target, status, body, c.status, c.code)
		}
		if header.Get("Content-Type") != jsonType {
			t.Errorf("%s %.40s: content type %s", c.method, c.target, header.Get("Content-Type"))
		}
		if strings.Contains(body, "store.internal") {
			t.Errorf("%s %s tells the client about hosts: %s", c.method, c.target, body)
		}
	}
}

func TestAccept(t *testing.T) {
	s := newServer(t, nil)
	for _, c := range []struct{ accept, want string }{
		{"", jsonType},
		{"*/*", jsonType},
		{"application/*", jsonType},
		{arrowType, arrowType},
		{"application/json;q=0.5, " + arrowType, arrowType},
		{"application/json, " + arrowType + ";q=0.9", jsonType},
		{"text/html, */*;q=0.1", jsonType},
		{"application/json;q=0, */*", arrowType},
		{"application/*, application/json;q=0.2", arrowType},
		{"text/html", ""},
		{"application/json;q=x", ""},
	} {
		status, header, body := ask(s, "GET", "/v1/models/flights%2FATL", "Accept", c.accept)
		if c.want == "" {
			if status != 406 || errorCode(body) != "not_acceptable" {
				t.Errorf("Accept %q: %d %s, want 406", c.accept, status, body)
			}
			continue
		}
		if got := header.Get("Content-Type"); status != 200 || got != c.want {
			t.Errorf("Accept %q: %d %s, want %s", c.accept, status, got, c.want)
		}
	}
}

func TestToken(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Token = "secret" })
	for _, target := range []string{"/metrics", "/v1/models/flights%2FATL", "/nothing"} {
		for _, given := range []string{"", "Bearer wrong", "Bearer secretly", "Basic secret", "Bearer "} {
			status, header, body := ask(s, "GET", target, "Authorization", given)
			if status != 401 || errorCode(body) != "unauthorized" || header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s with %q: %d %s, want 401", target, given, status, body)
			}
		}
		if status, _, _ := ask(s, "GET", target, "Authorization", "bearer secret"); status == 401 {
			t.Errorf("%s with the token: 401", target)
		}
	}
}

func TestReadToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	for _, c := range []struct{ text, want, fails string }{
		{"secret\n", "secret", ""},
		{" \n", "", "is empty"},
		{"two words", "", "without spaces"},
	} {
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadToken(file)
		if got != c.want || (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%q: %q, %v", c.text, got, err)
		}
	}
	if got, err := ReadToken(""); got != "" || err != nil {
		t.Errorf("no file: %q, %v", got, err)
	}
	if _, err := ReadToken(file + ".none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestMetrics(t *testing.T) {
	if status, _, body := ask(newServer(t, nil), "GET", "/metrics"); status != 200 || !strings.Contains(body, "credence_probe 7") {
		t.Errorf("%d %s", status, body)
	}
}

func TestTakenPortIsNamed(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if _, err = Listen(t.Context(), Options{Listen: l.Addr().String()}); err == nil || !strings.Contains(err.Error(), "http.listen "+l.Addr().String()) {
		t.Errorf("a taken port: %v, want an error with %s", err, l.Addr())
	}
}

// A request under way when the server is told to end still gets its answer,
// and Run returns only then.
func TestShutdownWaitsForRequests(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	s := newServer(t, func(o *Options) {
		o.Ready = func() []string { close(entered); <-leave; return nil }
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	answer := make(chan string, 1)
	go func() {
		q, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, "http://"+s.Addr()+"/readyz", nil)
		if err != nil {
			answer <- err.Error()
			return
		}
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			answer <- err.Error()
			return
		}
		defer func() { _ = r.Body.Close() }()
		b, _ := io.ReadAll(r.Body)
		answer <- string(b)
	}()
	<-entered
	cancel()
	select {
	case err := <-done:
		t.Fatalf("Run returned %v with a request under way", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(leave)
	if got := <-answer; !strings.Contains(got, "ready") {
		t.Errorf("the request under way got %q", got)
	}
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
}
