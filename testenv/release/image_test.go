//go:build unix

package main

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv/release/oci"
)

// page is where an operator reads how to verify an image.
const page = "docs/howto/verify-an-image.md"

// steps returns the commands of the page that a test carries out, as one script.
func steps(t *testing.T, name string) string {
	t.Helper()
	var script strings.Builder
	for _, m := range regexp.MustCompile("(?s)<!-- elsewhere: "+name+" -->\n```sh\n(.*?)```").FindAllStringSubmatch(string(readFile(t, filepath.Join(root, page))), -1) {
		script.WriteString(m[1])
	}
	if script.Len() == 0 {
		t.Fatalf("%s has nothing for %s", page, name)
	}
	return script.String()
}

// follow carries out a script of the page in a folder, and returns what it prints.
func follow(t *testing.T, dir, script string, env ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\nof\n%s", err, text, script)
	}
	return string(text)
}

// verified follows the page with a release, and again with one in which a byte is another.
func verified(t *testing.T, out string, s *source) {
	t.Helper()
	everyFile(t, out, s)
	if runtime.GOARCH != "amd64" {
		t.Logf("%s is about amd64, which this release is not for", page)
		return
	}
	if _, err := exec.LookPath("jq"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Logf("%s is not followed: %v", page, err)
		return
	}
	script := steps(t, "TestRelease")
	got := strings.Fields(follow(t, out, script))
	if want := []string{predicateBill, predicateProvenance, s.revision}; !slices.Equal(got, want) {
		t.Errorf("the page's commands print %q, want %q", got, want)
	}
	if err := os.RemoveAll(filepath.Join(out, "image")); err != nil {
		t.Fatal(err)
	}
	_, wrong, _ := strings.Cut(script, "\n") // without the checksums, which would find it
	path := filepath.Join(out, "credence_"+s.version+"_image.oci.tar")
	content := readFile(t, path)
	at := bytes.Index(content, []byte(`"externalParameters"`))
	if at < 0 {
		t.Fatal("no provenance is attached")
	}
	content[at+1]++
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", wrong)
	cmd.Dir = out
	if text, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(text), "FAILED") {
		t.Errorf("a damaged provenance is not seen: %v\n%s", err, text)
	}
	content[at+1]--
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// everyFile holds bill and provenance of the image against what it is made of.
func everyFile(t *testing.T, out string, s *source) {
	t.Helper()
	name := filepath.Join(out, s.name("linux", runtime.GOARCH)+"_image")
	var b bom
	if err := json.Unmarshal(readFile(t, name+".cdx.json"), &b); err != nil {
		t.Fatal(err)
	}
	var said []string
	known := map[string]bool{b.Metadata.Component.Ref: true}
	for _, c := range b.Components {
		if known[c.Ref] {
			t.Errorf("two components are %s", c.Ref)
		}
		known[c.Ref] = true
		if c.Type == "file" {
			said = append(said, c.Name)
		}
	}
	if want := []string{"/etc/ssl/certs/ca-certificates.crt", "/etc/passwd", "/licenses/LICENSE", "/licenses/" + noticesName, "/data/flights.csv"}; !slices.Equal(said, want) {
		t.Errorf("the bill has the files %q, want %q", said, want)
	}
	for _, d := range b.Dependencies {
		for _, ref := range append(d.DependsOn, d.Ref) {
			if !known[ref] {
				t.Errorf("%s is among the dependencies and no component", ref)
			}
		}
	}
	if i := slices.IndexFunc(b.Components, func(c component) bool { return c.Name == certificatesModule && c.Version != "" }); i < 0 || b.Metadata.Timestamp != s.time.Format(time.RFC3339) {
		t.Errorf("the bill is of %q and says of certificates %d", b.Metadata.Timestamp, i)
	}
	var p struct {
		Type      string `json:"_type"`
		Predicate provenance
	}
	if err := json.Unmarshal(readFile(t, name+".provenance.json"), &p); err != nil {
		t.Fatal(err)
	}
	modules := 0
	for _, c := range b.Components {
		if c.Type != "library" || c.Name == "std" {
			continue
		}
		modules++
		if !slices.ContainsFunc(p.Predicate.Definition.Resolved, func(r resource) bool { return r.URI == c.PURL && len(r.Digest["dirHash"]) == 64 }) {
			t.Errorf("the provenance does not have %s with its checksum", c.PURL)
		}
	}
	if d := p.Predicate.Definition; p.Type != statementType || len(d.Resolved) != modules+1 || d.Resolved[0].Digest["gitCommit"] != s.revision || d.External["version"] != s.version {
		t.Errorf("of %d modules the provenance has %d materials, the first %+v", modules, len(d.Resolved), d.Resolved[0])
	}
}

// TestRecipe: what a container runs is what the Dockerfile says, and nothing there is left out.
func TestRecipe(t *testing.T) {
	got, err := recipe(root, map[string]string{"VERSION": "v1", "REVISION": "abc"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"User":"65532:65532","ExposedPorts":{"8080/tcp":{}},"Env":["PATH=/usr/local/bin"],"Entrypoint":["/usr/local/bin/consumer"],` +
		`"Cmd":["run","--config","/etc/credence/consumer.yaml"],"Healthcheck":{"Test":["CMD","/usr/local/bin/consumer","ready","--config","/etc/credence/consumer.yaml"],` +
		`"Interval":10000000000,"Timeout":10000000000,"StartPeriod":30000000000,"Retries":6},"Labels":{"org.opencontainers.image.licenses":"Apache-2.0",` +
		`"org.opencontainers.image.revision":"abc","org.opencontainers.image.title":"credence","org.opencontainers.image.version":"v1"}}`
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	for _, c := range []struct{ more, want string }{
		{"VOLUME /data\n", "VOLUME"},
		{"COPY here /there\n", "nothing else"},
		{"HEALTHCHECK --start-interval=5s CMD [\"x\"]\n", "--start-interval"},
		{"FROM debian\n", `from "debian"`},
		{"ENV A b\n", "KEY=value"},
		{"LABEL a=\"b c\"\n", "without quotes"},
	} {
		dir := t.TempDir()
		file := append(readFile(t, filepath.Join(root, "Dockerfile")), c.more...)
		if err := os.WriteFile(filepath.Join(dir, "Dockerfile"), file, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := recipe(dir, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.more, err)
		}
	}
}

// TestInstructions: an instruction that comes again adds to what was said before, as in an
// engine.
func TestInstructions(t *testing.T) {
	var c oci.Config
	for _, line := range []string{"LABEL a=1 b=$B", "LABEL c=3", "EXPOSE 80 53/udp", "EXPOSE 81", "ENV A=1 B=2", "ENV C=3"} {
		word, rest, _ := strings.Cut(line, " ")
		if err := instruct(&c, word, rest, map[string]string{"B": "2"}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(c)
	const want = `{"ExposedPorts":{"53/udp":{},"80/tcp":{},"81/tcp":{}},"Env":["A=1","B=2","C=3"],"Labels":{"a":"1","b":"2","c":"3"}}`
	if err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
}

// TestCertificates: the file is one that TLS reads, and every authority is in it once.
func TestCertificates(t *testing.T) {
	text, err := certificates()
	if err != nil {
		t.Fatal(err)
	}
	again, err := certificates()
	if err != nil || !bytes.Equal(text, again) {
		t.Errorf("not the same again: %v", err)
	}
	pool, seen := x509.NewCertPool(), map[string]bool{}
	if !pool.AppendCertsFromPEM(text) {
		t.Fatal("no certificate is read")
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil || !c.IsCA || seen[string(block.Bytes)] {
			t.Errorf("%v: error %v", c.Subject, err)
		}
		seen[string(block.Bytes)] = true
	}
	if len(seen) < 100 || strings.Count(string(text), "\n# ")+1 != len(seen) {
		t.Errorf("%d certificates and %d names", len(seen), strings.Count(string(text), "\n# ")+1)
	}
}

// TestStatement: a statement is about the manifest of its image, by in-toto's form.
func TestStatement(t *testing.T) {
	sum := strings.Repeat("ab", 32)
	about := imaged{Made: oci.Made{Platform: oci.Platform{Architecture: "arm64", OS: "linux"}, Manifest: oci.Descriptor{Digest: "sha256:" + sum}}}
	text, err := statement(about, "https://example.org/p", []byte(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	var flat bytes.Buffer
	if err := json.Compact(&flat, text); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"credence linux/arm64","digest":{"sha256":"%s"}}],"predicateType":"https://example.org/p","predicate":{"a":1}}`, sum)
	if flat.String() != want {
		t.Errorf("got %s, want %s", flat.String(), want)
	}
}
