package token

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	for _, c := range []struct{ text, want, fails string }{
		{"two words and two more", "", "without spaces"},
		{"sixteen-or-more!\n", "sixteen-or-more!", ""},
		{" \n", "", "is empty"},
		{"short", "", "can be guessed"},
	} {
		write(t, file, c.text)
		got, err := Read(file)
		if got != c.want || (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%q: %q, %v", c.text, got, err)
		}
	}
	if got, err := Read(""); got != "" || err != nil {
		t.Errorf("no file: %q, %v", got, err)
	}
	if _, err := Read(file + ".none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestShortTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write(t, file, strings.Repeat("x", 15))
	if _, err := Read(file); err == nil || !strings.Contains(err.Error(), "/dev/urandom") {
		t.Errorf("15 characters: %v", err)
	}
	write(t, file, strings.Repeat("x", 16))
	if _, err := Read(file); err != nil {
		t.Error(err)
	}
}

// Every token of a list says what it may see, and what is wrong is named without a character of
// any token.
func TestReadList(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	const secret, other = "Sixteen-or-more!", "seventeen-or-more"
	write(t, file, `tokens:
  - {name: acme, scope: read, prefix: acme/, token: `+secret+`}
  - {name: ops, scope: operate, prefix: "", token: `+other+`}
`)
	got, err := ReadList(file)
	want := []Token{{Scope{"acme", Reader, "acme/"}, secret}, {Scope{"ops", Operator, ""}, other}}
	if err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Fatalf("%+v, %v", got, err)
	}
	one := func(members string) string { return "tokens: [{" + members + "}]" }
	for text, fails := range map[string]string{
		"":                         "0 tokens",
		secret:                     "a value",
		"tokens: []":               "0 tokens",
		"token: []":                "line 1: a key that is none of tokens",
		secret + ": {scope: read}": "line 1: a key that is none of tokens",
		one("name: a, scope: read, prefix: a, token: short"):                                                               "can be guessed",
		one("name: a, scope: read, token: " + secret):                                                                      "prefix is missing",
		one("name: a, prefix: a, token: " + secret):                                                                        `scope is ""`,
		one("name: a, scope: write, prefix: a, token: " + secret):                                                          `scope is "write"`,
		one("name: a.b, scope: read, prefix: a, token: " + secret):                                                         "a name has",
		one("scope: read, prefix: a, token: " + secret):                                                                    "a name has",
		one("name: a, scope: read, prefix: a"):                                                                             "can be guessed",
		one("name: a, scope: read, prefix: a, token: " + secret + ", keys: 3"):                                             "line 1: a key that is none of",
		one("name: a, scope: read, prefix: " + strings.Repeat("x", 513) + ", token: " + secret):                            "at most 512",
		one("name: a, scope: read, prefix: a, token: [" + secret + "]"):                                                    "line 1",
		one("name: a, scope: read, prefix: a, token: " + secret + "}, {name: a, scope: read, prefix: a, token: " + other):  "named a",
		one("name: a, scope: read, prefix: a, token: " + secret + "}, {name: b, scope: read, prefix: b, token: " + secret): "token of a, too",
	} {
		write(t, file, text)
		_, err := ReadList(file)
		if err == nil || !strings.Contains(err.Error(), fails) || !strings.Contains(err.Error(), file) {
			t.Errorf("%.60q: %v, want %q", text, err, fails)
			continue
		}
		for i := range len(secret) - 5 {
			if part := secret[i : i+5]; strings.Contains(err.Error(), part) {
				t.Errorf("%.60q: %v says %q of a token", text, err, part)
			}
		}
	}
	if _, err := ReadList(file + ".none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestWithin(t *testing.T) {
	s := Scope{"acme", Reader, "acme/"}
	for asked, want := range map[string]string{"": "acme/", "a": "acme/", "acme/": "acme/", "acme/x": "acme/x"} {
		if got, ok := s.Within(asked); !ok || got != want {
			t.Errorf("%q: %q, %v", asked, got, ok)
		}
	}
	for _, asked := range []string{"b", "acme-", "acmf"} {
		if got, ok := s.Within(asked); ok {
			t.Errorf("%q: %q", asked, got)
		}
	}
	if s.Sees("acme") || !s.Sees("acme/x") || (Scope{}).Sees("x") || !All.Sees("x") {
		t.Error("a scope sees what it is not of")
	}
	if _, ok := (Scope{}).Within(""); ok {
		t.Error("no scope has keys")
	}
}
