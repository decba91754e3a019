package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/consumer/commands"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/internal/access/accesstest"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/testenv/probe"
)

// Files of TLS that cannot work end `run` before it has asked any server, which are all away
// here, with the key of the configuration, the file, and what to do.
func TestRefusedTLS(t *testing.T) {
	ca := accesstest.NewAuthority(t)
	good, other, old := ca.Issue(t, "127.0.0.1"), ca.Issue(t, "127.0.0.1"), ca.IssueUntil(t, "127.0.0.1", time.Now().Add(-time.Hour))
	type fault struct {
		what            string
		ca, cert, key   string
		names, remedies string
	}
	faults := []fault{
		{"certificate without key", "", good.Cert, "", "key_file", "both or neither"},
		{"key without certificate", "", "", good.Key, "cert_file", "both or neither"},
		{"key of another certificate", "", good.Cert, other.Key, "key_file: " + other.Key, "made together"},
		{"expired", "", old.Cert, old.Key, "cert_file", "renew it"},
		{"missing certificate", "", "/none/cert.pem", good.Key, "cert_file: /none/cert.pem", "may read"},
		{"missing key", "", good.Cert, "/none/key.pem", "key_file: /none/key.pem", "may read"},
		{"missing authorities", "/none/ca.pem", good.Cert, good.Key, "ca_file: /none/ca.pem", "may read"},
		{"authorities without certificates", good.Key, good.Cert, good.Key, "ca_file: no certificate in " + good.Key, "PEM"},
	}
	type section struct{ key, text string }
	sections := []section{
		{"kafka.tls", `kafka: {brokers: ["127.0.0.1:1"], tls: {enabled: true, ca_file: %q, cert_file: %q, key_file: %q}}`},
		{"redis.tls", `redis: {url: "rediss://127.0.0.1:1/0", tls: {ca_file: %q, cert_file: %q, key_file: %q}}`},
		{"redis.tls", `redis: {url: "rediss+sentinel://127.0.0.1:1/m", tls: {ca_file: %q, cert_file: %q, key_file: %q}}`},
		{"redis.tls", `redis: {url: "rediss+cluster://127.0.0.1:1", tls: {ca_file: %q, cert_file: %q, key_file: %q}}`},
		{"http.tls", `http: {listen: "127.0.0.1:0", tls: {client_ca_file: %q, cert_file: %q, key_file: %q}}`},
		{"input.schema.tls", `input: {format: avro, schema: {registry: "https://127.0.0.1:1", tls: {ca_file: %q, cert_file: %q, key_file: %q}}}`},
	}
	for _, s := range sections {
		for _, f := range faults {
			names := f.names
			if s.key == "http.tls" {
				names = strings.Replace(names, "ca_file:", "client_ca_file:", 1)
			}
			refused(t, fmt.Sprintf("%s: %s", s.text, f.what), fmt.Sprintf(s.text, f.ca, f.cert, f.key), s.key+"."+names, f.remedies)
		}
	}
	for what, c := range map[string]struct{ text, names, remedy string }{
		"redis.tls with a plain URL": {fmt.Sprintf(`redis: {url: "redis://127.0.0.1:1/0", tls: {ca_file: %q}}`, ca.File), "redis.tls", "would not be encrypted"},
		"redis.tls, plain sentinels": {fmt.Sprintf(`redis: {url: "redis+sentinel://127.0.0.1:1/m", tls: {ca_file: %q}}`, ca.File), "redis.tls", "would not be encrypted"},
		"kafka.tls not enabled":      {fmt.Sprintf(`kafka: {brokers: ["127.0.0.1:1"], tls: {ca_file: %q}}`, ca.File), "kafka.tls", "enabled is false"},
		"kafka.tls, a name alone":    {`kafka: {brokers: ["127.0.0.1:1"], tls: {server_name: kafka.example}}`, "kafka.tls", "enabled is false"},
		"http.tls without a server":  {fmt.Sprintf(`http: {listen: "", tls: {cert_file: %q, key_file: %q}}`, good.Cert, good.Key), "http.tls", "http.listen is empty"},
		"http.tls, authorities only": {fmt.Sprintf(`http: {listen: "127.0.0.1:0", tls: {client_ca_file: %q}}`, ca.File), "http.tls.client_ca_file", "cert_file is empty"},
		"registry at http":           {fmt.Sprintf(`input: {format: avro, schema: {registry: "http://127.0.0.1:1", tls: {ca_file: %q}}}`, ca.File), "input.schema.tls", "https is with TLS"},
		"sentinel without password":  {`redis: {url: "redis+sentinel://127.0.0.1:1/m", sentinel_username: ada}`, "redis.sentinel_password_file", "has a password"},
		"no sentinels to ask":        {fmt.Sprintf(`redis: {url: "redis://127.0.0.1:1/0", sentinel_password_file: %q}`, ca.File), "redis.sentinel_password_file", "names none"},
		"sentinel password missing":  {`redis: {url: "redis+sentinel://127.0.0.1:1/m", sentinel_password_file: /none/word}`, "redis.sentinel_password_file", "/none/word"},
		"redis password missing":     {`redis: {url: "redis://127.0.0.1:1/0", password_file: /none/word}`, "redis.password_file", "/none/word"},
	} {
		refused(t, what, c.text, c.names, c.remedy)
	}
}

// refused expects that run ends at once with a message that has the parts.
func refused(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for section, rest := range map[string]string{"kafka:": `kafka: {brokers: ["127.0.0.1:1"]}`, "redis:": `redis: {url: "redis://127.0.0.1:1/0"}`, "http:": `http: {listen: ""}`} {
		if !strings.HasPrefix(text, section) {
			text += "\n" + rest
		}
	}
	file := clitest.WriteFile(t, "c.yaml", []byte(text+"\nmodels: [{match: '**', kind: linear}]\n"))
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	var out, messages bytes.Buffer
	code := commands.Run(ctx, &app.App{Names: cli.Apart(), Kinds: models.Kinds(), Out: &out, Err: &messages}, []string{"run", "--config", file})
	if ctx.Err() != nil {
		t.Fatalf("%s: run did not end by itself\n%s", what, messages.String())
	}
	if code != 1 || strings.Contains(messages.String(), "dependency unavailable") {
		t.Errorf("%s: exit %d\n%s", what, code, messages.String())
	}
	for _, part := range parts {
		if !strings.Contains(messages.String(), part) {
			t.Errorf("%s: the message lacks %q:\n%s", what, part, messages.String())
		}
	}
}
