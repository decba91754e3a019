// Package access reads the files by which connections are secured: certificates and
// passwords.
package access

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
)

// TLS holds the settings of encrypted connections. Without CAFile the system's
// authorities are trusted; CertFile and KeyFile go together.
type TLS struct {
	Enabled    bool
	CAFile     string
	CertFile   string
	KeyFile    string
	ServerName string // default: the host that is dialled
}

// Config returns the configuration of connections, nil where they are not encrypted. The
// authorities are read once, the certificate and its key with every connection.
func (t TLS) Config() (*tls.Config, error) {
	if !t.Enabled {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CAFile != "" {
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("no certificate in %s", t.CAFile)
		}
	}
	if (t.CertFile == "") != (t.KeyFile == "") {
		return nil, errors.New("a certificate and its key go together")
	}
	if t.CertFile != "" {
		load := func() (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
			return &pair, err
		}
		if _, err := load(); err != nil {
			return nil, err
		}
		// Each connection has the certificate that is in the files by then.
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return load() }
	}
	return c, nil
}

// Password returns the password in a file, without its trailing line break.
func Password(file string) (string, error) {
	raw, err := os.ReadFile(file)
	return strings.TrimRight(string(raw), "\r\n"), err
}
