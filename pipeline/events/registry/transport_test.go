package registry

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/internal/access/accesstest"
)

// Authorities and the password that change in their files are those of the next request; broken
// ones leave what was there, and are told of once. Another host gets no password.
func TestFilesOfARegistryAreReadAgain(t *testing.T) {
	first, second := accesstest.NewAuthority(t), accesstest.NewAuthority(t)
	pairs := map[*accesstest.Authority]tls.Certificate{first: first.Issue(t, "127.0.0.1").Pair(t), second: second.Issue(t, "127.0.0.1").Pair(t)}
	var authority atomic.Pointer[accesstest.Authority]
	var word atomic.Value
	var leaked atomic.Bool
	authority.Store(first)
	word.Store("hush")
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); ok {
			leaked.Store(true)
		}
	}))
	defer elsewhere.Close()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != word.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.URL.Path == "/schemas/ids/9" {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
			return
		}
		fmt.Fprintf(w, `{"schema":%q}`, row)
	}))
	server.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		return &tls.Config{Certificates: []tls.Certificate{pairs[authority.Load()]}}, nil
	}}
	server.StartTLS()
	defer server.Close()
	password := filepath.Join(t.TempDir(), "password")
	put := func(file, text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(password, "hush\n")
	told := 0
	r := open(t, Options{
		URL: server.URL, Format: Avro, Username: "credence", PasswordFile: password, TLS: access.TLS{CAFile: first.File},
		OnUnusable: func(error) { told++ },
	})
	learns := func(id byte) {
		t.Helper()
		server.CloseClientConnections()
		if _, err := r.Learn(t.Context(), records(value(uint32(id), "\x02"))); err != nil {
			t.Error(err)
		}
	}
	learns(1)
	put(first.File, "broken")
	learns(2)
	learns(3)
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	authority.Store(second)
	word.Store("whisper")
	accesstest.Replace(t, first.File, second.File)
	put(password, "whisper\n")
	learns(4)
	_, _ = r.Learn(t.Context(), records(value(9, "\x02")))
	if leaked.Load() {
		t.Error("another host was sent the password")
	}
}
