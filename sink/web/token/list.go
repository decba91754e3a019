package token

import (
	"fmt"
	"os"
	"regexp"
	"unicode/utf8"

	"github.com/credence-stream/credence/internal/strictyaml"
)

const (
	most       = 1000 // tokens of a file
	mostPrefix = 512  // bytes, as many as a key has at most
)

// Token is one that a file of several has.
type Token struct {
	Scope
	Text string
}

// entry is a token as it is written. What a tenant may see is never left to a default.
type entry struct {
	Name   string  `yaml:"name"`
	Token  string  `yaml:"token"`
	Scope  Role    `yaml:"scope"`
	Prefix *string `yaml:"prefix"`
}

var (
	named = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	// quoted is what the reader of YAML shows of a file, which may be a part of a token.
	quoted = regexp.MustCompile("`[^`]*`")
	// unknown is what it says of a key that is none of ours, which may be one, too.
	unknown = regexp.MustCompile(`field .* not found in type .*`)
)

// ReadList reads a file of tokens: a list named tokens, each with name, token, scope and
// prefix, all of which have to be given. No error has a character of a token.
func ReadList(file string) ([]Token, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("http.tokens_file: %w", err)
	}
	var read struct {
		Tokens []entry `yaml:"tokens"`
	}
	if err := strictyaml.Decode(string(text))(&read); err != nil {
		return nil, fmt.Errorf("http.tokens_file %s: %s", file, unknown.ReplaceAllString(quoted.ReplaceAllString(err.Error(), "a value"), "a key that is none of tokens, and of an entry name, token, scope, prefix"))
	}
	if n := len(read.Tokens); n == 0 || n > most {
		return nil, fmt.Errorf("http.tokens_file %s has %d tokens; it needs 1 to %d, as tokens: [{name: ..., token: ..., scope: read, prefix: ...}]", file, n, most)
	}
	list := make([]Token, len(read.Tokens))
	names, texts := map[string]bool{}, map[string]string{}
	for i, e := range read.Tokens {
		why := e.wrong()
		switch {
		case why != "":
		case names[e.Name]:
			why = "there is another one named " + e.Name
		case texts[e.Token] != "":
			why = "it is the token of " + texts[e.Token] + ", too"
		}
		if why != "" {
			return nil, fmt.Errorf("http.tokens_file %s: token %d: %s", file, i+1, why)
		}
		names[e.Name], texts[e.Token] = true, e.Name
		list[i] = Token{Scope{e.Name, e.Scope, *e.Prefix}, e.Token}
	}
	return list, nil
}

// wrong says what is wrong with a token, "" if nothing.
func (e *entry) wrong() string {
	switch {
	case !named.MatchString(e.Name):
		return "a name has 1 to 64 letters, digits, - and _"
	case e.Scope != Reader && e.Scope != Operator:
		return fmt.Sprintf("scope is %q; it is %s or %s", e.Scope, Reader, Operator)
	case e.Prefix == nil:
		return `prefix is missing: say which keys it is for, prefix: "" for all`
	case len(*e.Prefix) > mostPrefix || !utf8.ValidString(*e.Prefix):
		return fmt.Sprintf("a prefix has at most %d bytes of UTF-8", mostPrefix)
	}
	if why := wrong(e.Token); why != "" {
		return "the token " + why
	}
	return ""
}
