package rows

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// decorated is a number as people write it: "$2,050.10", "-45 %", "(1 200)".
type decorated struct {
	digits   []byte // with a sign and a point, as strconv reads them
	unit     rune   // a sign of a currency or %, 0 for none
	grouped  bool   // there is something between thousands, or around the number
	fraction bool
}

// plain reports a number that needs no more than digits and a point.
func (d *decorated) plain(as form) bool {
	return d.unit == 0 && !d.grouped && (as == asPoints || !d.fraction)
}

func (d *decorated) value() float64 {
	v, _ := strconv.ParseFloat(string(d.digits), 64) // out of range: infinite, for the consumer to refuse
	return v
}

func (d *decorated) integer() (int64, bool) { return parseInt(string(d.digits)) }

// between are the signs that may stand between thousands beside the comma or
// point that the fraction does not have: blanks and apostrophes.
const between = " \u00a0\u2009\u202f'\u2019"

// parseDecorated takes a number with the fraction after a point or a comma,
// and, each optional: one kind of sign between all thousands, a sign of a
// currency on either side or a percent sign behind, minus or plus, and the
// parentheses of a negative amount.
func parseDecorated(s string, as form) (d decorated, ok bool) {
	if len(s) == 0 || len(s) > 64 {
		return d, false
	}
	d.digits = make([]byte, 0, len(s)+1)
	if inner, found := strings.CutPrefix(s, "("); found {
		if s, found = strings.CutSuffix(inner, ")"); !found {
			return d, false
		}
		d.digits, d.grouped = append(d.digits, '-'), true
	}
	s = d.prefix(s)
	s = d.suffix(s)
	return d, d.body(s, as)
}

// prefix takes the sign and the currency that stand before the digits.
func (d *decorated) prefix(s string) string {
	signed := len(d.digits) > 0
	for {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case !signed && (r == '-' || r == '\u2212'):
			d.digits, signed = append(d.digits, '-'), true
		case !signed && r == '+':
			signed = true
		case d.unit == 0 && unicode.Is(unicode.Sc, r):
			d.unit = r
		case d.unit != 0 && (r == ' ' || r == '\u00a0'):
		default:
			return s
		}
		s = s[size:]
	}
}

// suffix takes the unit behind the digits.
func (d *decorated) suffix(s string) string {
	r, size := utf8.DecodeLastRuneInString(s)
	if d.unit != 0 || r != '%' && !unicode.Is(unicode.Sc, r) {
		return s
	}
	d.unit = r
	return strings.TrimRight(s[:len(s)-size], between)
}

// body takes what is left: digits, what is between thousands, and the fraction.
func (d *decorated) body(s string, as form) bool {
	point, comma := '.', ','
	if as == asCommas {
		point, comma = comma, point
	}
	run, sign := 0, rune(0) // digits since the last sign between thousands, and which it is
	first := len(d.digits)
	for i, r := range s {
		switch {
		case r >= '0' && r <= '9':
			d.digits = append(d.digits, byte(r))
			run++
		case r == point:
			if sign != 0 && run != 3 {
				return false
			}
			d.fraction = true
			return d.rest(s[i+1:])
		case r == 'e' || r == 'E':
			return run > 0 && d.exponent(s[i:])
		case r != comma && !strings.ContainsRune(between, r):
			return false
		case sign == 0 && run >= 1 && run <= 3 && d.digits[first] != '0', sign == r && run == 3:
			sign, run, d.grouped = r, 0, true
		default:
			return false
		}
	}
	return run > 0 && (sign == 0 || run == 3)
}

// rest takes the digits of the fraction.
func (d *decorated) rest(s string) bool {
	d.digits = append(d.digits, '.')
	for i := range len(s) {
		switch {
		case s[i] >= '0' && s[i] <= '9':
			d.digits = append(d.digits, s[i])
		case s[i] == 'e' || s[i] == 'E':
			return i > 0 && d.exponent(s[i:])
		default:
			return false
		}
	}
	return len(s) > 0
}

// exponent takes what programs write behind a very small or large number, 1,5e-05, from its e on.
// They write it beside nothing else.
func (d *decorated) exponent(s string) bool {
	power := s[1:]
	if len(power) > 0 && (power[0] == '-' || power[0] == '+') {
		power = power[1:]
	}
	d.digits, d.fraction = append(d.digits, s...), true
	return !d.grouped && d.unit == 0 && len(power) > 0 && strings.Trim(power, "0123456789") == ""
}
