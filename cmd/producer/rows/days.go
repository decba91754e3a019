package rows

import (
	"fmt"
	"strings"
)

// parseInstant takes what parseTime takes, and dates with slashes: 2012/1/31,
// with or without a time of day.
func parseInstant(s string) (float64, bool) {
	if len(s) > 4 && s[4] == '/' {
		return parseDay(s, asInstant)
	}
	return parseTime(s)
}

// parseDay takes dates in the order of the form, with slashes, or the day or
// month first with hyphens, or the day first with points. A time of day may
// follow: 13:05, 9:05:30, 1:05 PM.
func parseDay(s string, order form) (float64, bool) {
	if len(s) < len("1/2/2006") || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	date, clock := s, ""
	if i := strings.IndexAny(s, " T"); i >= 0 {
		date, clock = s[:i], s[i+1:]
		if clock == "" {
			return 0, false
		}
	}
	i := strings.IndexAny(date, "/-.")
	if i < 0 || date[i] == '.' && order != asDayFirst || date[i] == '-' && order == asInstant {
		return 0, false
	}
	parts := strings.Split(date, date[i:i+1])
	if len(parts) != 3 {
		return 0, false
	}
	year, month, day := parts[0], parts[1], parts[2]
	switch order {
	case asDayFirst:
		day, month, year = parts[0], parts[1], parts[2]
	case asMonthFirst:
		month, day, year = parts[0], parts[1], parts[2]
	}
	if len(year) != 4 || len(month) > 2 || len(day) > 2 {
		return 0, false
	}
	text := year + "-" + twoDigits(month) + "-" + twoDigits(day)
	if clock != "" {
		if clock = hours24(clock); clock == "" {
			return 0, false
		}
		text += "T" + clock
	}
	return parseTime(text)
}

// hours24 writes a time of day as parseTime takes it, "" where it is none.
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
