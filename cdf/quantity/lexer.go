package quantity

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error says what is wrong with an expression and where.
type Error struct {
	Text   string
	Column int // of the character, from 1
	What   string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%q, column %d: %s", e.Text, e.Column, e.What)
}

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenNumber
	tokenName
	tokenMark // an operator or a parenthesis
)

// token is a piece of an expression.
type token struct {
	kind   tokenKind
	at     int    // byte where it begins
	text   string // of a name without its quotes, of a mark itself
	number float64
	quoted bool
}

// lexer cuts an expression into tokens.
type lexer struct {
	text string
	at   int
}

func (l *lexer) fail(at int, format string, args ...any) *Error {
	return &Error{l.text, utf8.RuneCountInString(l.text[:at]) + 1, fmt.Sprintf(format, args...)}
}

func letter(r rune) bool { return unicode.IsLetter(r) || r == '_' }

func inWord(r rune) bool { return letter(r) || unicode.IsDigit(r) || r == '.' }

func (l *lexer) next() (token, error) {
	l.at += len(l.text[l.at:]) - len(strings.TrimLeftFunc(l.text[l.at:], unicode.IsSpace))
	start, rest := l.at, l.text[l.at:]
	if rest == "" {
		return token{kind: tokenEnd, at: start}, nil
	}
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r >= '0' && r <= '9' || r == '.':
		return l.digits()
	case r == '`' || r == '"':
		return l.quoted(r)
	case letter(r):
		return l.name()
	case strings.HasPrefix(rest, ">=") || strings.HasPrefix(rest, "<="):
		size = 2
	case !strings.ContainsRune("+-*/()<>", r):
		return token{}, l.fail(start, "unexpected %q; a name with it goes between backticks: `name`", r)
	}
	l.at += size
	return token{kind: tokenMark, at: start, text: rest[:size]}, nil
}

// digits reads a number: digits, a point, an exponent.
func (l *lexer) digits() (token, error) {
	start := l.at
	for l.at < len(l.text) {
		c := l.text[l.at]
		sign := (c == '+' || c == '-') && (l.text[l.at-1] == 'e' || l.text[l.at-1] == 'E') && l.at > start
		if digit := c >= '0' && c <= '9'; !digit && c != '.' && c != 'e' && c != 'E' && !sign {
			break
		}
		l.at++
	}
	text := l.text[start:l.at]
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return token{}, l.fail(start, "%q is not a number", text)
	}
	return token{kind: tokenNumber, at: start, text: text, number: v}, nil
}

// quoted reads a name between quotes, where a doubled quote stands for one.
func (l *lexer) quoted(quote rune) (token, error) {
	start := l.at
	var name strings.Builder
	for l.at++; l.at < len(l.text); l.at++ {
		c := l.text[l.at]
		if c == byte(quote) {
			if l.at+1 == len(l.text) || l.text[l.at+1] != byte(quote) {
				l.at++
				if name.Len() == 0 {
					return token{}, l.fail(start, "an empty name")
				}
				return token{kind: tokenName, at: start, text: name.String(), quoted: true}, nil
			}
			l.at++
		}
		name.WriteByte(c)
	}
	return token{}, l.fail(start, "the name that begins with %q does not end", quote)
}

// name reads a word and what stands in brackets behind it, which may hold
// brackets in pairs.
func (l *lexer) name() (token, error) {
	start := l.at
	for l.at < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[l.at:])
		if !inWord(r) {
			break
		}
		l.at += size
	}
	if l.at < len(l.text) && l.text[l.at] == '[' {
		open, depth := l.at, 0
		for ; ; l.at++ {
			if l.at == len(l.text) {
				return token{}, l.fail(open, "the bracket is not closed")
			}
			if c := l.text[l.at]; c == '[' {
				depth++
			} else if c == ']' {
				if depth--; depth == 0 {
					l.at++
					break
				}
			}
		}
	}
	return token{kind: tokenName, at: start, text: l.text[start:l.at]}, nil
}
