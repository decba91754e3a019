package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// ReadToken reads a bearer token from a file: its text without surrounding
// white space. An empty name is no token; a file without one is an error,
// because it would open what was meant to be closed.
func ReadToken(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("http.token_file: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if token == "" {
		return "", fmt.Errorf("http.token_file %s is empty: put a token into it, or leave http.token_file out for no authentication", file)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("http.token_file %s: a token is one line of printable ASCII without spaces", file)
	}
	return token, nil
}

// authorize refuses requests without the token. Digests are compared, so that
// the time it takes tells neither the token nor its length.
func authorize(token string, next http.Handler) http.Handler {
	if token == "" {
		return next
	}
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(given)))
		if !strings.EqualFold(scheme, "bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="credence"`)
			writeError(w, http.StatusUnauthorized, "unauthorized", "send the token as: Authorization: Bearer TOKEN")
			return
		}
		next.ServeHTTP(w, r)
	})
}
