// Package jsontext writes and reads the pieces of JSON that the Arrow and
// the JSON form of a posterior have in common. The same value always gives
// the same bytes.
package jsontext

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/credence-stream/credence/cdf"
)

// Defined tells whether v is a number that can be published. NaN and the
// infinities stand for moments that do not exist.
func Defined(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// AppendNumber appends the shortest form that reads back as v, as
// encoding/json writes it, and null where v is not defined.
func AppendNumber(dst []byte, v float64) []byte {
	if !Defined(v) {
		return append(dst, "null"...)
	}
	// Counts of rows are frequent, and cheaper as whole numbers.
	if n := int64(v); float64(n) == v && n != 0 && n > -1e15 && n < 1e15 {
		return strconv.AppendInt(dst, n, 10)
	}
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		dst = strconv.AppendFloat(dst, v, 'e', -1, 64)
		// e-09 is written e-9.
		if n := len(dst); dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
		return dst
	}
	return strconv.AppendFloat(dst, v, 'f', -1, 64)
}

const hex = "0123456789abcdef"

// AppendString appends s in quotes. Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || n != 1 {
				i += n
				continue
			}
		}
		dst = append(dst, s[from:i]...)
		switch {
		case c >= utf8.RuneSelf:
			dst = append(dst, `\ufffd`...)
		case c == '"', c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// AppendNumbers appends an array of numbers.
func AppendNumbers(dst []byte, v []float64) []byte { return AppendList(dst, v, AppendNumber) }

// AppendStrings appends an array of strings.
func AppendStrings(dst []byte, v []string) []byte { return AppendList(dst, v, AppendString) }

// AppendList appends an array, each of its items by the function.
func AppendList[T any](dst []byte, v []T, item func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, x := range v {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item(dst, x)
	}
	return append(dst, ']')
}

// AppendScaling appends the constants as an object, in their order:
// {"<column>":{"center":c,"scale":s},...}.
func AppendScaling(dst []byte, v []cdf.Constant) []byte {
	dst = append(dst, '{')
	for i, c := range v {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, c.Column)
		dst = append(dst, `:{"center":`...)
		dst = AppendNumber(dst, c.Center)
		dst = append(dst, `,"scale":`...)
		dst = AppendNumber(dst, c.Scale)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// The times that a timestamp can be published as.
const (
	firstTime = 1               // Kafka takes 0 and below for no time
	lastTime  = 253402300799999 // the last that RFC 3339 can write
)

// Clamp returns the timestamp that stands for millis in an output.
func Clamp(millis int64) int64 { return max(millis, firstTime) }

// AppendTime appends milliseconds since 1970, clamped, as RFC 3339 in UTC
// with three fractional digits, without quotes.
func AppendTime(dst []byte, millis int64) []byte {
	millis = min(Clamp(millis), lastTime)
	t := time.UnixMilli(millis).UTC()
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	fraction := int(millis % 1000)
	return append(dst,
		digit(year/1000), digit(year/100), digit(year/10), digit(year), '-',
		digit(int(month)/10), digit(int(month)), '-', digit(day/10), digit(day), 'T',
		digit(hour/10), digit(hour), ':', digit(minute/10), digit(minute), ':', digit(second/10), digit(second), '.',
		digit(fraction/100), digit(fraction/10), digit(fraction), 'Z')
}

// digit is the last decimal digit of n.
func digit(n int) byte { return byte('0' + n%10) }
