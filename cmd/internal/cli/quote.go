package cli

import (
	"runtime"
	"strings"
)

// Quote makes one word of any text, for a POSIX shell or, on Windows, for cmd and PowerShell.
func Quote(word string) string {
	if runtime.GOOS == "windows" {
		return quoteWindows(word)
	}
	return quotePOSIX(word)
}

// quotePOSIX keeps control characters: between quotes the shell takes them as they are.
func quotePOSIX(word string) string {
	if plain(word, "_@%+=:,./-") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// quoteWindows quotes as programs read their command line. Both shells take single quotes or
// a quoted program otherwise, so that a path without spaces has none.
func quoteWindows(word string) string {
	if plain(word, `_+=:./\-`) {
		return word
	}
	return `"` + strings.ReplaceAll(word, `"`, `\"`) + `"`
}

// plain tells whether the word is of letters, digits and the characters of more.
func plain(word, more string) bool {
	return word != "" && !strings.ContainsFunc(word, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune(more, c)
	})
}
