package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// from sends a request as the client at an address.
func from(s *Server, address, method, target string) (int, http.Header, string) {
	r := httptest.NewRequestWithContext(context.Background(), method, "http://localhost"+target, nil)
	r.RemoteAddr = address
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w.Code, w.Header(), w.Body.String()
}

// A client has two seconds' worth of requests at once, and a quarter as many
// that compute; another client is not held up by it.
func TestRate(t *testing.T) {
	const perHour = 1.0 / 3600 // so slow that no token comes back during the test
	s := newServer(t, nil)
	s.limiter = newLimiter(16)
	s.limiter.all, s.limiter.heavy = perHour, perHour
	fresh := func(address string, all, heavy int) {
		c := s.limiter.of(address)
		c.all.SetBurst(all)
		c.heavy.SetBurst(heavy)
		c.all.SetLimit(perHour)
		c.heavy.SetLimit(perHour)
	}
	handler, err := s.routes()
	if err != nil {
		t.Fatal(err)
	}
	s.handler = handler
	fresh("192.0.2.1", 3, 1)
	fresh("2001:db8::/64", 1, 1)
	// Buckets begin as full as the burst that they were made with.
	for range burst(perHour) {
		from(s, "192.0.2.1:1", "GET", "/v1/openapi.json")
	}
	status, h, body := from(s, "192.0.2.1:1", "GET", "/v1/openapi.json")
	if seconds, err := strconv.Atoi(h.Get("Retry-After")); status != 429 || errorCode(body) != "too_many_requests" || err != nil || seconds < 1 {
		t.Errorf("beyond the burst: %d %v %s", status, h, body)
	}
	if status, _, _ = from(s, "192.0.2.1:2", "GET", "/v1/openapi.json"); status != 429 {
		t.Errorf("another port is another client: %d", status)
	}
	for _, path := range []string{"/livez", "/readyz", "/metrics"} {
		if status, _, _ = from(s, "192.0.2.1:1", "GET", path); status != 200 {
			t.Errorf("%s is counted: %d", path, status)
		}
	}
	if status, _, _ = from(s, "192.0.2.2:1", "GET", "/v1/openapi.json"); status != 200 {
		t.Errorf("another client: %d", status)
	}
	if status, _, _ = from(s, "192.0.2.1:1", "POST", "/v1/models/a/predict"); status != 415 {
		t.Errorf("predictions have a bucket of their own: %d", status)
	}
	if status, _, _ = from(s, "192.0.2.1:1", "POST", "/v1/models/a/predict"); status != 429 {
		t.Errorf("a second prediction: %d", status)
	}
	if status, _, _ = from(s, "[2001:db8::1]:1", "GET", "/v1/openapi.json"); status != 200 {
		t.Errorf("an IPv6 client: %d", status)
	}
	if status, _, _ = from(s, "[2001:db8::ffff]:1", "GET", "/v1/openapi.json"); status != 429 {
		t.Errorf("another address of the same network: %d", status)
	}
}

func TestRatesAreAsConfigured(t *testing.T) {
	l := newLimiter(200)
	c := l.of("192.0.2.1")
	if c.all.Limit() != 200 || c.all.Burst() != 400 || c.heavy.Limit() != 50 || c.heavy.Burst() != 100 {
		t.Errorf("%v %d, %v %d", c.all.Limit(), c.all.Burst(), c.heavy.Limit(), c.heavy.Burst())
	}
	if newLimiter(0) != nil {
		t.Error("a rate of 0 limits")
	}
	// A token comes back after its time.
	now := time.Now()
	if !c.heavy.AllowN(now, 100) || c.heavy.AllowN(now, 1) || !c.heavy.AllowN(now.Add(20*time.Millisecond), 1) {
		t.Error("tokens do not come back as they should")
	}
}

// The table of clients does not grow for ever, and keeps who came last.
func TestClientsAreBounded(t *testing.T) {
	l := newLimiter(1)
	first := l.of("busy")
	for i := range 3 * maxClients {
		l.of(fmt.Sprint(i))
		if l.of("busy") != first {
			t.Fatal("a busy client was forgotten")
		}
	}
	if len(l.clients) != maxClients || l.order.Len() != maxClients {
		t.Errorf("%d clients, %d in order", len(l.clients), l.order.Len())
	}
}

func TestClientOf(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1:80": "192.0.2.1", "[::ffff:192.0.2.1]:80": "192.0.2.1", "[2001:db8:1:2:3::4]:80": "2001:db8:1:2::/64", "[fe80::1%eth0]:80": "fe80::/64", "pipe": "pipe",
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", strings.NewReader(""))
		if r.RemoteAddr = address; clientOf(r) != want {
			t.Errorf("%s: %s, want %s", address, clientOf(r), want)
		}
	}
}
