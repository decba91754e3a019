package trace

import "bytes"

// What a tracestate may have: the bounds that the standard asks everyone to pass on.
const (
	mostState   = 512 // bytes
	mostMembers = 32
	mostKey     = 256 // bytes, as of a value
)

// State returns a tracestate as it came where the standard allows what it says, else nil:
// one that nobody could read is not passed on.
func State(state []byte) []byte {
	if len(state) > mostState || bytes.Count(state, []byte{','}) >= mostMembers {
		return nil
	}
	named := false
	for rest, more := state, true; more; {
		var member []byte
		member, rest, more = bytes.Cut(rest, []byte{','})
		if member = bytes.Trim(member, " \t"); len(member) == 0 {
			continue
		}
		key, value, ok := bytes.Cut(member, []byte{'='})
		if !ok || !legalKey(key) || !legalValue(value) {
			return nil
		}
		named = true
	}
	if !named {
		return nil
	}
	return state
}

// legalKey reports whether key is a vendor's: name, or tenant@name.
func legalKey(key []byte) bool {
	if len(key) == 0 || len(key) > mostKey {
		return false
	}
	for i, c := range key {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case i > 0 && (c == '_' || c == '-' || c == '*' || c == '/' || c == '@'):
		default:
			return false
		}
	}
	return true
}

// legalValue reports whether value is printable ASCII that does not end with a space.
func legalValue(value []byte) bool {
	if len(value) == 0 || len(value) > mostKey || value[len(value)-1] == ' ' {
		return false
	}
	for _, c := range value {
		if c < ' ' || c > '~' || c == '=' {
			return false
		}
	}
	return true
}
