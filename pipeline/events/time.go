package events

import (
	"bytes"
	"math"
	"time"
)

// parseTime takes the dates and times of ISO 8601 that producer replay takes, T or
// a space between them, seconds and zone optional, UTC without one, and returns
// seconds since 1970 as a shard brings them, to the microsecond.
func parseTime(text []byte) (float64, bool) {
	s := bytes.TrimSpace(text)
	layout := layoutOf(s)
	if layout == "" {
		return 0, false
	}
	var room [40]byte
	if len(s) > len(room) {
		return 0, false
	}
	b := room[:copy(room[:], s)]
	if len(b) > 10 {
		b[10] = 'T'
	}
	t, err := time.Parse(layout, string(b))
	if err != nil {
		return 0, false
	}
	return seconds(micros(t), 1e6), true
}

// micros returns a time in microseconds, rounded as a shard has it that is written
// from seconds.
func micros(t time.Time) int64 {
	sec, nano := t.Unix(), int64(t.Nanosecond())
	if nano%1000 == 0 {
		return sec*1_000_000 + nano/1000
	}
	return int64(math.Round((float64(sec) + float64(nano)/1e9) * 1e6))
}

// layoutOf returns the one layout that s can have, "" for none. Trying them all
// would make an error for each.
func layoutOf(s []byte) string {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return ""
	}
	if len(s) == 10 {
		return "2006-01-02"
	}
	if s[10] != 'T' && s[10] != ' ' {
		return ""
	}
	clock, zone := s[11:], 0
	if i := bytes.IndexAny(clock, "Z+-"); i >= 0 {
		clock, zone = clock[:i], len(clock)-i
	}
	layout := "2006-01-02T15:04"
	if len(clock) > len("15:04") {
		layout += ":05"
	}
	switch zone {
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

// seconds returns ticks, per of them a second, as seconds, as those of an Arrow
// timestamp are read.
func seconds(ticks, per int64) float64 {
	return float64(ticks/per) + float64(ticks%per)/float64(per)
}
