package token

import "strings"

// Role says what somebody may do with the keys of a scope.
type Role string

// The roles. An operator may do all that a reader may.
const (
	Reader   Role = "read"    // see posteriors and what comes of them
	Operator Role = "operate" // also what has to be known to run them
)

// Scope is what somebody may see. The zero value is nothing.
type Scope struct {
	Name   string // of the token; "" for the one of http.token_file and where none is asked for
	Role   Role
	Prefix string // of the keys; "": all
}

// All is the scope of who may see everything.
var All = Scope{Role: Operator}

// Sees reports whether a key is in the scope.
func (s Scope) Sees(key string) bool { return s.Role != "" && strings.HasPrefix(key, s.Prefix) }

// Operates reports whether the scope has what only operators need, of its keys.
func (s Scope) Operates() bool { return s.Role == Operator }

// Whole reports whether nothing is kept from the scope.
func (s Scope) Whole() bool { return s.Operates() && s.Prefix == "" }

// Within returns the prefix of the keys that are in the scope and begin with prefix, and
// false where there can be none.
func (s Scope) Within(prefix string) (string, bool) {
	switch {
	case s.Sees(prefix):
		return prefix, true
	case s.Role != "" && strings.HasPrefix(s.Prefix, prefix):
		return s.Prefix, true
	}
	return "", false
}

// String says what the scope is, for messages.
func (s Scope) String() string {
	if s.Prefix == "" {
		return string(s.Role) + " of all keys"
	}
	return string(s.Role) + " of the keys that begin with " + s.Prefix
}
