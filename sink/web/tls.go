package web

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
)

// TLS names the files of an encrypted server; without CertFile it speaks plain HTTP. With
// ClientCAFile clients need a certificate of these authorities for all but /livez and /readyz.
type TLS struct{ CertFile, KeyFile, ClientCAFile string }

// config reads the files, and again for a connection when one of them has changed. What
// cannot be read then leaves what was read before, and tell is told once of each change.
func (t TLS) config(tell func(error)) (*tls.Config, error) {
	if t.CertFile == "" {
		return nil, nil
	}
	files := newReread([]string{t.CertFile, t.KeyFile, t.ClientCAFile}, t.read, tell)
	if _, err := files.now(); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			c, err := files.now()
			if err != nil {
				return nil, err
			}
			return c, nil
		},
	}, nil
}

func (t TLS) read() (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("http.tls: %w", err)
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}
	if t.ClientCAFile == "" {
		return c, nil
	}
	pem, err := os.ReadFile(t.ClientCAFile)
	if err != nil {
		return nil, fmt.Errorf("http.tls.client_ca_file: %w", err)
	}
	c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.VerifyClientCertIfGiven
	if !c.ClientCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("http.tls.client_ca_file: no certificate in %s", t.ClientCAFile)
	}
	return c, nil
}

// certified lets in who shows a certificate, and what watches the process.
func (t TLS) certified(next http.Handler) http.Handler {
	if t.ClientCAFile == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/livez" && r.URL.Path != "/readyz" && (r.TLS == nil || len(r.TLS.VerifiedChains) == 0) {
			writeError(w, http.StatusForbidden, "no_certificate", "this server wants a client certificate of the authorities of http.tls.client_ca_file")
			return
		}
		next.ServeHTTP(w, r)
	})
}
