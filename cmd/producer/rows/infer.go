package rows

import (
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/replay"
)

// nulls says which CSV fields are null: empty ones, and the texts it holds.
type nulls []string

func (n nulls) is(field string) bool {
	field = strings.TrimSpace(field)
	return field == "" || slices.Contains(n, field)
}

// guess narrows down what type a column of text can have, field by field.
type guess struct {
	seen           bool // a field that is not null
	integer, float bool // still possible
	boolean, time  bool
}

func newGuess() guess {
	return guess{integer: true, float: true, boolean: true, time: true}
}

// add takes a field that is not null.
func (g *guess) add(field string) {
	g.seen = true
	field = strings.TrimSpace(field)
	if g.integer {
		_, g.integer = parseInt(field)
	}
	// An integer is a number too, so that this is asked only once one isn't.
	if g.float && !g.integer {
		_, g.float = parseFloat(field)
	}
	if g.boolean {
		_, g.boolean = parseBool(field)
	}
	if g.time {
		_, g.time = parseTime(field)
	}
}

// addQuoted takes a field that is known to be text: a number in quotes is none.
func (g *guess) addQuoted(field string) {
	g.seen = true
	g.integer, g.float, g.boolean = false, false, false
	if g.time {
		_, g.time = parseTime(field)
	}
}

// result is the narrowest type that holds all fields. A column of nulls is one
// of missing numbers.
func (g *guess) result() cdf.ColumnType {
	switch {
	case !g.seen:
		return cdf.Float
	case g.integer:
		return cdf.Integer
	case g.float:
		return cdf.Float
	case g.boolean:
		return cdf.Bool
	case g.time:
		return cdf.Time
	default:
		return cdf.Text
	}
}

// parseAs reads a field that is not null as a value of type t.
func parseAs(field string, t cdf.ColumnType) (v replay.Value, ok bool) {
	if t == cdf.Text {
		return replay.Value{Text: field}, true
	}
	field = strings.TrimSpace(field)
	switch t {
	case cdf.Integer:
		v.Int, ok = parseInt(field)
	case cdf.Float:
		v.Number, ok = parseFloat(field)
	case cdf.Bool:
		var b bool
		if b, ok = parseBool(field); b {
			v.Number = 1
		}
	case cdf.Time:
		v.Number, ok = parseTime(field)
	}
	return v, ok
}
