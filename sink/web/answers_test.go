package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/gather"
)

func decode(t *testing.T, body string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return v
}

// A tag holds while the answer does, for one representation, and no longer.
func TestETag(t *testing.T) {
	var store *shelf
	s := newServer(t, func(o *Options) { store = o.Store.(*shelf) }) //nolint:forcetypeassert // made here
	targets := []string{"/v1/models/flights%2FATL", "/v1/models/flights%2FATL/about", "/v1/models?key=flights%2FATL"}
	tags := map[string]string{}
	for _, target := range targets {
		_, h, body := ask(s, "GET", target)
		tag := h.Get("ETag")
		tags[target] = tag
		if tag == "" || body == "" {
			t.Fatalf("%s: tag %q, body %q", target, tag, body)
		}
		for given, want := range map[string]int{
			tag: 304, strings.TrimPrefix(tag, "W/"): 304, `"other", ` + tag: 304, "*": 304, `"other"`: 200, `W/""`: 200, "": 200,
		} {
			status, h, body := ask(s, "GET", target, "If-None-Match", given)
			if status != want || (body == "") != (want == 304) || h.Get("ETag") != tag {
				t.Errorf("%s with %q: %d, %d bytes, tag %q; want %d", target, given, status, len(body), h.Get("ETag"), want)
			}
		}
	}
	if _, h, _ := ask(s, "GET", targets[0], "Accept", arrowType); h.Get("ETag") == tags[targets[0]] {
		t.Error("JSON and Arrow have one tag")
	}
	if _, h, _ := ask(s, "GET", "/v1/models/x%2F%2Fy"); h.Get("ETag") == tags[targets[0]] {
		t.Error("two keys have one tag")
	}
	// The next shard; the offset alone differs.
	store.models["flights/ATL"].Posterior.Offset++
	for _, target := range targets {
		if status, h, _ := ask(s, "GET", target, "If-None-Match", tags[target]); status != 200 || h.Get("ETag") == tags[target] {
			t.Errorf("%s after a shard: %d with the old tag", target, status)
		}
	}
	// The partition comes here, and goes: about says so.
	about := targets[1]
	for _, phase := range []pipeline.Phase{pipeline.PhaseRunning, pipeline.PhaseGone} {
		_, h, _ := ask(s, "GET", about)
		s.options.Feed.State(pipeline.Partition{Topic: "shards", ID: 1}, pipeline.State{Phase: phase})
		status, _, body := ask(s, "GET", about, "If-None-Match", h.Get("ETag"))
		if owned := phase == pipeline.PhaseRunning; status != 200 || decode(t, body)["owned"] != owned {
			t.Errorf("%s once the partition is %s: %d %.100s", about, phase, status, body)
		}
	}
}

// HEAD has the status and the headers of GET, and no body, everywhere.
func TestHead(t *testing.T) {
	s := newServer(t, withPage)
	s.options.Feed.State(shardsOf, pipeline.State{Phase: pipeline.PhaseRunning})
	h := httptest.NewServer(s.handler)
	t.Cleanup(h.Close)
	targets := []string{"/livez", "/readyz", "/", "/assets/app-1a2b.js", "/login", "/login.css", "/v1/models/nobody", "/nothing"}
	for path, m := range s.paths() {
		if m.methods["GET"] != nil {
			targets = append(targets, path)
		}
	}
	for about, m := range s.keyed() {
		if m["GET"] != nil {
			targets = append(targets, strings.TrimSuffix("/v1/models/flights%2FATL/"+about, "/"))
		}
	}
	get := func(method, target string) (int, http.Header, int64) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel() // streams do not end
		r, err := http.NewRequestWithContext(ctx, method, h.URL+target, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := http.DefaultTransport.RoundTrip(r) // which follows no redirect
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = a.Body.Close() }()
		n := int64(0)
		if method == "HEAD" {
			if n, err = io.Copy(io.Discard, a.Body); err != nil {
				t.Fatal(err)
			}
		}
		return a.StatusCode, a.Header, n
	}
	for _, target := range targets {
		status, want, _ := get("GET", target)
		got, head, n := get("HEAD", target)
		if got != status || n != 0 {
			t.Errorf("HEAD %s: %d with %d bytes, GET %d", target, got, n, status)
		}
		for _, name := range []string{"Content-Type", "ETag", "Cache-Control", "Vary"} {
			if head.Get(name) != want.Get(name) {
				t.Errorf("HEAD %s: %s is %q, with GET %q", target, name, head.Get(name), want.Get(name))
			}
		}
	}
}

// TestAboutTellsWhatRowsWaitFor asks when rows that wait are a shard.
func TestAboutTellsWhatRowsWaitFor(t *testing.T) {
	for want, rule := range map[string]gather.Rule{
		"":                             {},
		`{"rows":100}`:                 {Rows: 100},
		`{"rows":10000,"seconds":1.5}`: {Millis: 1500},
		`{"rows":20,"seconds":60}`:     {Rows: 20, Millis: 60_000},
	} {
		s := newServer(t, func(o *Options) { o.Gathering = rule })
		_, _, body := ask(s, "GET", "/v1/models/flights%2FATL/about")
		got := ""
		if v, ok := decode(t, body)["coalesce"]; ok {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			got = string(text)
		}
		if got != want {
			t.Errorf("%+v: coalesce %s, want %s", rule, got, want)
		}
	}
}

func TestAbout(t *testing.T) {
	s := newServer(t, func(o *Options) {
		o.Store.(*shelf).models["flights/ATL"].Rule.Units = map[string]string{"delay": "min"} //nolint:forcetypeassert // made here
	})
	status, _, body := ask(s, "GET", "/v1/models/flights%2FATL/about")
	v := decode(t, body)
	if status != 200 || v["match"] != "flights/ATL" || v["forget_per"] != "shard" || v["state_bytes"] != 321.0 || v["owned"] != false {
		t.Errorf("%d %s", status, body)
	}
	settings := v["settings"].(map[string]any)["prior"].(map[string]any) //nolint:forcetypeassert // the test fails
	if settings["intercept_variance"] != 100.0 {
		t.Errorf("defaults are not filled in: %v", settings)
	}
	inputs, err := json.Marshal(v["inputs"])
	if err != nil {
		t.Fatal(err)
	}
	if text := string(inputs); !strings.Contains(text, `{"baseline":"AA","levels":["AA","DL"],"name":"carrier","other":"reject","role":"feature","type":"category"}`) ||
		!strings.Contains(text, `"name":"distance","role":"feature","scale":`) || !strings.Contains(text, `"name":"delay","role":"response","scale":`) ||
		strings.Count(text, `"unit":"min"`) != 1 || strings.Contains(text, "moment") {
		t.Errorf("inputs %s", text)
	}
	if commands := v["commands"].(map[string]any); commands["get"] != "consumer get flights/ATL" { //nolint:forcetypeassert // the test fails
		t.Errorf("commands %v", commands)
	}
	prior := v["prior"].([]any)                                                                        //nolint:forcetypeassert // the test fails
	if first := prior[0].(map[string]any); len(prior) != 4 || first["variable"] != "beta[intercept]" { //nolint:forcetypeassert // the test fails
		t.Errorf("prior %v", prior)
	}
}

func TestOperations(t *testing.T) {
	var store *shelf
	s := newServer(t, func(o *Options) { store = o.Store.(*shelf); o.Ready = func() []string { return []string{"why"} } }) //nolint:forcetypeassert // made here
	p := pipeline.Partition{Topic: "shards", ID: 1}
	s.options.Feed.State(p, pipeline.State{Phase: pipeline.PhaseHalted, Reason: "gap", Why: "do this", Owner: "abcdefgh", Generation: 5, Watermark: 41, End: 41, Saved: time.Now().Add(-time.Minute)})
	s.options.Feed.Event(pipeline.Event{Time: time.UnixMilli(978307200000), Kind: pipeline.EventHalted, Partition: p, Message: "a gap"})
	_, _, body := ask(s, "GET", "/v1/operations")
	v := decode(t, body)
	parts := v["partitions"].([]any)       //nolint:forcetypeassert // the test fails
	first := parts[0].(map[string]any)     //nolint:forcetypeassert // the test fails
	second := parts[1].(map[string]any)    //nolint:forcetypeassert // the test fails
	totals := v["totals"].(map[string]any) //nolint:forcetypeassert // the test fails
	if first["phase"] != "elsewhere" || first["owner"] != "01234567" || first["watermark"] != 40.0 || first["end"] != 50.0 || first["lag"] != 10.0 || first["checkpoint_age"] != nil {
		t.Errorf("a partition of others: %v", first)
	}
	if age, ok := second["checkpoint_age"].(float64); second["phase"] != "halted" || second["owned"] != true || second["reason"] != "gap" || second["why"] != "do this" || second["owner"] != "abcdefgh" || second["watermark"] != 41.0 || second["lag"] != 0.0 || !ok || age < 60 {
		t.Errorf("our partition: %v", second)
	}
	if totals["lag"] != 10.0 || totals["keys"] != 8.0 || totals["cache_bytes"] != 11.0 || totals["inflight_bytes"] != 12.0 || v["ready"] != false || v["version"] != "1.2.3" ||
		!strings.Contains(body, `"commands":{"check":"bin/consumer check"}`) {
		t.Errorf("totals %v of %s", totals, body)
	}
	if events, ok := v["events"].([]any); !ok || len(events) != 1 || events[0].(map[string]any)["kind"] != "halted" { //nolint:forcetypeassert // the test fails
		t.Errorf("events %v", v["events"])
	}
	// An outage is told by nulls, and the answer before it holds for a second.
	store.away = errors.New("away")
	if _, _, again := ask(s, "GET", "/v1/operations"); !strings.Contains(again, `"lag":10`) {
		t.Errorf("not kept: %s", again)
	}
	s.outside.last.at = time.Time{}
	status, _, body := ask(s, "GET", "/v1/operations")
	totals = decode(t, body)["totals"].(map[string]any) //nolint:forcetypeassert // the test fails
	if status != 200 || totals["lag"] != nil || totals["keys"] != nil {
		t.Errorf("away: %d %v", status, totals)
	}
}

func TestDeadLetters(t *testing.T) {
	var store *shelf
	s := newServer(t, func(o *Options) { store = o.Store.(*shelf) }) //nolint:forcetypeassert // made here
	store.letters = []Letter{
		{Partition: 2, Offset: 9, Time: 978307200000, Key: []byte("a\xff"), Stage: "schema", Reason: `column "x" is missing`, Source: pipeline.Partition{Topic: "shards", ID: 3}, SourceOffset: 77, Bytes: 100},
		{Partition: 0, Offset: 1, Time: 978307200000, Stage: "check", Source: pipeline.Partition{Topic: "shards"}},
	}
	_, _, body := ask(s, "GET", "/v1/dead-letters")
	want := `{"topic":"shards.dead","letters":[{"partition":2,"offset":9,"time":"2001-01-01T00:00:00.000Z","key":"a\ufffd","stage":"schema","reason":"column \"x\" is missing","source":{"topic":"shards","partition":3,"offset":77},"bytes":100},` +
		`{"partition":0,"offset":1,"time":"2001-01-01T00:00:00.000Z","key":null,"stage":"check","reason":"","source":{"topic":"shards","partition":0,"offset":0},"bytes":0}],"commands":{"list":"consumer dead-letters list"}}` + "\n"
	if body != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
	if _, _, body = ask(s, "GET", "/v1/dead-letters?limit=1"); len(decode(t, body)["letters"].([]any)) != 1 { //nolint:forcetypeassert // the test fails
		t.Errorf("limit: %s", body)
	}
	store.away = errors.New("away")
	if status, _, _ := ask(s, "GET", "/v1/dead-letters"); status != 503 {
		t.Errorf("away: %d", status)
	}
}

// The document is served as JSON, and names every path that there is.
func TestDocument(t *testing.T) {
	s := newServer(t, nil)
	status, h, body := ask(s, "GET", "/v1/openapi.json")
	v := decode(t, body)
	if status != 200 || h.Get("ETag") == "" || v["openapi"] != "3.1.0" {
		t.Errorf("%d %v", status, h)
	}
	paths := v["paths"].(map[string]any) //nolint:forcetypeassert // the test fails
	have := map[string]methods{"/livez": nil, "/readyz": nil}
	for path, m := range s.paths() {
		have[path] = m.methods
	}
	for about, m := range s.keyed() {
		have[strings.TrimSuffix("/v1/models/{key}/"+about, "/")] = m.of("x")
		have[strings.TrimSuffix("/v1/model/"+about, "/")] = m.asked()
	}
	for path, m := range have {
		described, ok := paths[path].(map[string]any)
		if !ok {
			t.Errorf("the document does not have %s", path)
			continue
		}
		for name := range m {
			if described[strings.ToLower(name)] == nil {
				t.Errorf("the document does not have %s %s", name, path)
			}
		}
	}
	for path := range paths {
		if _, ok := have[path]; !ok {
			t.Errorf("the document has %s, the server does not", path)
		}
	}
}

func TestForgetPer(t *testing.T) {
	for want, c := range map[string]cdf.Clock{"shard": {Unit: "shard"}, "row": {Unit: "row"}, "1h0m0s": {Unit: "duration", Millis: 3600_000}} {
		if got := forgetPer(c); got != want {
			t.Errorf("%+v: %s, want %s", c, got, want)
		}
	}
}
