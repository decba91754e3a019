package term

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Cut shortens text to width columns of a terminal, and takes out what would
// move the cursor: a key may hold any UTF-8.
func Cut(text string, width int) string {
	text = HarmlessText(text)
	if uniseg.StringWidth(text) <= width {
		return text
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if used += g.Width(); used > width-1 {
			break
		}
		b.WriteString(g.Str())
	}
	return b.String() + "…"
}

// HarmlessText replaces control characters, and those that turn the direction
// of writing.
func HarmlessText(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ', r >= 0x7f && r < 0xa0, r == 0x2028, r == 0x2029, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return '?'
		}
		return r
	}, text)
}
