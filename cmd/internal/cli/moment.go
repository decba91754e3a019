package cli

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Moment reads a time as RFC 3339 has it, a date, which begins in UTC, or how long ago it
// is, as in 36h or 7d. It returns milliseconds since 1970, not below 0.
func Moment(text string, now time.Time) (int64, error) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return max(0, t.UnixMilli()), nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return max(0, now.AddDate(0, 0, -int(n)).UnixMilli()), nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return max(0, now.Add(-ago).UnixMilli()), nil
	}
	return 0, errors.New("it is neither a time as in 2026-01-31T08:00:00Z, nor a date, nor how long ago, as in 36h or 7d")
}
