package formula

import (
	"math"
	"strconv"

	"github.com/credence-stream/credence/cdf"
)

const day = 86_400 // seconds

// parts are what a time, in seconds since 1970 in UTC, has of the calendar.
var parts = map[string]func(seconds float64) float64{
	"year":      func(s float64) float64 { y, _, _ := cdf.Date(s); return float64(y) },
	"quarter":   func(s float64) float64 { _, m, _ := cdf.Date(s); return float64((m + 2) / 3) },
	"month":     func(s float64) float64 { _, m, _ := cdf.Date(s); return float64(m) },
	"day":       func(s float64) float64 { _, _, d := cdf.Date(s); return float64(d) },
	"dayofyear": dayOfYear,
	"weekday":   func(s float64) float64 { return remainder(math.Floor(s/day)+3, 7) + 1 }, // 1970-01-01 was a Thursday
	"hour":      func(s float64) float64 { return math.Floor(remainder(s, day) / 3600) },
	"minute":    func(s float64) float64 { return math.Floor(remainder(s, 3600) / 60) },
	"trend":     func(s float64) float64 { return s / day },
}

// labels of the parts that are factors with levels of their own, from the first
// number on.
var calendarLevels = map[string]struct {
	from   int
	levels []string
}{
	"quarter": {1, counted(1, 4)},
	"month":   {1, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	"day":     {1, counted(1, 31)},
	"weekday": {1, weekdays},
	"hour":    {0, counted(0, 23)},
	"minute":  {0, counted(0, 59)},
}

var weekdays = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

func counted(from, to int) []string {
	var list []string
	for i := from; i <= to; i++ {
		list = append(list, strconv.Itoa(i))
	}
	return list
}

// ofCalendar returns a part of a time to the microsecond, NaN where it has none.
func ofCalendar(part func(float64) float64, s float64) float64 {
	if !(math.Abs(s) < cdf.Furthest) {
		return math.NaN()
	}
	return part(math.Round(s*1e6) / 1e6)
}

// before are the days of a year before each month, without a leap day.
var before = [...]int64{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334}

func dayOfYear(s float64) float64 {
	year, month, day := cdf.Date(s)
	n := before[month-1] + day
	if leap := year%4 == 0 && (year%100 != 0 || year%400 == 0); leap && month > 2 {
		n++
	}
	return float64(n)
}

// remainder is v modulo m, from 0 on: both are exact.
func remainder(v, m float64) float64 {
	r := math.Mod(v, m)
	if r < 0 {
		r += m
	}
	return r
}
