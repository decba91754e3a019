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

// Size returns the columns and lines of the terminal behind w, 80 by 24 where
// it can't be known.
func Size(w io.Writer) (width, height int) {
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if width, height, err := xterm.GetSize(int(f.Fd())); err == nil && width > 0 && height > 0 {
			return width, height
		}
	}
	return 80, 24
}
