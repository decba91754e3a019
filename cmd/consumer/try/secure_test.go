package try

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/credence-stream/credence/cmd/consumer/config"
	"github.com/credence-stream/credence/cmd/internal/clitest"
)

// TestAProtectedTopic: a topic behind TLS and SASL is learnt from without a trace, the
// configuration that is kept says how to reach it, and a wrong password is an error that names
// what refused.
func TestAProtectedTopic(t *testing.T) {
	shop := httptest.NewTLSServer(nil) // for its certificate
	defer shop.Close()
	ca := clitest.WriteFile(t, "ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: shop.Certificate().Raw}))
	password := clitest.WriteFile(t, "password", []byte("secret\n"))
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "sales"), kfake.EnableSASL(),
		kfake.TLS(&tls.Config{Certificates: shop.TLS.Certificates}), kfake.Superuser("SCRAM-SHA-256", "ada", "secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	pool := x509.NewCertPool()
	pool.AddCert(shop.Certificate())
	access := []kgo.Opt{
		kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.DialTLSConfig(&tls.Config{RootCAs: pool}),
		kgo.SASL(scram.Auth{User: "ada", Pass: "secret"}.AsSha256Mechanism()),
	}
	fill(t, "sales", access)
	before := holdings(t, access...)

	kept := filepath.Join(t.TempDir(), "kept.yaml")
	try := func(password string) *attempt {
		x := begin(t, "", func(t *trial) {
			t.ask.Topic, t.ask.Brokers, t.ask.Records.Format, t.ask.Out, t.force = "sales", cluster.ListenAddrs(), config.FormatJSON, kept, true
			t.ask.Sets = []string{
				"kafka.tls.enabled=true", "kafka.tls.ca_file=" + ca,
				"kafka.sasl.mechanism=scram-sha-256", "kafka.sasl.username=ada", "kafka.sasl.password_file=" + password,
			}
		})
		<-x.done
		return x
	}
	x := try(password)
	if x.result != nil || !strings.Contains(x.out.String(), "sold rises with price") || !strings.Contains(x.err.String(), "200 records, 200 rows") {
		t.Errorf("%v\n%s\n%s", x.result, x.err.String(), x.out.String())
	}
	if after := holdings(t, access...); !slices.Equal(before, after) {
		t.Errorf("the cluster holds\n%s\nand held\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
	if text, err := os.ReadFile(kept); err != nil || !strings.Contains(string(text), "ca_file: "+ca) || !strings.Contains(string(text), "password_file: "+password) {
		t.Errorf("%v:\n%s", err, text)
	}
	if x := try(clitest.WriteFile(t, "password", []byte("wrong"))); x.result == nil || !strings.Contains(strings.ToLower(x.result.Error()), "sasl") {
		t.Errorf("a wrong password: %v", x.result)
	}
}

// fill sends 200 events of one key.
func fill(t *testing.T, topic string, access []kgo.Opt) {
	t.Helper()
	c, err := kgo.NewClient(access...)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var all []*kgo.Record
	for i := range 200 {
		all = append(all, &kgo.Record{Topic: topic, Key: []byte("k"), Value: fmt.Appendf(nil, `{"sold": %d.5, "price": %d}`, i%7*3+i%4, i%7)})
	}
	if err := c.ProduceSync(t.Context(), all...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}
