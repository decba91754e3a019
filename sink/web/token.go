package web

import (
	"fmt"
	"os"
	"strings"
)

// leastToken is the least number of characters of a token.
const leastToken = 16

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
	if len(token) < leastToken {
		return "", fmt.Errorf("http.token_file %s: the token has %d characters, fewer than %d, and can be guessed; make one: head -c 24 /dev/urandom | base64 | tr -d '+/=\\n' > %s",
			file, len(token), leastToken, file)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("http.token_file %s: a token is one line of printable ASCII without spaces", file)
	}
	return token, nil
}
