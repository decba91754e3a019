// Package accesstest makes certificates for tests.
package accesstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority signs certificates. File is its own, in PEM.
type Authority struct {
	File string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Issued are the PEM files of a certificate and its key.
type Issued struct{ Cert, Key string }

// NewAuthority returns one that is good for an hour.
func NewAuthority(t testing.TB) *Authority { return NewAuthorityUntil(t, time.Now().Add(time.Hour)) }

// NewAuthorityUntil returns one that is good until a time.
func NewAuthorityUntil(t testing.TB, end time.Time) *Authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of " + t.Name()}, NotAfter: end,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	check(t, err)
	cert, err := x509.ParseCertificate(der)
	check(t, err)
	return &Authority{File: write(t, t.TempDir(), "ca.pem", certificate, der), cert: cert, key: key}
}

// Pool holds the authority alone.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// Issue makes the certificate of a host, by name or address, or of a client.
func (a *Authority) Issue(t testing.TB, name string) Issued {
	t.Helper()
	return a.IssueUntil(t, name, time.Now().Add(time.Hour))
}

// IssueUntil is Issue of one that is good until a time.
func (a *Authority) IssueUntil(t testing.TB, name string, end time.Time) Issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	check(t, err)
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotAfter: end,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	check(t, err)
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	check(t, err)
	dir := t.TempDir()
	return Issued{write(t, dir, "cert.pem", certificate, der), write(t, dir, "key.pem", "PRIVATE KEY", raw)}
}

// Pair reads the files.
func (i Issued) Pair(t testing.TB) tls.Certificate {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(i.Cert, i.Key)
	check(t, err)
	return pair
}

// Replace puts the content of one file in the place of another, as who renews it does.
func Replace(t testing.TB, file, by string) {
	t.Helper()
	content, err := os.ReadFile(by)
	check(t, err)
	check(t, os.WriteFile(file+".new", content, 0o600))
	check(t, os.Rename(file+".new", file))
}

const certificate = "CERTIFICATE"

func write(t testing.TB, dir, name, kind string, der []byte) string {
	t.Helper()
	file := filepath.Join(dir, name)
	check(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	return file
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
