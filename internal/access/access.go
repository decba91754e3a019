// Package access reads the files by which connections are secured, certificates and
// passwords, and reads them again when they have changed.
package access

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
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

// Keys are what a user calls the settings of a TLS, for messages.
type Keys struct{ CA, Cert, Key, Name string }

// KeysOf are the keys in a section of the configuration.
func KeysOf(section string) Keys {
	return Keys{section + ".ca_file", section + ".cert_file", section + ".key_file", section + ".server_name"}
}

// Config reads the files and returns the configuration of connections, nil where they are
// not encrypted. An error names the key, the file and what to do.
func (t TLS) Config(k Keys) (*tls.Config, error) {
	if !t.Enabled {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CAFile != "" {
		pool, err := Authorities(k.CA, t.CAFile)
		if err != nil {
			return nil, err
		}
		c.RootCAs = pool
	}
	if (t.CertFile == "") != (t.KeyFile == "") {
		return nil, fmt.Errorf("%s is %q and %s is %q: give both or neither", k.Cert, t.CertFile, k.Key, t.KeyFile)
	}
	if t.CertFile != "" {
		pair, err := Pair(k.Cert, t.CertFile, k.Key, t.KeyFile)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// Files are those that Config reads.
func (t TLS) Files() []string { return []string{t.CAFile, t.CertFile, t.KeyFile} }

// Password returns the password in a file, without its trailing line break. An empty file is
// an error that names it: it would log in without a password, or fail where nobody says why.
func Password(file string) (string, error) {
	raw, err := os.ReadFile(file)
	password := strings.TrimRight(string(raw), "\r\n")
	if err == nil && strings.TrimSpace(password) == "" {
		return "", fmt.Errorf("%s is empty: put the password into it, or take the setting that names it out for none", file)
	}
	return password, err
}

// read returns what the file under a key holds.
func read(key, file string) ([]byte, error) {
	b, err := os.ReadFile(file)
	if p := new(fs.PathError); errors.As(err, &p) {
		err = p.Err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w; name a PEM file that this process may read", key, file, err)
	}
	return b, nil
}
