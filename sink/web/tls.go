package web

import (
	"crypto/tls"
	"net/http"

	"github.com/credence-stream/credence/internal/access"
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
	files, err := access.NewReread([]string{t.CertFile, t.KeyFile, t.ClientCAFile}, t.read, tell)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return files.Now(), nil },
	}, nil
}

func (t TLS) read() (*tls.Config, error) {
	k := access.KeysOf("http.tls")
	pair, err := access.Pair(k.Cert, t.CertFile, k.Key, t.KeyFile)
	if err != nil {
		return nil, err
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}
	if t.ClientCAFile == "" {
		return c, nil
	}
	c.ClientAuth = tls.VerifyClientCertIfGiven
	c.ClientCAs, err = access.Authorities("http.tls.client_ca_file", t.ClientCAFile)
	return c, err
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
