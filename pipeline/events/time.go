package events

import (
	"bytes"
	"math"
	"time"

	"github.com/credence-stream/credence/internal/jsontext"
)

// parseTime takes the dates and times of ISO 8601 that producer replay takes, T or
// a space between them, seconds and zone optional, UTC without one, and returns
// seconds since 1970 as a shard brings them, to the microsecond.
func parseTime(text []byte) (float64, bool) {
	t, ok := jsontext.ISOTime(bytes.TrimSpace(text))
	if !ok {
		return 0, false
	}
	return Instant(t), true
}

// Instant returns a time in seconds since 1970, to the microsecond, as a shard that
// is written from it brings it.
func Instant(t time.Time) float64 { return Seconds(micros(t), 1e6) }

// micros returns a time in microseconds, rounded as a shard has it that is written
// from seconds.
func micros(t time.Time) int64 {
	sec, nano := t.Unix(), int64(t.Nanosecond())
	if nano%1000 == 0 {
		return sec*1_000_000 + nano/1000
	}
	return int64(math.Round((float64(sec) + float64(nano)/1e9) * 1e6))
}

// Seconds returns ticks, per of them a second, as seconds, as those of an Arrow
// timestamp are read.
func Seconds(ticks, per int64) float64 {
	return float64(ticks/per) + float64(ticks%per)/float64(per)
}
