package cli

import (
	"strings"
)

// Quote makes one word of a POSIX shell of any text. Control characters are
// kept: between quotes the shell takes them as they are.
func Quote(word string) string {
	plain := func(c rune) bool {
		return c < 0x80 && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_@%+=:,./-", c))
	}
	if word != "" && !strings.ContainsFunc(word, func(c rune) bool { return !plain(c) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
