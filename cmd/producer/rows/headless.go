package rows

import (
	"fmt"
	"strings"
)

// worth is what a name of a column would be as the value of a row.
type worth uint8

const (
	aName   worth = iota
	aCount        // 12, as columns are called that are years, or have numbers for names
	aNumber       // -1, 0.5, 1e5
	aDate
	aTruth // true, false; no and y are good names
	worths
)

func worthOf(name string) worth {
	if n, whole := parseInt(name); whole && n >= 0 && name[0] != '+' {
		return aCount
	}
	if _, number := parseFloat(name); number && strings.ContainsAny(name, "0123456789") {
		return aNumber
	}
	switch {
	case isDate(name):
		return aDate
	case strings.EqualFold(name, "true"), strings.EqualFold(name, "false"):
		return aTruth
	}
	return aName
}

// ValuedHeader returns the first name of a column of a file that could be the value of a row,
// "" where none could, or where the names are not in a first line.
func ValuedHeader(file string, src Source) string {
	if format := strings.ToLower(FormatOf(file)); !strings.HasPrefix(format, ".csv") && !strings.HasPrefix(format, ".tsv") {
		return ""
	}
	for _, f := range src.Fields() {
		if f.Name != "" && worthOf(f.Name) != aName {
			return f.Name
		}
	}
	return ""
}

// OnlyName is in the note on a file whose first line may be a title.
const OnlyName = "is the only one that has a name"

// headless looks whether the first line of a CSV file is a row, for a file without a line of
// names would lose it: an error where it can hardly be names, a note where it may be a row.
// Columns that are called by counts or dates are those of tables in which these go across;
// values of several types, or with a fraction, are hardly names.
func (a *about) headless(sel *Selection, names []string) error {
	var first [worths]string
	met, counted, at := 0, true, 0 // 0, 1, 2
	for _, name := range names {
		if name == "" {
			continue
		}
		w := worthOf(name)
		if first[w] == "" {
			first[w] = name
			met++
		}
		counted = counted && name == fmt.Sprint(at)
		at++
	}
	named := first[aName] != ""
	if named {
		met--
	}
	example := first[aNumber]
	for _, w := range [...]worth{aDate, aTruth, aCount} {
		if example == "" {
			example = first[w]
		}
	}
	switch {
	case sel.Columns != nil:
	case len(names) > 2 && names[0] != "" && strings.Join(names[1:], "") == "":
		a.note("column %q %s: if the first line is a title and not the names of the columns, tail -n +2 leaves it out", names[0], OnlyName)
	case met == 0:
	case !named && (met > 1 || first[aNumber] != ""):
		return fmt.Errorf("the first line has values, such as %q, and no names of columns: put a line of names before it; if these are names, choose columns with --columns", example)
	case met > 1, first[aNumber] != "", !named && first[aCount] != "" && !counted:
		a.note("a column is called %q: if the first line is a row, put a line of names before it", example)
	}
	return nil
}
