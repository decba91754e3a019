package access_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/internal/access/accesstest"
	"github.com/credence-stream/credence/testenv/probe"
)

// serve sends each client a line until the test ends, encrypted as the configuration says.
func serve(t *testing.T, c *tls.Config) (addr string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			raw, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer raw.Close() //nolint:errcheck // the client looks
				if c != nil {
					raw = tls.Server(raw, c)
				}
				if _, err := io.WriteString(raw, "welcome\n"); err == nil {
					_, _ = io.Copy(io.Discard, raw)
				}
			}()
		}
	}()
	return l.Addr().String()
}

// welcomed connects and reads the line.
func welcomed(t *testing.T, d *access.Dialer, addr string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	c, err := d.Dial(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer c.Close() //nolint:errcheck // nothing was written
	_, err = bufio.NewReader(c).ReadString('\n')
	return err
}

func dialer(t *testing.T, s access.TLS, tell func(error)) *access.Dialer {
	t.Helper()
	s.Enabled = true
	d, err := s.Dialer(keys, tell)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Two sides that do not trust each other: the error has the key of the configuration and what
// to do.
func TestWithoutTrust(t *testing.T) {
	ca, stranger := accesstest.NewAuthority(t), accesstest.NewAuthority(t)
	open := &tls.Config{Certificates: []tls.Certificate{ca.Issue(t, "127.0.0.1").Pair(t)}}
	named := &tls.Config{Certificates: []tls.Certificate{ca.Issue(t, "kafka.example").Pair(t)}}
	expired := &tls.Config{Certificates: []tls.Certificate{ca.IssueUntil(t, "127.0.0.1", time.Now().Add(-time.Hour)).Pair(t)}}
	closed := open.Clone()
	closed.ClientAuth, closed.ClientCAs = tls.RequireAndVerifyClientCert, ca.Pool()
	older := closed.Clone()
	older.MaxVersion = tls.VersionTLS12
	good, other := ca.Issue(t, "client"), stranger.Issue(t, "client")
	for name, c := range map[string]struct {
		server *tls.Config
		tls    access.TLS
		want   []string // of the error; none: it works
	}{
		"all is well":                 {closed, access.TLS{CAFile: ca.File, CertFile: good.Cert, KeyFile: good.Key}, nil},
		"a name that is given":        {named, access.TLS{CAFile: ca.File, ServerName: "kafka.example"}, nil},
		"unknown authority":           {open, access.TLS{CAFile: stranger.File}, []string{"unknown authority", "some.tls.ca_file"}},
		"the system's authorities":    {open, access.TLS{}, []string{"unknown authority", "some.tls.ca_file"}},
		"another name":                {named, access.TLS{CAFile: ca.File}, []string{"127.0.0.1", "some.tls.server_name"}},
		"another name that is given":  {named, access.TLS{CAFile: ca.File, ServerName: "redis.example"}, []string{"kafka.example, not redis.example", "some.tls.server_name"}},
		"expired":                     {expired, access.TLS{CAFile: ca.File}, []string{"expired", "renew"}},
		"plain text":                  {nil, access.TLS{CAFile: ca.File}, []string{"nothing speaks TLS there"}},
		"no client certificate":       {closed, access.TLS{CAFile: ca.File}, []string{"some.tls.cert_file and some.tls.key_file"}},
		"a stranger's, TLS 1.3":       {closed, access.TLS{CAFile: ca.File, CertFile: other.Cert, KeyFile: other.Key}, []string{"refuses the certificate in some.tls.cert_file"}},
		"a stranger's, TLS 1.2":       {older, access.TLS{CAFile: ca.File, CertFile: other.Cert, KeyFile: other.Key}, []string{"refuses the certificate in some.tls.cert_file"}},
		"no client certificate, 1.2.": {older, access.TLS{CAFile: ca.File}, []string{"127.0.0.1:"}},
	} {
		err := welcomed(t, dialer(t, c.tls, nil), serve(t, c.server))
		if (err == nil) != (c.want == nil) {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q lacks %q", name, err, part)
			}
		}
	}
}

// Authorities and certificates that change in their files are those of the next connection; a
// broken file leaves what was there, and is told of once.
func TestFilesAreReadAgain(t *testing.T) {
	before, after := accesstest.NewAuthority(t), accesstest.NewAuthority(t)
	config := func(a *accesstest.Authority) *tls.Config {
		return &tls.Config{Certificates: []tls.Certificate{a.Issue(t, "127.0.0.1").Pair(t)}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: a.Pool()}
	}
	old, renewed := serve(t, config(before)), serve(t, config(after))
	mine, next := before.Issue(t, "client"), after.Issue(t, "client")
	var told []error
	d := dialer(t, access.TLS{CAFile: before.File, CertFile: mine.Cert, KeyFile: mine.Key}, func(err error) { told = append(told, err) })
	reaches := func(what, addr, other string) {
		t.Helper()
		if err := welcomed(t, d, addr); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if welcomed(t, d, other) == nil {
			t.Errorf("%s: the other server is reached, too", what)
		}
	}
	reaches("at first", old, renewed)
	if err := os.WriteFile(before.File, []byte("-----BEGIN CERTIFICATE-----\nhalf"), 0o600); err != nil {
		t.Fatal(err)
	}
	reaches("with a broken file", old, renewed)
	if len(told) != 1 || !strings.Contains(told[0].Error(), "some.tls.ca_file") {
		t.Errorf("told of a broken file: %v", told)
	}
	accesstest.Replace(t, before.File, after.File)
	accesstest.Replace(t, mine.Cert, next.Cert)
	reaches("with a certificate whose key is not there yet", old, renewed)
	if len(told) != 2 || !strings.Contains(told[1].Error(), "some.tls.key_file") {
		t.Errorf("told of a certificate without its key: %v", told)
	}
	accesstest.Replace(t, mine.Key, next.Key)
	reaches("with the new files", renewed, old)
	if len(told) != 2 {
		t.Errorf("told %v", told)
	}
}
