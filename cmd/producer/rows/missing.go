package rows

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// missingWords are the texts that mean a missing value in every column but the
// key, beside an empty field: what spreadsheets, R, SQL and pandas write.
var missingWords = []string{
	"NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "None", "nan", "NaN", "NaT", "-", "?",
	"#NA", "#N/A N/A", "-nan", "-NaN", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN",
}

// nulls says which fields are null: empty ones, and the texts it holds.
type nulls []string

func (n nulls) is(field string) bool {
	field = trimmed(field)
	return field == "" || slices.Contains(n, field)
}

// missing returns what is null in a column.
func (s *Selection) missing(column string) nulls {
	if slices.Contains(s.Text, column) {
		return s.Null
	}
	return slices.Concat(missingWords, s.Null)
}

// trimmed is a field without what surrounds it and is not seen: programs and pages leave blanks of all widths there, marks of byte
// order and of direction.
func trimmed(field string) string {
	if n := len(field); n > 0 && field[0] > ' ' && field[0] < 0x7f && field[n-1] > ' ' && field[n-1] < 0x7f {
		return field
	}
	return strings.TrimFunc(field, func(r rune) bool { return unicode.IsSpace(r) || unseen(r) })
}

// unseen reports a character that shows nothing and is no blank: controls, soft hyphens, joiners, marks of direction and of byte order.
func unseen(r rune) bool {
	switch {
	case r < 0xad:
		return unicode.IsControl(r)
	case r < 0x200b:
		return r == 0xad || r == 0x61c || r == 0x180e
	}
	return r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f || r == 0xfeff
}

// hides reports a text with a character that shows nothing and is no blank.
func hides(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unseen(r) && !unicode.IsSpace(r) })
}

// around says what trimmed takes off a text.
func around(field string) string {
	bare := trimmed(field)
	from := strings.Index(field, bare)
	if hides(field[:from]) || hides(field[from+len(bare):]) {
		return "characters that are not seen"
	}
	return "blanks"
}

// wordsMet says which words were read as missing, and where.
func (a *about) wordsMet(names []string, guesses []guess) {
	rows, in := map[string]int{}, map[string][]string{}
	for i := range guesses {
		for word, n := range guesses[i].words {
			rows[word] += n
			in[word] = append(in[word], fmt.Sprintf("%q", names[i]))
		}
	}
	for _, word := range slices.Sorted(maps.Keys(rows)) {
		a.note("%q is read as missing, %s in %s; --text C keeps column C as it is", word, howOften(rows[word]), listed(in[word]))
	}
	for i := range guesses {
		if g := &guesses[i]; g.hiding > 0 {
			a.note("column %q has nothing but characters that are not seen (as %q), read as missing, %s", names[i], clipped(g.hidden), howOften(g.hiding))
		}
	}
}

func howOften(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
