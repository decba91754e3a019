package cli

import (
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-01-31T08:00:00Z": time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC), "2026-01-31T08:00:00.250+02:00": time.Date(2026, 1, 31, 6, 0, 0, 250e6, time.UTC),
		"2026-01-31": time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), "36h": now.Add(-36 * time.Hour), "0s": now, "7d": now.AddDate(0, 0, -7), "65000d": time.UnixMilli(0),
	} {
		if got, err := Moment(text, now); err != nil || got != want.UnixMilli() {
			t.Errorf("%s: %d and error %v, want %d", text, got, err, want.UnixMilli())
		}
	}
	for _, text := range []string{"", "yesterday", "-3h", "7 d", "d", "2026-13-01", "1.5d"} {
		if got, err := Moment(text, now); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}
