package rows

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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

func trimmed(field string) string { return strings.Trim(field, " \t\r\n\u00a0") }

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
}

func howOften(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
