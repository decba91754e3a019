package access

import "net/http"

// Transport sends HTTP requests over connections of a TLS. It is safe for concurrent use.
type Transport struct {
	files *Reread[*http.Transport]
}

// NewTransport reads the files of a TLS, whose settings a user calls k, and reads them again
// when they have changed: connections of before are not used for later requests. tell, where
// not nil, is told once of a change that cannot be used. An error names the key, the file and
// what to do.
func NewTransport(t TLS, k Keys, tell func(error)) (*Transport, error) {
	var last *http.Transport
	files, err := NewReread(t.Files(), func() (*http.Transport, error) {
		c, err := t.Config(k)
		if err != nil {
			return nil, err
		}
		if last != nil {
			last.CloseIdleConnections()
		}
		last = http.DefaultTransport.(*http.Transport).Clone()
		last.TLSClientConfig = c
		return last, nil
	}, tell)
	return &Transport{files}, err
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	return t.files.Now().RoundTrip(req)
}

// CloseIdleConnections closes connections that nothing is asked over.
func (t *Transport) CloseIdleConnections() { t.files.Now().CloseIdleConnections() }
