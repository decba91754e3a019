package jsontext

import (
	"fmt"
	"strings"
	"time"
)

// Order is that of the numbers of a date.
type Order uint8

// The orders.
const (
	YearFirst  Order = iota // 2012/1/31
	DayFirst                // 31/01/2012, 31-01-2012, 31.01.2012
	MonthFirst              // 01/31/2012, 01-31-2012
)

// Instant reads what isoTime reads, dates with the year first and slashes, and those whose
// month has its name, with or without a time of day: what can be read in one way only.
func Instant[T ~string | ~[]byte](s T) (time.Time, bool) {
	if namesMonth(s) {
		return named(string(s))
	}
	if len(s) > 4 && s[4] == '/' {
		return Day(string(s), YearFirst)
	}
	return isoTime(s)
}

// Day reads dates in an order, with slashes, or the day or month first with hyphens, or
// the day first with points. A time of day may follow: 13:05, 9:05:30, 1:05 PM. They are
// UTC.
func Day(s string, order Order) (time.Time, bool) {
	if len(s) < len("1/2/2006") || s[0] < '0' || s[0] > '9' {
		return time.Time{}, false
	}
	date, clock := s, ""
	if i := strings.IndexAny(s, " T"); i >= 0 {
		date, clock = s[:i], s[i+1:]
		if clock == "" {
			return time.Time{}, false
		}
	}
	i := strings.IndexAny(date, "/-.")
	if i < 0 || date[i] == '.' && order != DayFirst || date[i] == '-' && order == YearFirst {
		return time.Time{}, false
	}
	parts := strings.Split(date, date[i:i+1])
	if len(parts) != 3 {
		return time.Time{}, false
	}
	year, month, day := parts[0], parts[1], parts[2]
	switch order {
	case DayFirst:
		day, month, year = parts[0], parts[1], parts[2]
	case MonthFirst:
		month, day, year = parts[0], parts[1], parts[2]
	}
	if len(year) != 4 || len(month) > 2 || len(day) > 2 {
		return time.Time{}, false
	}
	return atClock(year+"-"+twoDigits(month)+"-"+twoDigits(day), clock)
}

// atClock reads a date of ISO 8601 with a time of day as people write it, or none.
func atClock(date, clock string) (time.Time, bool) {
	if clock == "" {
		return isoTime(date)
	}
	if clock = hours24(clock); clock == "" {
		return time.Time{}, false
	}
	return isoTime(date + "T" + clock)
}

// hours24 writes a time of day as isoTime takes it, "" where it is none.
func hours24(clock string) string {
	if len(clock) > 1 && clock[1] == ':' {
		clock = "0" + clock
	}
	half := ""
	if n := len(clock); n > 2 && (clock[n-1] == 'M' || clock[n-1] == 'm') {
		half, clock = strings.ToUpper(clock[n-2:]), strings.TrimRight(clock[:n-2], " \u202f")
	}
	if half == "" {
		return clock
	}
	if len(clock) < 5 || half != "AM" && half != "PM" || clock[:2] < "01" || clock[:2] > "12" {
		return ""
	}
	hour := int(clock[0]-'0')*10 + int(clock[1]-'0')
	if hour %= 12; half == "PM" {
		hour += 12
	}
	return fmt.Sprintf("%02d%s", hour, clock[2:])
}

func twoDigits(s string) string {
	if len(s) == 1 {
		return "0" + s
	}
	return s
}
