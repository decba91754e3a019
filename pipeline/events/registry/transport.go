package registry

import (
	"fmt"
	"net/http"

	"github.com/credence-stream/credence/internal/access"
)

// transport sends requests with what the files of the options hold by then.
type transport struct {
	*access.Transport
	user     string
	password *access.Reread[string]
	host     string // that gets the password: no other that it may lead to
}

func newTransport(o Options, host string) (*transport, error) {
	t := &transport{user: o.Username, host: host}
	var err error
	if t.Transport, err = access.NewTransport(o.TLS, access.KeysOf("input.schema.tls"), o.OnUnusable); err != nil || o.Username == "" {
		return t, err
	}
	t.password, err = access.NewReread([]string{o.PasswordFile}, func() (string, error) {
		password, err := access.Password(o.PasswordFile)
		if err != nil {
			err = fmt.Errorf("input.schema.password_file: %w", err)
		}
		return password, err
	}, o.OnUnusable)
	return t, err
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.user != "" && req.URL.Host == t.host {
		req = req.Clone(req.Context())
		req.SetBasicAuth(t.user, t.password.Now())
	}
	return t.Transport.RoundTrip(req)
}
