package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const repository = "../.."

// TestEveryReferenceHasALine: the lock has each image that files name and no other; those
// whose digest nobody has looked up are told in the open.
func TestEveryReferenceHasALine(t *testing.T) {
	refs, err := references(repository)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"apache/kafka:4.1.2", "golang:1.26", "grafana/grafana:12.2.1", "prom/prometheus:v3.7.3", "redis:7"}; !slices.Equal(refs, want) {
		t.Errorf("files name %q, want %q", refs, want)
	}
	lock, err := readLock(filepath.Join(repository, lockFile))
	if err != nil {
		t.Fatal(err)
	}
	if has := slices.Sorted(maps.Keys(lock)); !slices.Equal(has, refs) {
		t.Errorf("%s has %q, and files name %q: make digests", lockFile, has, refs)
	}
	var open []string
	for _, ref := range refs {
		if lock[ref] == "" {
			open = append(open, ref)
		}
	}
	if len(open) > 0 {
		fmt.Fprintf(os.Stderr, "\n*** NO DIGEST YET, SO THE TAG DECIDES: %s: run `make digests` where a registry can be asked ***\n\n", strings.Join(open, ", "))
	}
	again := filepath.Join(t.TempDir(), "lock")
	if err := writeLock(again, refs, lock); err != nil {
		t.Fatal(err)
	}
	was, now := read(t, filepath.Join(repository, lockFile)), read(t, again)
	if was != now {
		t.Errorf("%s is not as make digests writes it:\n%s", lockFile, now)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// standIn is a registry with one image, an index, for which it wants a token for anybody.
type standIn struct {
	*httptest.Server
	body  string
	says  string // Docker-Content-Digest, "" for none
	asked []string
}

const list = `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[]}`

func newStandIn(t *testing.T) *standIn {
	s := &standIn{body: list}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/token" {
		if r.URL.Query().Get("scope") == "" || r.URL.Query().Get("service") != "stand-in" {
			http.Error(w, "for what?", http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, `{"token":"of anybody"}`)
		return
	}
	if r.Header.Get("Authorization") != "Bearer of anybody" {
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+s.URL+`/token",service="stand-in",scope="repository:x:pull"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	s.asked = append(s.asked, r.URL.Path)
	switch {
	case !strings.HasPrefix(r.Header.Get("Accept"), "application/vnd.oci.image.index.v1+json,"):
		http.Error(w, "an image for one platform", http.StatusNotAcceptable)
	case r.URL.Path == "/v2/prom/prometheus/manifests/v3.7.3":
		http.NotFound(w, r)
	default:
		if s.says != "" {
			w.Header().Set("Docker-Content-Digest", s.says)
		}
		fmt.Fprint(w, s.body)
	}
}

// update runs the command on a copy of what names images.
func (s *standIn) update(t *testing.T, root string) (missing int, said string) {
	t.Helper()
	var out bytes.Buffer
	missing, err := update(t.Context(), &registry{s.Client(), s.URL}, root, &out)
	if err != nil {
		t.Fatal(err)
	}
	return missing, out.String()
}

// TestDigestsAreLookedUp: tags become digests of all platforms, those of the bytes that came;
// what a registry does not have, or has otherwise than it says, stays as it was.
func TestDigestsAreLookedUp(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"Dockerfile", "docker-compose.yml", "deploy/kubernetes/deployment.yaml", lockFile} {
		write(t, filepath.Join(root, filepath.FromSlash(name)), read(t, filepath.Join(repository, filepath.FromSlash(name))))
	}
	lock := filepath.Join(root, filepath.FromSlash(lockFile))
	if err := writeLock(lock, []string{"golang:1.26", "gone:1"}, nil); err != nil {
		t.Fatal(err)
	}
	s := newStandIn(t)
	sum := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(list)))
	s.says = sum
	if missing, said := s.update(t, root); missing != 1 || !strings.Contains(said, "prom/prometheus:v3.7.3: no answer, so it stays as it was: ") || !strings.Contains(said, "404") {
		t.Errorf("%d are missing:\n%s", missing, said)
	}
	if want := []string{
		"/v2/apache/kafka/manifests/4.1.2", "/v2/library/golang/manifests/1.26", "/v2/grafana/grafana/manifests/12.2.1",
		"/v2/prom/prometheus/manifests/v3.7.3", "/v2/library/redis/manifests/7",
	}; !slices.Equal(s.asked, want) {
		t.Errorf("asked for %q, want %q", s.asked, want)
	}
	want := lockHead + "apache/kafka:4.1.2 " + sum + "\ngolang:1.26 " + sum + "\ngrafana/grafana:12.2.1 " + sum + "\nprom/prometheus:v3.7.3 unresolved\nredis:7 " + sum + "\n"
	if got := read(t, lock); got != want {
		t.Errorf("the lock is\n%swant\n%s", got, want)
	}
	s.body = list + " " // another image than the one that it says
	if missing, said := s.update(t, root); missing != 5 || !strings.Contains(said, "and its answer has sha256:") {
		t.Errorf("%d are missing:\n%s", missing, said)
	}
	s.body, s.says = `{"schemaVersion":1}`, ""
	if missing, said := s.update(t, root); missing != 5 || !strings.Contains(said, "no manifest of schema 2") {
		t.Errorf("%d are missing:\n%s", missing, said)
	}
	if got := read(t, lock); got != want {
		t.Errorf("failures changed the lock:\n%s", got)
	}
}

func TestLockRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"redis:7 sha256:abc\n", "line 1"},
		{"# x\nredis:7\n", "line 2"},
		{"redis:7 unresolved\nredis:7 unresolved\n", "twice"},
	} {
		path := filepath.Join(t.TempDir(), "lock")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readLock(path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

func TestSplit(t *testing.T) {
	for ref, want := range map[string]named{
		"redis:7":                  {"registry-1.docker.io", "library/redis", "7"},
		"apache/kafka:4.1.2":       {"registry-1.docker.io", "apache/kafka", "4.1.2"},
		"localhost:5000/a/b:1":     {"localhost:5000", "a/b", "1"},
		"registry.example.org/a:1": {"registry.example.org", "a", "1"},
		"redis":                    {},
		"localhost:5000/a":         {},
		"redis:7@sha256:" + strings.Repeat("0", 64): {},
	} {
		got, err := split(ref)
		if (err != nil) != (want == named{}) || err == nil && got != want {
			t.Errorf("%s: %+v %v, want %+v", ref, got, err, want)
		}
	}
}
