package kafka

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/pipeline"
)

// works uses everything that connects: own connections and the group's.
func works(t *testing.T, o Options) {
	t.Helper()
	c := connectAs(t, o)
	topic := fresh(t, c, 1)
	publish(t, c, Plain, numbered(topic, 3)...)
	if got, _ := read(t, newLog(t, c), pipeline.Partition{Topic: topic}, 0, 1<<20); values(got) != "0 1 2" {
		t.Errorf("%q", values(got))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	late := time.AfterFunc(20*time.Second, cancel)
	defer late.Stop()
	assigned := false
	err := NewGroup(c, GroupOptions{Group: topic, Topics: []string{topic}}).Run(ctx, func(string, int) {}, func(ctx context.Context, _ pipeline.Assignment) {
		assigned = true
		cancel()
	})
	if err != nil || !assigned {
		t.Errorf("group: assigned %v, %v", assigned, err)
	}
}

func file(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSASL(t *testing.T) {
	for _, mechanism := range []string{"plain", "scram-sha-256", "scram-sha-512"} {
		t.Run(mechanism, func(t *testing.T) {
			b := fake(t, kfake.EnableSASL(), kfake.Superuser(strings.ToUpper(mechanism), "ada", "secret, with space "))
			o := Options{Brokers: b.ListenAddrs(), SASL: SASL{Mechanism: mechanism, Username: "ada",
				PasswordFile: file(t, "password", []byte("secret, with space \n"))}}
			works(t, o)
			o.SASL.PasswordFile = file(t, "password", []byte("wrong"))
			if _, err := connectAs(t, o).ClusterID(t.Context()); err == nil || !strings.Contains(strings.ToLower(err.Error()), "sasl") {
				t.Errorf("wrong password: %v", err)
			}
			o.SASL = SASL{}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			if _, err := connectAs(t, o).ClusterID(ctx); err == nil {
				t.Error("no password was needed")
			}
		})
	}
}

// A password is read from its file with every connection; one that is refused is sent
// access.MostTries times, and no more until the file has another.
func TestPasswordIsReadAgain(t *testing.T) {
	b := fake(t, kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "ada", "right"))
	var sent atomic.Int64
	b.ControlKey(int16(kmsg.SASLAuthenticate), func(kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		sent.Add(1)
		return nil, nil, false
	})
	word := file(t, "password", []byte("wrong"))
	c := connectAs(t, Options{Brokers: b.ListenAddrs(), SASL: SASL{Mechanism: "scram-sha-512", Username: "ada", PasswordFile: word}})
	for range 4 * access.MostTries {
		if _, err := c.ClusterID(t.Context()); err == nil {
			t.Fatal("a wrong password was taken")
		}
	}
	if !exhausted(c) {
		t.Error("nobody was told")
	}
	tried := sent.Load()
	if tried > 2*access.MostTries { // SCRAM has two messages
		t.Errorf("%d messages of authentication", tried)
	}
	for range 3 {
		if _, err := c.ClusterID(t.Context()); !errors.Is(err, access.ErrExhausted) {
			t.Errorf("after %d tries: %v", access.MostTries, err)
		}
	}
	if now := sent.Load(); now != tried {
		t.Errorf("%d messages more", now-tried)
	}
	if err := os.WriteFile(word, []byte("right\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ClusterID(t.Context()); err != nil {
		t.Errorf("the new password: %v", err)
	}
}

func exhausted(c *Client) bool {
	select {
	case <-c.Exhausted():
		return true
	default:
		return false
	}
}

func TestTLS(t *testing.T) {
	caPEM, caCert, caKey := authority(t)
	server := issue(t, caCert, caKey, "127.0.0.1")
	client := issue(t, caCert, caKey, "client")
	pool := x509.NewCertPool()
	pool.AddCert(caCert)
	pair, err := tls.X509KeyPair(server.cert, server.key)
	if err != nil {
		t.Fatal(err)
	}
	b := fake(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}))
	good := TLS{Enabled: true, CAFile: file(t, "ca.pem", caPEM),
		CertFile: file(t, "cert.pem", client.cert), KeyFile: file(t, "key.pem", client.key)}
	works(t, Options{Brokers: b.ListenAddrs(), TLS: good})

	named, stranger, anonymous := good, good, good
	named.ServerName = "other.example"
	otherPEM, _, _ := authority(t)
	stranger.CAFile = file(t, "ca.pem", otherPEM)
	anonymous.CertFile, anonymous.KeyFile = "", ""
	for name, bad := range map[string]TLS{"server name": named, "authority": stranger, "no client certificate": anonymous, "plain text": {}} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		if _, err := connectAs(t, Options{Brokers: b.ListenAddrs(), TLS: bad}).ClusterID(ctx); err == nil {
			t.Errorf("%s: no error", name)
		}
		cancel()
	}
}

func TestOptions(t *testing.T) {
	word := file(t, "password", []byte("x"))
	for name, o := range map[string]Options{
		"no broker":    {},
		"no port":      {Brokers: []string{"localhost"}},
		"no user":      {Brokers: []string{"a:1"}, SASL: SASL{Mechanism: "plain", PasswordFile: word}},
		"no password":  {Brokers: []string{"a:1"}, SASL: SASL{Mechanism: "plain", Username: "u"}},
		"mechanism":    {Brokers: []string{"a:1"}, SASL: SASL{Mechanism: "gssapi", Username: "u", PasswordFile: word}},
		"no key":       {Brokers: []string{"a:1"}, TLS: TLS{Enabled: true, CertFile: word}},
		"no authority": {Brokers: []string{"a:1"}, TLS: TLS{Enabled: true, CAFile: word}},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

type identity struct{ cert, key []byte }

func authority(t *testing.T) ([]byte, *x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), cert, key
}

func issue(t *testing.T, ca *x509.Certificate, caKey *ecdsa.PrivateKey, name string) identity {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca, &key.PublicKey, caKey)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return identity{pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})}
}

// oldest holds the versions that Apache Kafka 4 still takes (KIP-896).
var oldest = map[int16]int16{0: 3, 1: 4, 2: 1, 8: 2, 9: 1, 11: 2, 17: 1, 19: 2, 32: 1}

// TestVersions: nothing that is sent is older than what Apache Kafka 4 takes.
func TestVersions(t *testing.T) {
	b := fake(t)
	seen := make(chan [2]int16, 10_000)
	b.Control(func(req kmsg.Request) (kmsg.Response, error, bool) {
		b.KeepControl()
		seen <- [2]int16{req.Key(), req.GetVersion()}
		return nil, nil, false
	})
	works(t, Options{Brokers: b.ListenAddrs()})
	c := connect(t, b.ListenAddrs())
	topic := fresh(t, c, 1)
	if _, err := c.Describe(t.Context(), topic); err != nil {
		t.Fatal(err)
	}
	w := join(t, b.ListenAddrs(), topic, topic, nil)
	eventually(t, "assignment", func() bool { return len(w.get()) == 1 })
	if err := w.get()[0].Commit(t.Context(), pipeline.GroupOffset{Offset: 1}); err != nil {
		t.Fatal(err)
	}
	w.stop()
	b.DropControl()
	keys := map[int16]bool{}
	for len(seen) > 0 {
		s := <-seen
		keys[s[0]] = true
		if s[1] < oldest[s[0]] {
			t.Errorf("%s in version %d", kmsg.NameForKey(s[0]), s[1])
		}
	}
	for key, min := range oldest {
		if key != 17 && !keys[key] {
			t.Errorf("%s was never sent", kmsg.NameForKey(key))
		}
		if s, ok := spoken[kafkaKey(key)]; ok && s[0] < min {
			t.Errorf("%s may be sent in version %d", kmsg.NameForKey(key), s[0])
		}
	}
	var unknown kafka.Error = 999
	if Moved(unknown) {
		t.Error("an unknown error is no reason to look for another leader")
	}
}
