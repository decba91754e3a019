package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

const browser = "text/html,application/xhtml+xml,*/*;q=0.8"

func withPage(o *Options) {
	o.Page = fstest.MapFS{
		"index.html":         {Data: []byte("<!doctype html><title>page</title>" + strings.Repeat("<p>", 2000))},
		"assets/app-1a2b.js": {Data: []byte(strings.Repeat("run();", 2000))},
		"robots.txt":         {Data: []byte("none")},
	}
	o.Manual = fstest.MapFS{"models/linear.md": {Data: []byte("# linear")}}
}

func TestPage(t *testing.T) {
	s := newServer(t, withPage)
	for _, c := range []struct {
		target, accept string
		status         int
		contentType    string
		cache          string
	}{
		{"/", browser, 200, "text/html; charset=utf-8", "no-cache"},
		{"/", "*/*", 200, "text/html; charset=utf-8", "no-cache"},
		{"/index.html", browser, 200, "text/html; charset=utf-8", "no-cache"},
		{"/key/a%2Fb", browser, 200, "text/html; charset=utf-8", "no-cache"}, // the page's own path
		{"/key/a%2Fb", "*/*", 404, jsonType, "no-store"},
		{"/assets/app-1a2b.js", "*/*", 200, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		{"/assets/app-old.js", browser, 404, jsonType, "no-store"}, // not a page
		{"/robots.txt", "*/*", 200, "text/plain; charset=utf-8", "no-cache"},
		{"/manual/models/linear.md", browser, 200, "text/plain; charset=utf-8", "no-cache"},
		{"/manual/models/nothing.md", browser, 404, jsonType, "no-store"},
		{"/manual/../index.html", browser, 200, "text/html; charset=utf-8", "no-cache"},
		{"/../../etc/passwd", "*/*", 404, jsonType, "no-store"},
		{"/assets", "*/*", 404, jsonType, "no-store"},
		{"/v1/nothing", browser, 404, jsonType, "no-store"},
		{"/v1", browser, 404, jsonType, "no-store"},
	} {
		status, h, body := ask(s, "GET", c.target, "Accept", c.accept)
		if status != c.status || h.Get("Content-Type") != c.contentType || h.Get("Cache-Control") != c.cache {
			t.Errorf("%s (%s): %d %s %s: %.60s", c.target, c.accept, status, h.Get("Content-Type"), h.Get("Cache-Control"), body)
		}
	}
	_, h, _ := ask(s, "GET", "/", "Accept", browser)
	if status, _, body := ask(s, "GET", "/", "Accept", browser, "If-None-Match", h.Get("ETag")); status != 304 || body != "" {
		t.Errorf("index with its tag: %d %q", status, body)
	}
	if status, _, body := ask(newServer(t, nil), "GET", "/manual/README.md", "Accept", browser); status != 404 || errorCode(body) != "not_found" {
		t.Errorf("without a manual: %d %s", status, body)
	}
	if status, _, body := ask(newServer(t, nil), "GET", "/", "Accept", browser); status != 404 || errorCode(body) != "not_found" {
		t.Errorf("without a page: %d %s", status, body)
	}
}

// What the program carries is a page whose files are all there.
func TestBuiltPageIsWhole(t *testing.T) {
	index, err := fs.ReadFile(Page(), indexFile)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(index), `"/`+hashed)
	if len(parts) < 3 {
		t.Fatalf("index.html names no script and style: %s", index)
	}
	for _, part := range parts[1:] {
		name, _, _ := strings.Cut(part, `"`)
		if _, err := fs.Stat(Page(), hashed+name); err != nil {
			t.Errorf("index.html names what is not there: %v", err)
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	s := newServer(t, withPage)
	for _, target := range []string{"/", "/livez", "/v1/models", "/v1/nothing", "/login", "/assets/app-1a2b.js"} {
		_, h, _ := ask(s, "GET", target)
		csp := h.Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'self'") || !strings.Contains(csp, "frame-ancestors 'none'") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", target, h)
		}
	}
}

// A name that another page points at loopback reads nothing.
func TestHostOnLoopback(t *testing.T) {
	s := newServer(t, func(o *Options) { o.Listen = "127.0.0.1:0" })
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:8080": 200, "127.0.0.1:1": 200, "[::1]:8080": 200, "localhost.": 200,
		"evil.example": 403, "evil.example:8080": 403, "": 403, "127.0.0.1.evil.example": 403,
	} {
		if status, _, body := ask(s, "GET", "/v1/models", "Host", host); status != want {
			t.Errorf("Host %q: %d %s, want %d", host, status, body, want)
		}
	}
	s = newServer(t, func(o *Options) { o.Listen = "0.0.0.0:0" })
	if status, _, _ := ask(s, "GET", "/v1/models", "Host", "credence.example"); status != 200 {
		t.Errorf("any name on all addresses: %d", status)
	}
}

func TestGzip(t *testing.T) {
	s := newServer(t, withPage)
	for _, c := range []struct {
		target, encoding string
		want             bool
	}{
		{"/", "gzip", true}, {"/assets/app-1a2b.js", "br, gzip;q=0.5", true}, {"/v1/openapi.json", "gzip", true},
		{"/v1/models/flights%2FATL", "gzip", true}, {"/v1/models", "gzip", true}, {"/v1/openapi.json", "", false}, {"/v1/openapi.json", "gzip;q=0", false},
		{"/v1/openapi.json", "identity", false},
	} {
		status, h, body := ask(s, "GET", c.target, "Accept-Encoding", c.encoding)
		if status != 200 || (h.Get("Content-Encoding") == "gzip") != c.want {
			t.Errorf("%s with %q: %d, Content-Encoding %q", c.target, c.encoding, status, h.Get("Content-Encoding"))
			continue
		}
		if vary := strings.Join(h.Values("Vary"), ","); !strings.Contains(vary, "Accept-Encoding") {
			t.Errorf("%s: Vary %q", c.target, vary)
		}
		if !c.want {
			continue
		}
		z, err := gzip.NewReader(bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if _, _, want := ask(s, "GET", c.target); err != nil || string(plain) != want {
			t.Errorf("%s: %d bytes after gzip, %d without: %v", c.target, len(plain), len(want), err)
		}
	}
	// An Arrow stream shrinks, too, and has the tag that it has without.
	const target = "/v1/models/flights%2FATL"
	_, plain, want := ask(s, "GET", target, "Accept", arrowType)
	_, h, body := ask(s, "GET", target, "Accept", arrowType, "Accept-Encoding", "gzip")
	z, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || string(got) != want || len(body) >= len(want) ||
		h.Get("Content-Encoding") != "gzip" || h.Get("Content-Type") != arrowType || h.Get("ETag") != plain.Get("ETag") {
		t.Errorf("Arrow: %d bytes, %d without: %v, %v", len(body), len(want), err, h)
	}
	if status, _, body := ask(s, "GET", target, "Accept", arrowType, "Accept-Encoding", "gzip", "If-None-Match", h.Get("ETag")); status != 304 || body != "" {
		t.Errorf("Arrow with its tag: %d %q", status, body)
	}
}
