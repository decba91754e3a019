package jsontext

import "time"

// isoTime reads a date or a time of ISO 8601 as files and events have it: T or a space
// between them, seconds and zone optional, UTC without one.
func isoTime[T ~string | ~[]byte](text T) (time.Time, bool) {
	layout := layoutOf(text)
	if layout == "" {
		return time.Time{}, false
	}
	b := append(make([]byte, 0, 40), text...)
	if len(b) > len(time.DateOnly) {
		b[len(time.DateOnly)] = 'T'
	}
	t, err := time.Parse(layout, string(b))
	return t, err == nil
}

// layoutOf returns the one layout that a text can have, "" for none. Trying them all
// would make an error for each.
func layoutOf[T ~string | ~[]byte](s T) string {
	const date = len(time.DateOnly)
	if len(s) < date || s[4] != '-' || s[7] != '-' {
		return ""
	}
	if len(s) == date {
		return time.DateOnly
	}
	if s[date] != 'T' && s[date] != ' ' {
		return ""
	}
	clock := date + 1
	for clock < len(s) && s[clock] != 'Z' && s[clock] != '+' && s[clock] != '-' {
		clock++
	}
	layout := "2006-01-02T15:04"
	if clock-date-1 > len("15:04") {
		layout += ":05"
	}
	switch len(s) - clock {
	case 0:
		return layout
	case len("Z"), len("+01:00"):
		return layout + "Z07:00"
	case len("+0100"):
		return layout + "Z0700"
	case len("+01"):
		return layout + "Z07"
	}
	return ""
}
