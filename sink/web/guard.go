package web

import (
	"net"
	"net/http"
	"strings"
)

// secure puts the headers on every answer that keep a browser from doing with
// it what it is not meant for: the page loads nothing from other hosts, no
// other page shows it in a frame, nothing is taken for another type.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// checkHost refuses requests whose Host is not ours while we listen on
// loopback: a page elsewhere can point a name of its own at 127.0.0.1 and read
// through the visitor's browser what no other machine can reach. On other
// addresses any name may be the right one.
func checkHost(listen string, bound net.Addr, next http.Handler) http.Handler {
	tcp, ok := bound.(*net.TCPAddr)
	if !ok || !tcp.IP.IsLoopback() {
		return next
	}
	allowed := map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true, tcp.IP.String(): true}
	if host, _, err := net.SplitHostPort(listen); err == nil && host != "" {
		allowed[strings.ToLower(host)] = true
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allowed[hostOf(r.Host)] {
			writeError(w, http.StatusForbidden, "bad_host", "this server listens on loopback and answers for localhost, 127.0.0.1, [::1] and the host of http.listen only")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostOf returns the host of a Host header in lower case, without the port and
// the brackets of an IPv6 address.
func hostOf(header string) string {
	host := header
	if h, _, err := net.SplitHostPort(header); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
