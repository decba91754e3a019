package clitest

import (
	"net"
	"net/http"
	"testing"
)

// Listen takes a free port for the length of the test.
func Listen(t *testing.T) net.Listener {
	t.Helper()
	var c net.ListenConfig
	l, err := c.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// Nobody returns an address that was free a moment ago.
func Nobody(t *testing.T) string {
	t.Helper()
	l := Listen(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}

// Status asks for a URL and returns the status code.
func Status(t *testing.T, url string) int {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Body.Close(); err != nil {
		t.Error(err)
	}
	return r.StatusCode
}
