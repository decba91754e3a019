package formula

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error says where a formula is wrong.
type Error struct {
	Text string // the formula
	At   int    // byte offset
	What string
}

// Error shows the formula with a caret below the place.
func (e *Error) Error() string {
	at := min(e.At, len(e.Text))
	return fmt.Sprintf("%s\n  %s\n  %s^", e.What, flat(e.Text), strings.Repeat(" ", utf8.RuneCountInString(e.Text[:at])))
}

// flat puts a text on one line, a space for every line break or tab.
func flat(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

type tokenKind uint8

const (
	end    tokenKind = iota
	word             // a name, perhaps with dots
	quoted           // a name in backticks
	number
	span // a number with a unit of time
	text // a string
	sign // an operator or a bracket
)

type token struct {
	kind  tokenKind
	text  string // of a quoted name or a string, what is between the quotes
	value float64
	at    int
}

// signs are the operators, the longer ones first.
var signs = []string{"%in%", "**", "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", ":", "^", "~", "|", "(", ")", "[", "]", "{", "}", ",", "=", "<", ">", "%"}

// units of time, in seconds. A year is the mean one of the Gregorian calendar.
var units = map[string]float64{"s": 1, "min": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400, "y": 365.2425 * 86_400}

const unitNames = "s, min, h, d, w or y"

// longest bounds the text of a formula, in bytes.
const longest = 10_000

// lex cuts a formula into tokens, the last one of kind end.
func lex(source string) ([]token, error) {
	var list []token
	fail := func(at int, format string, args ...any) ([]token, error) {
		return nil, &Error{source, at, fmt.Sprintf(format, args...)}
	}
	if len(source) > longest {
		return nil, &Error{source[:40], 0, fmt.Sprintf("a formula of %d bytes; it has at most %d", len(source), longest)}
	}
	if !utf8.ValidString(source) {
		return nil, &Error{"", 0, "the formula is not UTF-8"}
	}
	for at := 0; at < len(source); {
		rest := source[at:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsSpace(r):
			at += size
		case r == '`' || r == '\'' || r == '"':
			inner, n := between(rest, byte(r))
			if n == 0 {
				return fail(at, "%c is not closed", r)
			}
			if inner != flat(inner) {
				return fail(at, "a line break or another control character between quotes")
			}
			kind := text
			if r == '`' {
				kind = quoted
			}
			if kind == quoted && inner == "" {
				return fail(at, "an empty name")
			}
			list = append(list, token{kind: kind, text: inner, at: at})
			at += n
		case r >= '0' && r <= '9' || r == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
			t, n, what := measure(rest)
			if what != "" {
				return fail(at, "%s", what)
			}
			t.at = at
			list = append(list, t)
			at += n
		case unicode.IsLetter(r) || r == '_' || r == '.':
			n := strings.IndexFunc(rest, func(r rune) bool {
				return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '.'
			})
			if n < 0 {
				n = len(rest)
			}
			list = append(list, token{kind: word, text: rest[:n], at: at})
			at += n
		default:
			found := ""
			for _, s := range signs {
				if strings.HasPrefix(rest, s) {
					found = s
					break
				}
			}
			if found == "" {
				return fail(at, "%q means nothing in a formula", r)
			}
			list = append(list, token{kind: sign, text: found, at: at})
			at += len(found)
		}
	}
	return append(list, token{kind: end, at: len(source)}), nil
}

// between returns what stands between quotes, without the backslashes that stand
// before a quote or a backslash, and the bytes it took; 0: the quote is not closed.
func between(s string, quote byte) (inner string, n int) {
	var b []byte
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return string(b), i + 1
		case s[i] == '\\' && quote != '`' && i+1 < len(s) && (s[i+1] == quote || s[i+1] == '\\'):
			i++
		}
		b = append(b, s[i])
	}
	return "", 0
}

// measure reads a number, and a unit of time right behind it.
func measure(s string) (t token, n int, what string) {
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.') {
		n++
	}
	if n+1 < len(s) && (s[n] == 'e' || s[n] == 'E') {
		m := n + 1
		if s[m] == '+' || s[m] == '-' {
			m++
		}
		if m < len(s) && s[m] >= '0' && s[m] <= '9' {
			for n = m; n < len(s) && s[n] >= '0' && s[n] <= '9'; n++ {
			}
		}
	}
	v, err := strconv.ParseFloat(s[:n], 64)
	if err != nil {
		return t, n, fmt.Sprintf("%q is not a number that a float64 holds", s[:n])
	}
	m := n
	for m < len(s) && (s[m] >= 'a' && s[m] <= 'z' || s[m] >= 'A' && s[m] <= 'Z' || s[m] == '_') {
		m++
	}
	if m == n {
		return token{kind: number, text: s[:n], value: v}, n, ""
	}
	unit, known := units[s[n:m]]
	if !known {
		return t, n, fmt.Sprintf("%q is no unit of time: it is %s; a column's name that begins with a digit stands in backticks", s[n:m], unitNames)
	}
	return token{kind: span, text: s[:m], value: v * unit}, m, ""
}
