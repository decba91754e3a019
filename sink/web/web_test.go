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
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/arrow"
	"github.com/credence-stream/credence/sink"
	"github.com/credence-stream/credence/sink/live"
)

// shelf is a store and a cluster in memory: real models, taken through shards
// when they are put there.
type shelf struct {
	rules   []pipeline.Rule
	models  map[string]*Model
	keys    [4][]string // per partition, in byte order
	errs    map[string]error
	letters []Letter
	ends    []int64
	away    error
	reads   int // keys read
	mu      sync.Mutex
}

func (s *shelf) Model(_ context.Context, key string) (*Model, error) {
	m := s.models[key]
	if m == nil || m.Filter == nil {
		return m, s.errs[key]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	snapshot, err := m.Filter.AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	own := *m
	own.Filter = cdf.NewFilter(m.Rule.Spec, key)
	if err := own.Filter.UnmarshalBinary(snapshot); err != nil {
		return nil, err
	}
	if sum := m.Filter.AppendSummary(nil); len(sum) > 0 {
		err = own.Filter.RestoreSummary(sum)
	}
	return &own, errors.Join(err, s.errs[key])
}

func (s *shelf) Rule(key string) (pipeline.Rule, bool) {
	for _, r := range s.rules {
		if cdf.Glob(r.Match, key) {
			return r, true
		}
	}
	return pipeline.Rule{}, false
}

func (s *shelf) Keys(_ context.Context, partition int32, prefix, after string, limit int) ([]string, error) {
	var found []string
	for _, k := range s.keys[partition] {
		if strings.HasPrefix(k, prefix) && (after == "" || k > after) && len(found) < limit {
			found = append(found, k)
		}
	}
	s.reads += len(found)
	return found, s.away
}

func (s *shelf) Count(_ context.Context, partition int32, prefix string) (n int64, err error) {
	for _, k := range s.keys[partition] {
		if strings.HasPrefix(k, prefix) {
			n++
		}
	}
	return n, s.away
}

func (s *shelf) Metas(context.Context) ([]pipeline.Meta, error) {
	metas := make([]pipeline.Meta, len(s.keys))
	for i := range metas {
		metas[i] = pipeline.Meta{Exists: true, Owner: "0123456789abcdef", Generation: 3, Watermark: 40, Keys: int64(len(s.keys[i]))}
	}
	return metas, s.away
}

func (s *shelf) Ends(context.Context) ([]int64, error) { return s.ends, s.away }

func (s *shelf) DeadLetters(_ context.Context, limit int) ([]Letter, error) {
	return s.letters[:min(limit, len(s.letters))], s.away
}

// list adds keys without models to a partition.
func (s *shelf) list(partition int, keys ...string) {
	s.keys[partition] = append(s.keys[partition], keys...)
	slices.Sort(s.keys[partition])
}

// spec returns the configuration of a kind with its defaults.
func spec(t *testing.T, kind string, roles cdf.Roles) *cdf.Spec {
	t.Helper()
	k, ok := models.Lookup(kind)
	if !ok {
		t.Fatalf("no kind %s", kind)
	}
	spec, err := k.Spec("", roles, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec.Draws, spec.Limits = 100, cdf.Limits{Rows: 10_000, Columns: 600, Groups: 100}
	return spec
}

// put takes a model through a shard and stores it, in partition 1.
func (s *shelf) put(t *testing.T, key string, sp *cdf.Spec, b *cdf.Batch) {
	t.Helper()
	f := cdf.NewFilter(sp, key)
	sum, err := f.Update(b)
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	rule := pipeline.Rule{Match: key, Spec: sp}
	s.rules = append(s.rules, rule)
	s.models[key] = &Model{
		Posterior: &pipeline.Posterior{
			Key: key, Kind: sp.Kind, Variant: sp.Variant, Config: "0123456789abcdef", Source: pipeline.Partition{Topic: "shards", ID: 1},
			Offset: 7, Time: 978307200000, Summary: sum,
		},
		Filter: f, Rule: rule, Bytes: 321,
	}
	s.list(1, key)
}

// flights is a regression on a number and a category.
func flights(t *testing.T, other string) (*cdf.Spec, *cdf.Batch) {
	t.Helper()
	roles := cdf.Roles{Intercept: true, Response: cdf.Feature{Name: "delay"}, Features: []cdf.Feature{
		{Name: "distance"}, {Name: "carrier", Levels: []string{"AA", "DL"}, Baseline: "AA", Other: other},
	}}
	b := &cdf.Batch{Rows: 60}
	y, x := cdf.Column{Name: "delay"}, cdf.Column{Name: "distance"}
	c := cdf.Column{Name: "carrier", Type: cdf.Text, Levels: []string{"DL", "AA"}}
	for i := range b.Rows {
		x.Number = append(x.Number, float64(100+i*7%60))
		c.Code = append(c.Code, int32(i%2))
		y.Number = append(y.Number, 3+.1*x.Number[i]+float64(i%5)-4*float64(i%2))
	}
	b.Columns = []cdf.Column{y, x, c}
	return spec(t, "linear", roles), b
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{models: map[string]*Model{}, ends: []int64{50, 40, 40, 40}, errs: map[string]error{
		"damaged": fmt.Errorf("key damaged: %w", pipeline.ErrDamaged),
		"beyond":  fmt.Errorf("key beyond: %w: sigma2 has mean 5e160 and sd +Inf: give it a scale", cdf.ErrNumeric),
		"away":    errors.New("dial tcp store.internal:6379: refused"),
	}}
	for _, key := range []string{"flights/ATL", "a b/../ü?", "x//y", "a+b", "x/history", "history", "..", "-k"} {
		sp, b := flights(t, "reject")
		s.put(t, key, sp, b)
	}
	return s
}

func newServer(t *testing.T, change func(*Options)) *Server {
	t.Helper()
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "credence_probe"}, func() float64 { return 7 }))
	s := newShelf(t)
	o := Options{
		Listen: "127.0.0.1:0",
		Ready:  func() []string { return nil },
		Store:  s, Topics: s, Feed: live.New(1 << 20), Kinds: models.Kinds(),
		Forms:      map[string]sink.Form{jsonType: sink.JSON{}, arrowType: arrow.NewEncoder()},
		Encode:     arrow.Encode,
		NewDecoder: func() pipeline.Decoder { return arrow.NewDecoder(arrow.Limits{Record: 1 << 20}) },
		Body:       1 << 20,
		Process: Process{
			Version: "1.2.3", Started: time.UnixMilli(978307200000), Input: "shards", Output: "posteriors", Group: "g", DeadLetters: "shards.dead",
			Memory: func() (int64, int64) { return 11, 12 },
		},
		Commands: Commands{
			Key:         func(key string) map[string]string { return map[string]string{"get": "consumer get " + key} },
			DeadLetters: func() map[string]string { return map[string]string{"list": "consumer dead-letters list"} },
			Process:     func() map[string]string { return map[string]string{"check": "bin/consumer check"} },
		},
		Metrics: metrics,
		Logger:  slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&o)
	}
	server, err := Listen(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.listener.Close() })
	return server
}

// ask sends one request to the handler and returns status, headers and body.
func ask(s *Server, method, target string, header ...string) (int, http.Header, string) {
	return send(s, method, target, "", header...)
}

// send is ask with a body.
func send(s *Server, method, target, body string, header ...string) (int, http.Header, string) {
	r := httptest.NewRequestWithContext(context.Background(), method, "http://localhost"+target, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
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
	for _, key := range []string{"flights/ATL", "a b/../ü?", "x//y", "a+b", "x/history", "history", ".."} {
		status, header, body := ask(s, "GET", "/v1/models/"+url.PathEscape(key))
		var p struct{ Key string }
		if err := json.Unmarshal([]byte(body), &p); status != 200 || err != nil || p.Key != key {
			t.Errorf("key %q: %d %q", key, status, body)
		}
		if header.Get("Content-Type") != jsonType || header.Get("ETag") == "" {
			t.Errorf("key %q: headers %v", key, header)
		}
		for _, about := range []string{"", "/about", "/history", "/calibration"} {
			status, _, body := ask(s, "GET", "/v1/models/"+url.PathEscape(key)+about)
			if status != 200 || about == "/about" && !strings.Contains(body, `"match"`) {
				t.Errorf("%s %q: %d %q", about, key, status, body)
			}
			if status, _, same := ask(s, "GET", "/v1/model"+about+"?key="+url.QueryEscape(key)); status != 200 || same != body {
				t.Errorf("%s %q with the key in the query: %d %q, in the path %q", about, key, status, same, body)
			}
		}
	}
	for path, want := range map[string]string{
		"flights/ATL": `{"key":"flights/ATL","kind"`, "flights/ATL/about": `"match":"flights/ATL"`,
		"history": `{"key":"history","kind"`, "..": `{"key":"..","kind"`, "../about": `"match":".."`, "x//y/about": `"match":"x//y"`,
	} {
		if status, _, body := ask(s, "GET", "/v1/models/"+path); status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s not escaped: %d %s, want 200 with %s", path, status, body, want)
		}
	}
}

func TestErrors(t *testing.T) {
	s := newServer(t, nil)
	for _, c := range []struct {
		method, target string
		status         int
		code, allow    string
	}{
		{"GET", "/v1/models/nobody", 404, "not_found", ""},
		{"GET", "/v1/models/", 400, "bad_key", ""},
		{"GET", "/v1/models/" + strings.Repeat("x", 513), 400, "bad_key", ""},
		{"GET", "/v1/models/%ff", 400, "bad_key", ""},
		{"GET", "/v1/model", 400, "bad_key", ""},
		{"GET", "/v1/model?key=", 400, "bad_key", ""},
		{"GET", "/v1/model?key=%ff", 400, "bad_key", ""},
		{"GET", "/v1/model?key=a&key=b", 400, "bad_key", ""},
		{"GET", "/v1/model?key=a&limit=3", 400, "bad_query", ""},
		{"GET", "/v1/model/history?key=history&limit=3&limit=4", 400, "bad_query", ""},
		{"GET", "/v1/model?key=%zz", 400, "bad_query", ""},
		{"GET", "/v1/model?key=nobody", 404, "not_found", ""},
		{"GET", "/v1/model/?key=history", 404, "not_found", ""},
		{"GET", "/v1/model/nothing?key=history", 404, "not_found", ""},
		{"POST", "/v1/model?key=history", 405, "method_not_allowed", "GET, HEAD"},
		{"POST", "/v1/models/flights%2FATL", 405, "method_not_allowed", "GET, HEAD"},
		{"GET", "/v1/models/flights%2FATL/predict", 405, "method_not_allowed", "POST"},
		{"GET", "/v1/models/damaged", 500, "damaged_state", ""},
		{"GET", "/v1/models/beyond", 422, "not_finite", ""},
		{"GET", "/v1/models/away", 503, "unavailable", ""},
		{"GET", "/nothing", 404, "not_found", ""},
		{"GET", "/v1/nothing", 404, "not_found", ""},
		{"POST", "/metrics", 405, "method_not_allowed", "GET, HEAD"},
		{"DELETE", "/readyz", 405, "method_not_allowed", "GET, HEAD"},
		{"GET", "/v1/models?limt=3", 400, "bad_query", ""},
		{"GET", "/v1/models?limit=0", 400, "bad_query", ""},
		{"GET", "/v1/models?limit=3&limit=4", 400, "bad_query", ""},
		{"GET", "/v1/models?kind=tree", 400, "bad_query", ""},
		{"GET", "/v1/models?prefix=%ff", 400, "bad_query", ""},
		{"GET", "/v1/models?prefix=%zz", 400, "bad_query", ""},
		{"GET", "/v1/models/history?limit=3", 400, "bad_query", ""},
	} {
		status, header, body := ask(s, c.method, c.target)
		if status != c.status || errorCode(body) != c.code || header.Get("Allow") != c.allow {
			t.Errorf("%s %.40s: %d %s allow %q, want %d %s", c.method, c.target, status, body, header.Get("Allow"), c.status, c.code)
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
