package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/internal/access/accesstest"
	"github.com/credence-stream/credence/testenv/probe"
)

// visitor is a client of a consumer's own HTTPS.
type visitor struct {
	*testing.T
	http.Client
	at string
}

func visit(t *testing.T, p *process, trusted *x509.CertPool, shown ...tls.Certificate) *visitor {
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, Certificates: shown}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &visitor{t, http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, "https://" + p.Addr()}
}

// ask sends a request with headers, given by turns as names and values, and a form if it is
// not nil.
func (v *visitor) ask(path string, form url.Values, headers ...string) (reply, string) {
	v.Helper()
	method, body := http.MethodGet, ""
	if form != nil {
		method, body = http.MethodPost, form.Encode()
		headers = append(headers, "Content-Type", "application/x-www-form-urlencoded")
	}
	q, err := http.NewRequestWithContext(v.Context(), method, v.at+path, strings.NewReader(body))
	if err != nil {
		v.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	r, err := v.Do(q)
	if err != nil {
		v.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		v.Fatal(err)
	}
	return reply{r.StatusCode, r.Proto, r.TLS.NegotiatedProtocol, r.Header, r.Cookies()}, string(text)
}

// reply is an answer without its body.
type reply struct {
	StatusCode        int
	Proto, negotiated string
	Header            http.Header
	cookies           []*http.Cookie
}

// A consumer with http.tls: API, page, log-in and event stream over HTTPS, in HTTP/1.1 and without
// HSTS; the health check; and who comes in plain text, or with an old version of TLS.
func TestHTTPS(t *testing.T) {
	ca := accesstest.NewAuthority(t)
	pair, token := ca.Issue(t, "127.0.0.1"), strings.Repeat("t", 20)
	file := clitest.WriteFile(t, "token", []byte(token))
	w := newWorld(t, "format: json")
	p := w.serve(func(c *config.Config) {
		c.HTTP.TokenFile, c.HTTP.TLS = file, config.HTTPTLS{CertFile: pair.Cert, KeyFile: pair.Key}
	})
	v := visit(t, p, ca.Pool())
	bearer := []string{"Authorization", "Bearer " + token}
	w.send([]string{"a"}, 2)
	w.eventually("the key", func() bool {
		r, _ := v.ask("/v1/models/a", nil, bearer...)
		return r.StatusCode == http.StatusOK
	})
	r, _ := v.ask("/v1/models", nil, bearer...)
	if r.Proto != "HTTP/1.1" || r.negotiated == "h2" || r.Header.Get("Strict-Transport-Security") != "" {
		t.Errorf("%s, negotiated %q, HSTS %q", r.Proto, r.negotiated, r.Header.Get("Strict-Transport-Security"))
	}
	if r, body := v.ask("/v1/models", nil); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: %d %s", r.StatusCode, body)
	}

	r, _ = v.ask("/login", url.Values{"token": {token}})
	cookies := r.cookies
	if r.StatusCode != http.StatusSeeOther || len(cookies) != 1 || !cookies[0].Secure || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("log-in: %d, cookies %v", r.StatusCode, cookies)
	}
	session := []string{"Cookie", cookies[0].Name + "=" + cookies[0].Value, "Accept", "text/html"}
	if r, body := v.ask("/", nil, session...); r.StatusCode != http.StatusOK || !strings.Contains(body, "<!doctype html>") {
		t.Errorf("the page: %d %.100s", r.StatusCode, body)
	}
	if r, _ := v.ask("/", nil, "Accept", "text/html"); r.StatusCode != http.StatusSeeOther || !strings.HasPrefix(r.Header.Get("Location"), "/login") {
		t.Errorf("the page without a session: %d to %s", r.StatusCode, r.Header.Get("Location"))
	}
	v.follows(w, bearer)

	ready := func(more ...string) (int, string) {
		code, out, messages := w.consumer(append([]string{"ready", "--set", "http.listen=" + p.Addr()}, more...)...)
		return code, out + messages
	}
	w.eventually("ready", func() bool { // partitions without records may be claimed later
		code, said := ready("--set", "http.tls.cert_file="+pair.Cert, "--set", "http.tls.key_file="+pair.Key)
		return code == 0 && said == "ready\n"
	})
	if code, said := ready(); code != 1 || !strings.Contains(said, "another program") {
		t.Errorf("ready without http.tls: exit %d, %q", code, said)
	}
	if code, _, said := w.command("ready", "--url", v.at); code != 1 || !strings.Contains(said, "unknown authority") {
		t.Errorf("ready --url, of an unknown authority: exit %d, %q", code, said)
	}

	if answer := plainly(t, p.Addr()); !strings.HasPrefix(answer, "HTTP/1.0 400 Bad Request") || !strings.Contains(answer, "HTTP request to an HTTPS server") {
		t.Errorf("plain text is answered with %q", answer)
	}
	d := tls.Dialer{Config: &tls.Config{RootCAs: ca.Pool(), MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}}
	if c, err := d.DialContext(t.Context(), "tcp", p.Addr()); err == nil {
		_ = c.Close()
		t.Error("TLS 1.1 is spoken")
	}
}

// follows reads the stream until it has a shard that comes meanwhile.
func (v *visitor) follows(w *world, headers []string) {
	v.Helper()
	ctx, cancel := context.WithTimeout(v.Context(), probe.Patience)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, v.at+"/v1/events", http.NoBody)
	if err != nil {
		v.Fatal(err)
	}
	q.Header.Set(headers[0], headers[1])
	r, err := v.Do(q)
	if err != nil {
		v.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	if kind := r.Header.Get("Content-Type"); r.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		v.Fatalf("the stream: %d, %s", r.StatusCode, kind)
	}
	sent := w.sending([]string{"a"}, more(3, 2))
	defer sent()
	lines := bufio.NewScanner(r.Body)
	for lines.Scan() {
		if lines.Text() == "event: updates" {
			return
		}
	}
	v.Errorf("the stream ended without an update: %v", lines.Err())
}

// plainly asks in plain text.
func plainly(t *testing.T, addr string) string {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := fmt.Fprintf(c, "GET /readyz HTTP/1.1\r\nHost: %s\r\n\r\n", addr); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// With http.tls.client_ca_file who shows a certificate of these authorities gets in, and needs the
// token as before; who shows none sees whether the process lives, and no more.
func TestHTTPSWithClientCertificates(t *testing.T) {
	ca, stranger := accesstest.NewAuthority(t), accesstest.NewAuthority(t)
	pair, client, other := ca.Issue(t, "127.0.0.1"), ca.Issue(t, "client").Pair(t), stranger.Issue(t, "client").Pair(t)
	token := strings.Repeat("t", 20)
	file := clitest.WriteFile(t, "token", []byte(token))
	w := newWorld(t, "format: json")
	p := w.serve(func(c *config.Config) {
		c.HTTP.TokenFile, c.HTTP.TLS = file, config.HTTPTLS{CertFile: pair.Cert, KeyFile: pair.Key, ClientCAFile: ca.File}
	})
	bearer := []string{"Authorization", "Bearer " + token}
	certain, anonymous := visit(t, p, ca.Pool(), client), visit(t, p, ca.Pool())
	w.eventually("ready", func() bool {
		r, _ := anonymous.ask("/readyz", nil)
		return r.StatusCode == http.StatusOK
	})
	for _, c := range []struct {
		who     *visitor
		path    string
		headers []string
		want    int
	}{
		{certain, "/v1/models", bearer, 200},
		{certain, "/v1/models", nil, 401},
		{anonymous, "/v1/models", bearer, 403},
		{anonymous, "/login", nil, 403},
		{anonymous, "/livez", nil, 200},
	} {
		if r, body := c.who.ask(c.path, nil, c.headers...); r.StatusCode != c.want {
			t.Errorf("%s, certificate %v: %d %s, want %d", c.path, c.who == certain, r.StatusCode, body, c.want)
		}
	}
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, certain.at+"/livez", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := visit(t, p, ca.Pool(), other).Do(q); err == nil {
		_ = r.Body.Close()
		t.Errorf("a certificate of another authority gets in: %d", r.StatusCode)
	}
	code, out, messages := w.consumer("ready", "--set", "http.listen="+p.Addr(), "--set", "http.tls.cert_file="+pair.Cert,
		"--set", "http.tls.key_file="+pair.Key, "--set", "http.tls.client_ca_file="+ca.File)
	if code != 0 {
		t.Errorf("ready: exit %d, %s%s", code, out, messages)
	}
}
