package jsontext

import (
	"testing"
	"time"
)

func TestDatesWithNamedMonths(t *testing.T) {
	day := time.Date(2012, 1, 31, 0, 0, 0, 0, time.UTC)
	for _, text := range []string{
		"Jan 31 2012", "January 31, 2012", "31-Jan-2012", "31 JANUARY 2012", "31JAN2012", "2012 Jan 31", "2012-jan-31", "31. Jan. 2012", "Jan. 31, 2012",
	} {
		if got, ok := Instant(text); !ok || !got.Equal(day) {
			t.Errorf("%q is %v, %t", text, got, ok)
		}
	}
	for text, want := range map[string]time.Time{
		"Sept 1 2000 1:05 PM": time.Date(2000, 9, 1, 13, 5, 0, 0, time.UTC), "1 May 2000, 23:59:30": time.Date(2000, 5, 1, 23, 59, 30, 0, time.UTC),
	} {
		if got, ok := Instant([]byte(text)); !ok || !got.Equal(want) {
			t.Errorf("%q is %v, %t", text, got, ok)
		}
	}
	for _, text := range []string{
		"Jan 31 12", "Jan 32 2012", "Feb 30 2012", "Jan 2012", "Jam 1 2012", "Jan Feb 2012", "January", "1 2 2012", "Jan 1 2012 x", "2012 2013 Jan", "1 Jan 2012 25:00", "jan", "Jänner 1 2012",
	} {
		if got, ok := Instant(text); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}
