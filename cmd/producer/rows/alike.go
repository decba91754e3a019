package rows

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Spelled is what a text is but for how it is spelt: without case, without blanks around and
// between words and characters that are not seen, in one Unicode form, and a number without zeros before it.
func Spelled(text string) string {
	text = strings.Map(func(r rune) rune {
		if unseen(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(strings.ToLower(norm.NFKC.String(text))), " ")
	if text != "" && strings.Trim(text, "0123456789") == "" {
		return cmp.Or(strings.TrimLeft(text, "0"), "0")
	}
	return text
}

// Alike returns the texts that are the same but for how they are spelt, together: each list in
// the order of the texts, the lists in that of their first. Texts differ from each other.
func Alike(texts []string) (all [][]string) {
	at := map[string]int{}
	var lists [][]string
	for _, text := range texts {
		spelled := Spelled(text)
		i, known := at[spelled]
		if !known {
			i = len(lists)
			at[spelled] = i
			lists = append(lists, nil)
		}
		lists[i] = append(lists[i], text)
	}
	return slices.DeleteFunc(lists, func(list []string) bool { return len(list) < 2 })
}

// Quoted is a text in quotes in which everything that tells it from another is seen: marks that look like a part of the letter before,
// and blanks that look like others, are escaped.
func Quoted(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsMark(r) || r > 0x7f && unicode.IsSpace(r) }) {
		return strconv.QuoteToASCII(text)
	}
	return strconv.QuoteToGraphic(text)
}
