package rows

import (
	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/replay"
)

// form is a way to read the fields of a column of text.
type form uint8

// The forms, the narrowest first: a column has the first one that reads all
// its fields.
const (
	asInteger    form = iota // 12
	asNumber                 // 12.5
	asTruth                  // yes, FALSE, n
	asInstant                // 2012-01-31, 2012/01/31 13:00
	asPoints                 // 2,050.10: a point before the fraction
	asCommas                 // 2.050,10: a comma
	asDayFirst               // 31/01/2012
	asMonthFirst             // 01/31/2012
	asText
)

// forms is a set of them.
type forms uint16

const (
	everyForm   forms = 1<<asText - 1
	plainForms  forms = 1<<asInteger | 1<<asNumber
	numberForms forms = plainForms | 1<<asPoints | 1<<asCommas
)

func (s forms) has(f form) bool      { return s>>f&1 != 0 }
func (s forms) without(f form) forms { return s &^ (1 << f) }

// reading says how the fields of one column become values.
type reading struct {
	form  form
	whole bool // of a decorated number: no field has a fraction or a unit
	nulls nulls
}

// kind is the type of the column.
func (r *reading) kind() cdf.ColumnType {
	switch r.form {
	case asInteger:
		return cdf.Integer
	case asNumber:
		return cdf.Float
	case asPoints, asCommas:
		if r.whole {
			return cdf.Integer
		}
		return cdf.Float
	case asTruth:
		return cdf.Bool
	case asInstant, asDayFirst, asMonthFirst:
		return cdf.Time
	default:
		return cdf.Text
	}
}

// value reads a field that is not null; ok is false where it has another form.
func (r *reading) value(field string) (v replay.Value, ok bool) {
	if r.form == asText {
		return replay.Value{Text: field}, true
	}
	field = dashed(trimmed(field))
	switch r.form {
	case asInteger:
		v.Int, ok = parseInt(field)
	case asNumber:
		v.Number, ok = parseFloat(field)
	case asTruth:
		var yes bool
		if yes, ok = parseBool(field); yes {
			v.Number = 1
		}
	case asInstant:
		v.Number, ok = parseInstant(field)
	case asDayFirst, asMonthFirst:
		v.Number, ok = parseDay(field, r.form)
	case asPoints, asCommas:
		return r.decorated(field)
	}
	return v, ok
}

// decorated reads a number that was written for people.
func (r *reading) decorated(field string) (v replay.Value, ok bool) {
	n, ok := parseDecorated(field, r.form)
	switch {
	case ok && r.whole:
		v.Int, ok = n.integer()
	case ok:
		v.Number = n.value()
	case r.form == asPoints && !r.whole: // 1e5
		v.Number, ok = parseFloat(field)
	}
	return v, ok
}

// plain reads a number as JSON has it, whatever form the texts of the column have.
func (r *reading) plain(number string) (replay.Value, bool) {
	as := reading{form: r.form}
	switch r.kind() {
	case cdf.Integer:
		as.form = asInteger
	case cdf.Float:
		as.form = asNumber
	}
	return as.value(number)
}
