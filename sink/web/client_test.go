package web

import (
	"fmt"
	"net/netip"
	"testing"
)

func proxied(o *Options) {
	o.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
}

// The header counts from trusted proxies only, and of it what they wrote.
func TestForwardedFor(t *testing.T) {
	s, _, lines := audited(t, proxied)
	client := func(peer string, header ...string) string {
		t.Helper()
		if status := tries(s, peer, "secret", header...); status != 303 {
			t.Fatalf("log-in: %d", status)
		}
		got := lines()
		if len(got) != 1 {
			t.Fatalf("%v, want one line", got)
		}
		return got[0].Client
	}
	const name = "X-Forwarded-For"
	for i, c := range []struct {
		peer   string
		header []string
		want   string
	}{
		{"10.1.1.1:1", []string{name, "192.0.2.7"}, "192.0.2.7"},
		{"10.1.1.1:1", []string{name, "198.51.100.9, 192.0.2.7"}, "192.0.2.7"},                             // the client wrote the left one
		{"10.1.1.1:1", []string{name, "198.51.100.9", name, "192.0.2.7"}, "192.0.2.7"},                     // two headers are one
		{"10.1.1.1:1", []string{name, "192.0.2.7, 10.2.2.2 ,fd00::1"}, "192.0.2.7"},                        // behind several proxies
		{"10.1.1.1:1", []string{name, "192.0.2.7:4711"}, "192.0.2.7"},                                      // some add a port
		{"[fd00::5]:1", []string{name, "[2001:db8::1]:99"}, "2001:db8::1"},                                 // or brackets
		{"[::ffff:10.1.1.1]:1", []string{name, "::ffff:192.0.2.7"}, "192.0.2.7"},                           // IPv4 within IPv6
		{"10.1.1.1:1", nil, "10.1.1.1"},                                                                    // the proxy itself
		{"10.1.1.1:1", []string{name, "10.2.2.2"}, "10.2.2.2"},                                             // from inside
		{"10.1.1.1:1", []string{name, "198.51.100.9, unknown, 10.2.2.2"}, "10.2.2.2"},                      // as far as it makes sense
		{"10.1.1.1:1", []string{name, ""}, "10.1.1.1"},                                                     //
		{"192.0.2.1:1", []string{name, "198.51.100.9"}, "192.0.2.1"},                                       // forged
		{"192.0.2.1:1", []string{name, "10.1.1.1"}, "192.0.2.1"},                                           // forged
		{"[2001:db8::2]:1", []string{name, "198.51.100.9, 10.1.1.1"}, "2001:db8::2"},                       // forged
		{"10.1.1.1:1", []string{"Forwarded", "for=198.51.100.9", "X-Real-IP", "198.51.100.9"}, "10.1.1.1"}, // other headers say nothing
	} {
		if got := client(c.peer, c.header...); got != c.want {
			t.Errorf("%d: %s with %q is %s, want %s", i, c.peer, c.header, got, c.want)
		}
	}
}

// Limits are of the clients behind a proxy, and who makes addresses up gains nothing.
func TestLimitsBehindAProxy(t *testing.T) {
	s := newServer(t, func(o *Options) { closed(o); proxied(o); o.Rate = 1.0 / 3600 })
	refused := func(peer, client string) bool { return tries(s, peer, "secret", "X-Forwarded-For", client) == 429 }
	if refused("10.1.1.1:1", "192.0.2.7") || !refused("10.1.1.1:1", "192.0.2.7") {
		t.Error("one client behind the proxy has not its one log-in")
	}
	if refused("10.1.1.1:1", "192.0.2.8") {
		t.Error("another client behind the proxy pays for the first")
	}
	if refused("192.0.2.9:1", "198.51.100.1") {
		t.Error("the first of a stranger")
	}
	for i := range 3 {
		if !refused("192.0.2.9:1", fmt.Sprintf("198.51.100.%d", 2+i)) {
			t.Error("a stranger has made himself another client")
		}
	}
}

// Without trusted proxies the header says nothing.
func TestNoProxyIsTrusted(t *testing.T) {
	s, _, lines := audited(t)
	tries(s, "10.1.1.1:1", "secret", "X-Forwarded-For", "198.51.100.9")
	if got := lines(); len(got) != 1 || got[0].Client != "10.1.1.1" {
		t.Errorf("%v", got)
	}
}
