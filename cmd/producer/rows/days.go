package rows

import (
	"time"

	"github.com/credence-stream/credence/internal/jsontext"
)

// parseInstant takes dates and times that can be read in one way only, ISO 8601 or with
// the year first, and returns seconds since 1970. Without a zone they are UTC.
func parseInstant(s string) (float64, bool) { return sinceEpoch(jsontext.Instant(s)) }

// parseDay takes dates with the day or the month first, as the form says.
func parseDay(s string, order form) (float64, bool) {
	first := jsontext.DayFirst
	if order == asMonthFirst {
		first = jsontext.MonthFirst
	}
	return sinceEpoch(jsontext.Day(s, first))
}

// isDate reports a field that is a date in one form at least. What cannot be is told by its
// length and its first sign: most text is.
func isDate(field string) bool {
	if len(field) < len("1/1/1970") || len(field) > len("2006-01-02T15:04:05.999999999+07:00") || field[0] < '0' || field[0] > '9' {
		return false
	}
	_, instant := parseInstant(field)
	_, day := parseDay(field, asDayFirst)
	_, month := parseDay(field, asMonthFirst)
	return instant || day || month
}

func sinceEpoch(t time.Time, ok bool) (float64, bool) {
	if !ok {
		return 0, false
	}
	return seconds(t.Unix(), int64(t.Nanosecond())), true
}
