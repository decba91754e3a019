package registry

import (
	"fmt"
	"net/http"

	"github.com/credence-stream/credence/internal/access"
)

// transport sends requests with what the files of the options hold by then.
type transport struct {
	user  string
	host  string // that gets the password: no other that it may lead to
	files *access.Reread[entry]
}

// entry is what the files hold.
type entry struct {
	*http.Transport
	password string
}

func newTransport(o Options, host string) (*transport, error) {
	var last *http.Transport
	read := func() (e entry, err error) {
		e.Transport = http.DefaultTransport.(*http.Transport).Clone()
		if e.TLSClientConfig, err = o.TLS.Config(access.KeysOf("input.schema.tls")); err != nil {
			return e, err
		}
		if o.Username != "" {
			if e.password, err = access.Password(o.PasswordFile); err != nil {
				return e, fmt.Errorf("input.schema.password_file: %w", err)
			}
		}
		if last != nil {
			last.CloseIdleConnections()
		}
		last = e.Transport
		return e, nil
	}
	files, err := access.NewReread(append(o.TLS.Files(), o.PasswordFile), read, o.OnUnusable)
	return &transport{o.Username, host, files}, err
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	e := t.files.Now()
	if t.user != "" && req.URL.Host == t.host {
		req = req.Clone(req.Context())
		req.SetBasicAuth(t.user, e.password)
	}
	return e.RoundTrip(req)
}
