package rows

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// What fields may mean beside what they can be read as.

// fewestFractions is how many fields with a point there have to be before they look like thousands.
const fewestFractions = 5

// thousands reports a column of plain numbers whose points may stand between thousands, as in 900 and
// 1.200: each has three digits behind it, of which the last is 0 in some, and without a point there are small integers alone. Who writes
// fractions with all their digits writes 900.000, and who leaves zeros out 1.2.
func (g *guess) thousands() bool {
	return g.can.has(asNumber) && !g.long && g.short > 0 && g.zero && g.fields-g.short >= fewestFractions
}

// mostWord is how long a unit may be.
const mostWord = 8

// weigh takes a field that is no number into account which may be one with a unit behind it.
func (g *guess) weigh(field string, line int) {
	if c := field[0]; (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' {
		return
	}
	number := strings.TrimRightFunc(field, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsSpace(r) || strings.ContainsRune("°/²³", r)
	})
	word := trimmed(field[len(number):])
	if _, float := parseFloat(number); word == "" || len(word) > mostWord || !float && !IsFigure(number) {
		return
	}
	if g.measure.line == 0 {
		g.word = strings.Clone(word)
		g.measure.set(field, line)
	}
	if word == g.word {
		g.measured++
	}
}

// fewestDays is how many different numbers there have to be before they look like dates.
const fewestDays = 5

// Dated says as what whole numbers of a column, all different, look like dates: year, month and day, or year and
// month, as 20240131 and 202401, of which among a hundred random numbers there are fewer than four; where the name says so also
// seconds and thousandths since 1970, and days as spreadsheets count them. "" for none.
func Dated(name string, values []float64) string {
	if len(values) < fewestDays {
		return ""
	}
	day, month := true, true
	for _, v := range values {
		day, month = day && isDay(v), month && isMonth(v)
	}
	least, most := slices.Min(values), slices.Max(values)
	first := strconv.FormatFloat(least, 'f', 0, 64)
	switch {
	case day:
		return first + " is a day"
	case month:
		return first + " is a month"
	case !named(name):
		return ""
	}
	for _, clock := range clocks {
		from, to := (least-clock.epoch)*clock.seconds, (most-clock.epoch)*clock.seconds
		if from >= earliest && to <= latest {
			return first + " is " + time.Unix(int64(from), 0).UTC().Format(time.DateOnly) + clock.as
		}
	}
	return ""
}

// clocks are how programs count time.
var clocks = []struct {
	epoch, seconds float64
	as             string
}{
	{0, 1, " in seconds since 1970"},
	{0, 1e-3, " in thousandths of a second since 1970"},
	{25569, 86400, " in days of a spreadsheet"},
}

const earliest, latest = 946684800, 2145916800 // 2000 and 2038, in seconds since 1970

// moments are words of names of columns that say when.
var moments = []string{"at", "ts", "time", "timestamp", "date", "datetime", "day", "when", "created", "updated", "epoch"}

func named(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(moments, word) })
}

func isDay(v float64) bool {
	day := math.Mod(v, 100)
	return day >= 1 && day <= 31 && isMonth(math.Floor(v/100))
}

func isMonth(v float64) bool {
	month := math.Mod(v, 100)
	return v >= 190001 && v <= 210012 && month >= 1 && month <= 12
}
