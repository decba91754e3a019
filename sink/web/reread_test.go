package web

import (
	"bytes"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/internal/access/accesstest"
)

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A token that changes in its file ends the old one and all its sessions, also one as long as
// the old one and of the same tick of the clock; one that is none leaves the old one in force.
func TestTokenIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	first, second := strings.Repeat("a", 16), strings.Repeat("b", 16)
	write(t, file, first)
	var told []error
	d, err := openAuthenticator(file, "", func(err error) { told = append(told, err) })
	if err != nil {
		t.Fatal(err)
	}
	old := d.passes().knows(first).session(time.Now().Add(time.Hour))
	write(t, file, "short")
	if d.passes().knows(first) == nil || d.valid(d.passes(), old) == nil || len(told) != 1 || d.passes().knows("short") != nil {
		t.Errorf("a file without a token: told %v", told)
	}
	write(t, file, first)
	was, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if d.passes().knows(first) == nil {
		t.Error("the first token again is not the one")
	}
	write(t, file, second)
	if err := os.Chtimes(file, was.ModTime(), was.ModTime()); err != nil {
		t.Fatal(err)
	}
	if d.passes().knows(first) != nil || d.passes().knows(second) == nil || d.valid(d.passes(), old) != nil {
		t.Error("the new token is not the one")
	}
}

// Log-out ends the session at the server, and no other one of the same moment.
func TestLogoutEndsTheSession(t *testing.T) {
	s := newServer(t, closed)
	one, other := session(t, s), session(t, s)
	if status, _, _ := send(s, "POST", "/logout", "", "Cookie", one); status != 303 {
		t.Fatalf("logout: %d", status)
	}
	if status, _, _ := ask(s, "GET", "/v1/models", "Cookie", one); status != 401 {
		t.Errorf("after the log-out: %d", status)
	}
	if status, _, _ := ask(s, "GET", "/v1/models", "Cookie", other); status == 401 {
		t.Error("another session ended with it")
	}
}

// What is remembered of ended sessions has a bound, beyond which all of before are over.
func TestManyLogouts(t *testing.T) {
	d := newAuthenticator("secret")
	end := time.Now().Add(sessionLength)
	old := d.passes().knows("secret").session(end)
	for i := range mostRevoked + 1 {
		d.over.add(string(rune(i)), end, time.Now())
	}
	if len(d.over.ends) > mostRevoked || d.valid(d.passes(), old) != nil {
		t.Errorf("%d remembered", len(d.over.ends))
	}
	if d.valid(d.passes(), d.passes().knows("secret").session(time.Now().Add(sessionLength+time.Second))) == nil {
		t.Error("a new session is over")
	}
}

// A certificate that changes in its files is the one of the next connection.
func TestCertificateIsReadAgain(t *testing.T) {
	ca := accesstest.NewAuthority(t)
	first, second := ca.Issue(t, "127.0.0.1"), ca.Issue(t, "127.0.0.1")
	want := [][]byte{first.Pair(t).Certificate[0], second.Pair(t).Certificate[0]}
	config, err := certified(first).config(func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	shown := func() []byte {
		c, err := config.GetConfigForClient(nil)
		if err != nil {
			t.Fatal(err)
		}
		return c.Certificates[0].Certificate[0]
	}
	if !bytes.Equal(shown(), want[0]) {
		t.Error("not the first certificate")
	}
	accesstest.Replace(t, first.Cert, second.Cert)
	accesstest.Replace(t, first.Key, second.Key)
	if !bytes.Equal(shown(), want[1]) {
		t.Error("not the new certificate")
	}
	if config.MinVersion != tls.VersionTLS12 {
		t.Error("an old version of TLS")
	}
}

// certified are the files of a server.
func certified(i accesstest.Issued) TLS { return TLS{CertFile: i.Cert, KeyFile: i.Key} }

// With authorities of clients, who shows no certificate gets in nowhere but where the process
// is watched.
func TestClientsWithoutCertificate(t *testing.T) {
	ca := accesstest.NewAuthority(t)
	s := newServer(t, func(o *Options) {
		o.TLS = certified(ca.Issue(t, "127.0.0.1"))
		o.TLS.ClientCAFile = ca.File
	})
	for path, want := range map[string]int{"/v1/models": 403, "/metrics": 403, "/login": 403, "/livez": 200} {
		if status, _, body := ask(s, "GET", path); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
}

// Connections that break off, or that speak no TLS, cost one line of the log a minute, however
// many there are.
func TestBrokenHandshakesAreBounded(t *testing.T) {
	var text bytes.Buffer
	s := newServer(t, func(o *Options) {
		o.TLS = certified(accesstest.NewAuthority(t).Issue(t, "127.0.0.1"))
		o.Logger = slog.New(slog.NewTextHandler(&text, nil))
	})
	end := serving(t, s)
	for range 20 {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if answer, _ := io.ReadAll(c); !bytes.Contains(answer, []byte("400 Bad Request")) {
			t.Fatalf("the answer is %q", answer)
		}
		_ = c.Close()
	}
	if err := end(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), "TLS handshake error"); n != 1 {
		t.Errorf("20 broken handshakes have %d lines:\n%s", n, text.String())
	}
}
