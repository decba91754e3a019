// Package token reads the files of bearer tokens, and says what who brings one may see.
package token

import (
	"fmt"
	"os"
	"strings"
)

// least is the least number of characters of a token.
const least = 16

// Read reads a bearer token from a file: its text without surrounding
// white space. An empty name is no token; a file without one is an error,
// because it would open what was meant to be closed.
func Read(file string) (string, error) {
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
	if why := wrong(token); why != "" {
		return "", fmt.Errorf("http.token_file %s: the token %s", file, why)
	}
	return token, nil
}

// wrong says what is wrong with a token, "" if nothing, without a character of it.
func wrong(token string) string {
	if len(token) < least {
		return fmt.Sprintf("has %d characters, fewer than %d, and can be guessed; make one: head -c 24 /dev/urandom | base64 | tr -d '+/=\\n'", len(token), least)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "is not one line of printable ASCII without spaces"
	}
	return ""
}
