package access

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strings"
	"time"
)

// Pair reads a certificate, which others of its chain may follow, and its key from PEM files.
// Errors name the keys of the configuration. A certificate that has expired is one.
func Pair(certKey, certFile, keyKey, keyFile string) (tls.Certificate, error) {
	var pair tls.Certificate
	chain, err := certificates(certKey, certFile)
	if err != nil {
		return pair, err
	}
	if leaf := chain[0]; time.Now().After(leaf.NotAfter) {
		return pair, fmt.Errorf("%s: the certificate in %s (%s) expired at %s: renew it", certKey, certFile, subject(leaf), leaf.NotAfter.UTC().Format(time.RFC3339))
	}
	key, err := read(keyKey, keyFile)
	if err != nil {
		return pair, err
	}
	if !holdsKey(key) {
		return pair, fmt.Errorf("%s: no private key in %s: it wants PEM without a passphrase, as openssl pkey -in FILE -out FILE writes it", keyKey, keyFile)
	}
	var text bytes.Buffer
	for _, c := range chain {
		if err := pem.Encode(&text, &pem.Block{Type: certificateBlock, Bytes: c.Raw}); err != nil {
			return pair, err
		}
	}
	if pair, err = tls.X509KeyPair(text.Bytes(), key); err != nil {
		return pair, fmt.Errorf("%s: %s is not the key of the certificate in %s, which %s names (%w): give the two that were made together",
			keyKey, keyFile, certFile, certKey, err)
	}
	return pair, nil
}

// Authorities reads the certificates of authorities from a PEM file. Errors name the key of
// the configuration. That all have expired is one.
func Authorities(key, file string) (*x509.CertPool, error) {
	all, err := certificates(key, file)
	if err != nil {
		return nil, err
	}
	pool, valid := x509.NewCertPool(), false
	for _, c := range all {
		pool.AddCert(c)
		valid = valid || time.Now().Before(c.NotAfter)
	}
	if !valid {
		return nil, fmt.Errorf("%s: each certificate in %s (%d) has expired: get those that the authority has now", key, file, len(all))
	}
	return pool, nil
}

const certificateBlock = "CERTIFICATE"

// certificates returns those of a PEM file, at least one. A file that breaks off is an error:
// it may be half written.
func certificates(key, file string) ([]*x509.Certificate, error) {
	rest, err := read(key, file)
	if err != nil {
		return nil, err
	}
	var all []*x509.Certificate
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != certificateBlock {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: certificate %d in %s: %w; copy the file again", key, len(all)+1, file, err)
		}
		all = append(all, c)
	}
	switch {
	case bytes.Contains(rest, []byte("-----BEGIN")):
		return nil, fmt.Errorf("%s: %s breaks off after %d certificates: copy the file again", key, file, len(all))
	case len(all) == 0:
		return nil, fmt.Errorf("%s: no certificate in %s: it wants PEM, which begins with -----BEGIN CERTIFICATE-----", key, file)
	}
	return all, nil
}

// holdsKey reports whether a text has a private key that needs no passphrase.
func holdsKey(text []byte) bool {
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			return false
		}
		if strings.HasSuffix(block.Type, "PRIVATE KEY") {
			return block.Type != "ENCRYPTED PRIVATE KEY" && block.Headers["DEK-Info"] == ""
		}
	}
}

func subject(c *x509.Certificate) string {
	if name := c.Subject.String(); name != "" {
		return name
	}
	return "serial number " + c.SerialNumber.String()
}
