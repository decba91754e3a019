package cdf

import (
	"fmt"
	"math"
	"strconv"
)

// Times are seconds since 1970. Package time is not used here: what has a clock
// is kept out of what is replayed.

const (
	microsecond = 1e6
	dayMicros   = 86_400 * microsecond
)

// Furthest bounds the times that have a date, in seconds on both sides of 1970.
const Furthest = 9e12

// CheckTimes returns ErrShard, wrapped, where a Time column, which serves as labels or steps, has a
// time without a date: in microseconds it is beyond an int64, so that different times would be one.
func (c *Column) CheckTimes() error {
	if c.Type != Time {
		return nil
	}
	for i, v := range c.Number {
		if math.Abs(v) >= Furthest { // false of NaN
			return fmt.Errorf("%w: column %q has a time without a date in row %d: %g seconds from 1970; is its unit right?", ErrShard, c.Name, i+1, v)
		}
	}
	return nil
}

// micros returns a time in microseconds, as exact as Arrow's timestamps are
// once they are float64.
func micros(seconds float64) int64 { return int64(math.Round(seconds * microsecond)) }

// midnight reports whether a time is a date, midnight in UTC.
func midnight(seconds float64) bool { return micros(seconds)%dayMicros == 0 }

// step returns the step that a row of an Integer or Time column names: a date is
// its day since 1970.
func (c *Column) step(i int) int64 {
	if c.Type == Time {
		return micros(c.Number[i]) / dayMicros
	}
	return c.Int[i]
}

// appendTime appends a time in UTC in the form of RFC 3339: the date alone at
// midnight, else with the time of day and as many digits of a second as it has.
func appendTime(b []byte, seconds float64) []byte {
	us := micros(seconds)
	day, rest := us/dayMicros, us%dayMicros
	if rest < 0 {
		day, rest = day-1, rest+dayMicros
	}
	year, month, dayOf := civil(day)
	if year < 0 {
		b, year = append(b, '-'), -year
	}
	b = append(padded(b, year, 4), '-')
	b = append(padded(b, month, 2), '-')
	b = padded(b, dayOf, 2)
	if rest == 0 {
		return b
	}
	s := rest / microsecond
	b = append(padded(append(b, 'T'), s/3600, 2), ':')
	b = append(padded(b, s/60%60, 2), ':')
	b = padded(b, s%60, 2)
	if fraction := rest % microsecond; fraction > 0 {
		b = padded(append(b, '.'), fraction, 6)
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return append(b, 'Z')
}

// Date returns the date in UTC of a time in seconds since 1970, which is less than
// Furthest on either side of it.
func Date(seconds float64) (year, month, day int64) {
	us := micros(seconds)
	of := us / dayMicros
	if us%dayMicros < 0 {
		of--
	}
	return civil(of)
}

// padded appends a number that is not negative with leading zeros.
func padded(b []byte, n int64, digits int) []byte {
	for limit := int64(10); digits > 1; digits, limit = digits-1, limit*10 {
		if n < limit {
			b = append(b, '0')
		}
	}
	return strconv.AppendInt(b, n, 10)
}

// civil returns the date of a day since 1970 in the Gregorian calendar. Years
// are counted from March, so that a leap day ends one, in eras of 400 years.
func civil(day int64) (year, month, dayOf int64) {
	const eraDays, toMarch0 = 146_097, 719_468 // days of an era; from 0000-03-01 to 1970-01-01
	day += toMarch0
	era := day / eraDays
	if day < 0 {
		era = (day - eraDays + 1) / eraDays
	}
	of := day - era*eraDays // day of the era
	y := (of - of/1460 + of/36_524 - of/146_096) / 365
	ofYear := of - (365*y + y/4 - y/100)
	m := (5*ofYear + 2) / 153 // month from March
	year, month, dayOf = y+era*400, (m+2)%12+1, ofYear-(153*m+2)/5+1
	if month <= 2 {
		year++
	}
	return year, month, dayOf
}
