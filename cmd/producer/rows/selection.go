package rows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Selection says which columns of a file to read, how, and what the key is.
type Selection struct {
	KeyColumn string   // "": all rows have Key
	Key       string   // of all rows
	Prefix    string   // before each key
	Columns   []string // nil: all but the key column
	Null      []string // texts that are null beside missingWords
	Text      []string // columns that are text as they are
	Decimal   string   // point, comma, or "" where the columns must tell
	DateOrder string   // dmy, mdy, or "" likewise
	// NoKey says what becomes of rows without a key: drop, or "", leaves them out
	// and counts them, error stops, and anything else is their key.
	NoKey string
	// Lenient leaves out columns of Arrow and Parquet files that hold a value which no shard
	// takes, where Columns does not ask for them, and notes it; else such a value is an
	// error at its row.
	Lenient bool
}

const (
	decimalPoint, decimalComma = "point", "comma"
	orderDMY, orderMDY         = "dmy", "mdy"
	noKeyDrop, noKeyError      = "drop", "error"
)

// Flags adds the flags that say how to read, but not which columns.
func (s *Selection) Flags(fs *pflag.FlagSet) {
	fs.StringArrayVar(&s.Null, "null", nil, "`TEXT` that is a null, beside an empty field and "+strings.Join(missingWords, " ")+" (repeatable)")
	fs.StringSliceVar(&s.Text, "text", nil, "columns that stay text as they are, `a,b`: only an empty field or a --null is a null there")
	fs.StringVar(&s.Decimal, "decimal", "", "before a fraction stands a `point` or a comma, where the column itself leaves a doubt")
	fs.StringVar(&s.DateOrder, "date-order", "", "`dmy` or mdy: 03/04/2026 has the day or the month first, where the column itself leaves a doubt")
	fs.StringVar(&s.NoKey, "no-key", noKeyDrop, "rows without a key: drop leaves them out and counts them, error stops, another `NAME` is their key")
}

// FlagWords are what the flags of Flags take that take some words only.
var FlagWords = map[string][]string{
	"decimal": {decimalPoint, decimalComma}, "date-order": {orderDMY, orderMDY}, "no-key": {noKeyDrop, noKeyError},
}

// Check returns what is wrong with the flags of Flags.
func (s *Selection) Check() error {
	switch {
	case s.Decimal != "" && !slices.Contains(FlagWords["decimal"], s.Decimal):
		return fmt.Errorf("--decimal %s: want point or comma", s.Decimal)
	case s.DateOrder != "" && !slices.Contains(FlagWords["date-order"], s.DateOrder):
		return fmt.Errorf("--date-order %s: want dmy or mdy", s.DateOrder)
	case slices.Contains(s.Text, ""):
		return fmt.Errorf("--text names a column without a name")
	}
	return nil
}

// Args are the flags as they would be given, each followed by its value.
func (s *Selection) Args() []string {
	var args []string
	for _, null := range s.Null {
		args = append(args, "--null", null)
	}
	if len(s.Text) > 0 {
		args = append(args, "--text", strings.Join(s.Text, ","))
	}
	for _, f := range [...][2]string{{"--decimal", s.Decimal}, {"--date-order", s.DateOrder}, {"--no-key", s.NoKey}} {
		if f[1] != "" && f[1] != noKeyDrop {
			args = append(args, f[0], f[1])
		}
	}
	return args
}

// resolve finds the columns among the names of a file: the index of the key
// column, -1 for none, and those of the columns to send, in the order of the
// Selection. Columns without a name are left out, which is noted. It returns
// ErrInput for missing and doubled columns.
func (a *about) resolve(s *Selection, names []string) (key int, columns []int, err error) {
	key = -1
	find := func(name string) (int, error) {
		i := slices.Index(names, name)
		switch {
		case i < 0:
			return 0, fmt.Errorf("%w: no column %q; the columns are %s", ErrInput, name, listed(names))
		case slices.Contains(names[i+1:], name):
			return 0, fmt.Errorf("%w: two columns are called %q; name the others with --columns, or correct the header", ErrInput, name)
		}
		return i, nil
	}
	if s.KeyColumn != "" {
		if key, err = find(s.KeyColumn); err != nil {
			return 0, nil, err
		}
	}
	for _, name := range s.Text {
		if _, err := find(name); err != nil {
			return 0, nil, err
		}
	}
	wanted := s.Columns
	if wanted == nil {
		for i, name := range names {
			switch {
			case name == "":
				a.note("column %d has no name, as programs write the names or numbers of rows: it is left out", i+1)
			case i != key:
				wanted = append(wanted, name)
			}
		}
	}
	for _, name := range wanted {
		i, err := find(name)
		if err != nil {
			return 0, nil, err
		}
		columns = append(columns, i)
	}
	if len(columns) == 0 {
		return 0, nil, fmt.Errorf("%w: no column is left to send besides the key", ErrInput)
	}
	return key, columns, nil
}

// keyOf is the key of a row whose own key is given, skip where the row is left
// out, which is counted; "" is none.
func (a *about) keyOf(s *Selection, own string) (key string, skip bool, err error) {
	if own != "" {
		if a.blank == "" && len(trimmed(own)) < len(own) {
			a.blank = strings.Clone(own)
		}
		if whole, float := strings.CutSuffix(own, ".0"); !float || strings.Trim(whole, "0123456789") != "" {
			a.other = true
		} else if a.floating == "" {
			a.floating = strings.Clone(own)
		}
		return s.Prefix + own, false, nil
	}
	switch s.NoKey {
	case "", noKeyDrop:
		a.keyless++
		return "", true, nil
	case noKeyError:
		return "", false, fmt.Errorf("no key in column %q; --no-key drop leaves such rows out, --no-key NAME gives them a key", s.KeyColumn)
	default:
		a.keyless++
		return s.Prefix + s.NoKey, false, nil
	}
}

// keysMet notes, once all rows are read, those without a key, and keys with blanks.
func (a *about) keysMet(s *Selection) {
	if a.blank != "" {
		a.note("column %q has keys with %s around them, which are kept (as %q): %q without them is another key; if they mean nothing, take them out of the file",
			s.KeyColumn, around(a.blank), clipped(a.blank), clipped(trimmed(a.blank)))
	}
	if a.floating != "" && !a.other {
		a.note("column %q has keys with a fraction of 0 (as %q), as programs write integers where some are missing: %q is another key", s.KeyColumn, a.floating, strings.TrimSuffix(a.floating, ".0"))
	}
	have := fmt.Sprintf("%d rows have", a.keyless)
	if a.keyless == 1 {
		have = "1 row has"
	}
	switch {
	case a.keyless == 0:
	case s.NoKey == "" || s.NoKey == noKeyDrop:
		a.note("%s no key in column %q: left out; --no-key NAME gives a key, --no-key error stops", have, s.KeyColumn)
	default:
		a.note("%s no key in column %q: the key is %q", have, s.KeyColumn, s.NoKey)
	}
}
