package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"runtime/debug"
	"strings"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// certificatesModule is where the certificates of an image come from: the authorities that
// Mozilla trusts, as the Go team has them, of a version that go.mod fixes. Those of the
// machine that builds would differ from machine to machine.
const certificatesModule = "golang.org/x/crypto/x509roots/fallback"

// certificates returns the authorities as PEM, each under its name. Left out are those that
// Mozilla trusts for some certificates alone, by date for example: a file of PEM cannot say so.
func certificates() ([]byte, error) {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		c, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "# %s\n", c.Subject)
		if err := pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// certificatesFrom returns the version of the module and where it lies.
func certificatesFrom(ctx context.Context, root string) (m *debug.Module, folder string, err error) {
	text, err := output(ctx, root, "list", "-m", "-f", "{{.Version}}\n{{.Sum}}\n{{.Dir}}", certificatesModule)
	if err != nil {
		return nil, "", err
	}
	said := strings.Split(text, "\n")
	if len(said) != 3 {
		return nil, "", fmt.Errorf("go list says of %s: %q", certificatesModule, text)
	}
	return &debug.Module{Path: certificatesModule, Version: said[0], Sum: said[1]}, said[2], nil
}
