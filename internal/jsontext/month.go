package jsontext

import (
	"fmt"
	"strings"
	"time"
)

// months are the names by which a date may have its month, in full or by three letters.
var months = [...]string{
	"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
}

// monthOf returns the month of a name, 0 for none.
func monthOf(name string) time.Month {
	name = strings.ToLower(name)
	for i, month := range months {
		if name == month || name == month[:3] || name == "sept" && i == 8 {
			return time.Month(i + 1)
		}
	}
	return 0
}

// isLetter reports a letter of a month's name.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// namesMonth reports a letter where a date by numbers has none.
func namesMonth[T ~string | ~[]byte](s T) bool {
	for i := range min(len(s), 6) {
		if isLetter(s[i]) {
			return true
		}
	}
	return false
}

// named reads a date whose month has its English name: Jan 31 2012, January 31, 2012,
// 31-Jan-2012, 31 January 2012, 31JAN2012, 2012 Jan 31. A time of day may follow.
func named(s string) (time.Time, bool) {
	var month time.Month
	var year, day string
	for range 3 {
		n := 0
		for n < len(s) && isLetter(s[n]) == isLetter(s[0]) && (isLetter(s[n]) || s[n] >= '0' && s[n] <= '9') {
			n++
		}
		switch part := s[:n]; {
		case n == 0:
			return time.Time{}, false
		case isLetter(part[0]) && month == 0:
			if month = monthOf(part); month == 0 {
				return time.Time{}, false
			}
		case isLetter(part[0]):
			return time.Time{}, false
		case n == 4 && year == "":
			year = part
		case n <= 2 && day == "":
			day = part
		default:
			return time.Time{}, false
		}
		s = strings.TrimLeft(strings.TrimLeft(s[n:], ",./-"), " ")
	}
	if month == 0 { // two digits twice
		return time.Time{}, false
	}
	return atClock(fmt.Sprintf("%s-%02d-%s", year, month, twoDigits(day)), s)
}
