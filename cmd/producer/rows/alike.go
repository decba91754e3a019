package rows

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Spelled is what a text is but for how it is spelt: without case, without blanks around and
// between words, in one Unicode form, and a number without zeros before it.
func Spelled(text string) string {
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
