package rows

import (
	"math"
	"strconv"
	"strings"
)

// What a field can be read as. Each function reports whether the
// whole text has that form.

// dashed returns a number that begins with the minus of typesetting, as tables of web pages
// have it, with the one of keyboards.
func dashed(s string) string {
	if rest, ok := strings.CutPrefix(s, "\u2212"); ok {
		return "-" + rest
	}
	return s
}

// parseInt looks before it asks strconv, which makes an error of each text.
func parseInt(s string) (int64, bool) {
	digits := s
	if s != "" && (s[0] == '-' || s[0] == '+') {
		digits = s[1:]
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// parseFloat takes decimal numbers, NaN and infinities; what is out of range
// becomes infinite, for the consumer to refuse. Go's hexadecimal forms and
// underscores are text.
func parseFloat(s string) (float64, bool) {
	if s == "" || !strings.ContainsRune("+-.0123456789iInN", rune(s[0])) || strings.ContainsAny(s, "xX_") {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil || f != 0 && strings.ContainsAny(s, "0123456789")
}

// parseBool takes true and false, yes and no, y and n, in any case.
func parseBool(s string) (value, ok bool) {
	if len(s) > len("false") {
		return false, false
	}
	for _, word := range [...]string{"true", "yes", "y"} {
		if strings.EqualFold(s, word) {
			return true, true
		}
	}
	for _, word := range [...]string{"false", "no", "n"} {
		if strings.EqualFold(s, word) {
			return false, true
		}
	}
	return false, false
}

// seconds joins whole seconds since 1970 and nanoseconds to the float64 next
// to them. Times of whole microseconds come out the same from every format.
func seconds(sec, nano int64) float64 {
	if nano == 0 {
		return float64(sec)
	}
	if nano%1000 == 0 && math.Abs(float64(sec)) < mostSeconds {
		return float64(sec*1_000_000+nano/1000) / 1e6
	}
	return float64(sec) + float64(nano)/1e9
}
