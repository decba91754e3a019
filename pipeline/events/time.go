package events

import (
	"bytes"
	"math"
	"slices"
	"time"

	"github.com/credence-stream/credence/internal/jsontext"
)

// parseTime takes the dates and times that producer replay takes wherever it meets
// them, of ISO 8601 or with the year first, UTC without a zone, and returns seconds since
// 1970 as a shard brings them, to the microsecond.
func parseTime(text []byte) (float64, bool) {
	t, ok := jsontext.Instant(bytes.TrimSpace(text))
	if !ok {
		return 0, false
	}
	return Instant(t), true
}

// The numbers since 1970 that are of no unit but one, for times from 1973 to 5138: of
// seconds there are fewer than epochMillis, of milliseconds at least as many.
const (
	epochMillis = 1e11
	epochMicros = 1e14
	epochNanos  = 1e17
)

// lastMicros is below the most microseconds that an int64 holds.
const lastMicros = 9.2e18

// sinceEpoch returns a number that is a time since 1970 in seconds, whatever its unit.
func sinceEpoch(v float64) float64 {
	switch a := math.Abs(v); {
	case a < epochMillis, math.IsNaN(v):
		return v
	case a < epochMicros:
		return Seconds(int64(math.Round(v*1e3)), 1e6)
	case a < epochNanos:
		return Seconds(int64(math.Round(v)), 1e6)
	}
	// Of those beyond all times the conversion would make what the processor likes.
	return Seconds(int64(math.Round(min(max(v/1e3, -lastMicros), lastMicros))), 1e6)
}

// moments makes times of the numbers of a column that serves as one, and reports whether
// they are: a step of a model only where no number can be a count of steps.
func (c *column) moments(w *Named) bool {
	if w == nil || !w.Moment && !w.Step || c.kinds == 0 || c.kinds&^(whole|fraction) != 0 {
		return false
	}
	c.numbers()
	if !w.Moment && slices.ContainsFunc(c.number, func(v float64) bool { return math.Abs(v) < epochMillis }) {
		return false
	}
	for i, v := range c.number {
		c.number[i] = sinceEpoch(v)
	}
	return true
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
