// Package term talks to the person at the terminal: progress of long work,
// and whether there is a terminal at all.
package term

import (
	"io"
	"os"

	xterm "golang.org/x/term"
)

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && xterm.IsTerminal(int(f.Fd()))
}

// Color reports whether w should get colours: a terminal that knows them, and
// a user who has not set NO_COLOR.
func Color(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && IsTerminal(w)
}

// Width returns the columns of the terminal behind w, or fallback when w is
// not a terminal or does not say.
func Width(w io.Writer, fallback int) int {
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if n, _, err := xterm.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return fallback
}
