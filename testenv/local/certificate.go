//go:build unix

package local

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// certificate is what a server on the loopback shows who comes by TLS. It is signed by
// itself: who has it as an authority trusts it.
type certificate struct {
	File string // the certificate
	Key  string // its private key
	Both string // the key and the certificate
}

// newCertificate writes one of a day into a folder.
func newCertificate(dir string) (c certificate, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return c, err
	}
	now := time.Now()
	t := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "a server of a test"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return c, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return c, err
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	c = certificate{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), filepath.Join(dir, "both.pem")}
	for name, text := range map[string][]byte{c.File: cert, c.Key: private, c.Both: append(private, cert...)} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return c, err
		}
	}
	return c, nil
}
