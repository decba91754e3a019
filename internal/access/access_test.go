package access_test

import (
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/internal/access/accesstest"
)

var keys = access.KeysOf("some.tls")

func put(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func content(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// locked returns a key behind a passphrase, as openssl wrote it for long.
func locked(t *testing.T, file string) string {
	t.Helper()
	block, _ := pem.Decode([]byte(content(t, file)))
	//nolint:staticcheck // files of this kind are still about
	hidden, err := x509.EncryptPEMBlock(rand.Reader, block.Type, block.Bytes, []byte("word"), x509.PEMCipherAES256)
	if err != nil {
		t.Fatal(err)
	}
	return put(t, "locked.pem", string(pem.EncodeToMemory(hidden)))
}

// Each wrong file is refused with the key of the configuration, the file and what to do.
func TestRefusedFiles(t *testing.T) {
	past := time.Now().Add(-time.Hour)
	ca := accesstest.NewAuthority(t)
	good, other, old := ca.Issue(t, "client"), ca.Issue(t, "client"), ca.IssueUntil(t, "client", past)
	text := content(t, ca.File)
	for name, c := range map[string]struct {
		tls  access.TLS
		want []string
	}{
		"authorities missing":     {access.TLS{CAFile: "/none/ca.pem"}, []string{"some.tls.ca_file: /none/ca.pem", "no such file", "may read"}},
		"authorities without any": {access.TLS{CAFile: good.Key}, []string{"some.tls.ca_file: no certificate in " + good.Key, "PEM"}},
		"authorities empty":       {access.TLS{CAFile: os.DevNull}, []string{"some.tls.ca_file: no certificate in"}},
		"authorities half there":  {access.TLS{CAFile: put(t, "ca.pem", text+text[:len(text)/2])}, []string{"some.tls.ca_file", "breaks off after 1", "copy"}},
		"authorities garbled":     {access.TLS{CAFile: put(t, "ca.pem", strings.Replace(text, "MII", "AAA", 1))}, []string{"some.tls.ca_file: certificate 1 in", "copy"}},
		"authorities all expired": {access.TLS{CAFile: accesstest.NewAuthorityUntil(t, past).File}, []string{"some.tls.ca_file", "expired", "get those"}},
		"certificate without key": {access.TLS{CertFile: good.Cert}, []string{"some.tls.cert_file", `some.tls.key_file is ""`, "both or neither"}},
		"key without certificate": {access.TLS{KeyFile: good.Key}, []string{`some.tls.cert_file is ""`, "some.tls.key_file", "both or neither"}},
		"certificate missing":     {access.TLS{CertFile: "/none/cert.pem", KeyFile: good.Key}, []string{"some.tls.cert_file: /none/cert.pem", "no such file"}},
		"key missing":             {access.TLS{CertFile: good.Cert, KeyFile: "/none/key.pem"}, []string{"some.tls.key_file: /none/key.pem", "no such file"}},
		"the two exchanged":       {access.TLS{CertFile: good.Key, KeyFile: good.Cert}, []string{"some.tls.cert_file: no certificate in " + good.Key}},
		"no key in the file":      {access.TLS{CertFile: good.Cert, KeyFile: other.Cert}, []string{"some.tls.key_file: no private key in " + other.Cert}},
		"key with a passphrase":   {access.TLS{CertFile: good.Cert, KeyFile: locked(t, good.Key)}, []string{"some.tls.key_file", "without a passphrase", "openssl pkey"}},
		"key of another":          {access.TLS{CertFile: good.Cert, KeyFile: other.Key}, []string{"some.tls.key_file: " + other.Key, good.Cert, "made together"}},
		"certificate expired":     {access.TLS{CertFile: old.Cert, KeyFile: old.Key}, []string{"some.tls.cert_file", old.Cert, "CN=client", "expired at", "renew"}},
	} {
		c.tls.Enabled = true
		_, err := c.tls.Config(keys)
		if err == nil {
			t.Errorf("%s passes", name)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q lacks %q", name, err, part)
			}
		}
	}
	both := access.TLS{Enabled: true, CAFile: put(t, "ca.pem", text+content(t, accesstest.NewAuthorityUntil(t, past).File)), CertFile: good.Cert, KeyFile: good.Key}
	if _, err := both.Config(keys); err != nil {
		t.Errorf("one authority of two has expired: %v", err)
	}
}

// A change that cannot be read is told of once, and leaves what was read before.
func TestReread(t *testing.T) {
	file := put(t, "value", "1")
	set := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reads, told := 0, 0
	read := func() (string, error) {
		reads++
		text := content(t, file)
		if text == "bad" {
			return "", os.ErrInvalid
		}
		return text, nil
	}
	r, err := access.NewReread([]string{file, ""}, read, func(error) { told++ })
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		write, want string
		reads, told int
	}{{"", "1", 1, 0}, {"2", "2", 2, 0}, {"bad", "2", 3, 1}, {"3", "3", 4, 1}} {
		if step.write != "" {
			set(step.write)
		}
		for range 3 {
			if got := r.Now(); got != step.want || reads != step.reads || told != step.told {
				t.Errorf("after %q: %q, read %d times, told %d times; want %+v", step.write, got, reads, told, step)
			}
		}
	}
	if _, err := access.NewReread([]string{file}, func() (string, error) { return "", os.ErrInvalid }, nil); err == nil {
		t.Error("the first read fails without an error")
	}
}

// Who asks while a change is read has the value of before at once, and the change is read once,
// whoever saw it.
func TestRereadDoesNotWait(t *testing.T) {
	file := put(t, "value", "old")
	reads, begun, on := 0, make(chan struct{}), make(chan struct{})
	r, err := access.NewReread([]string{file}, func() (string, error) {
		text := content(t, file)
		if reads++; reads > 1 {
			close(begun)
			<-on
		}
		return text, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	reader := make(chan string)
	go func() { reader <- r.Now() }()
	<-begun
	if got := r.Now(); got != "old" { // a reader that waited would never come back
		t.Errorf("while the change is read: %q", got)
	}
	close(on)
	if got := <-reader; got != "new" {
		t.Errorf("who read the change has %q", got)
	}
	if got := r.Now(); got != "new" || reads != 2 {
		t.Errorf("%q after %d reads", got, reads)
	}
}

// TestEmptyPasswords: a file without a password is refused with its name and what to do.
func TestEmptyPasswords(t *testing.T) {
	for content, want := range map[string]string{"": "empty", "\n": "empty", " \r\n": "empty", "secret\n": "", " padded": ""} {
		file := filepath.Join(t.TempDir(), "password")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := access.Password(file)
		switch {
		case want == "" && (err != nil || got != strings.TrimRight(content, "\n")):
			t.Errorf("%q: %q, %v", content, got, err)
		case want != "" && (err == nil || got != "" || !strings.Contains(err.Error(), file+" is empty: put the password into it")):
			t.Errorf("%q: %q, %v", content, got, err)
		}
	}
}
