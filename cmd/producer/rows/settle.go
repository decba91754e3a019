package rows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/replay"
)

// settle decides the forms of all columns of a file, adds them as fields, and
// notes what a reader should know. What the fields themselves do not decide is
// an error that names the flag that does.
func (a *about) settle(file string, names []string, guesses []guess, sel *Selection) error {
	a.wordsMet(names, guesses)
	decimal := sel.Decimal
	if decimal == "" {
		decimal = decimalOf(guesses)
	}
	for i := range guesses {
		g := &guesses[i]
		f, err := g.form(names[i], decimal, sel)
		if err != nil {
			return fmt.Errorf("%s%w", file, err)
		}
		r := reading{form: f, nulls: g.nulls, whole: g.unit == 0 && g.whole.has(f)}
		a.readings = append(a.readings, r)
		a.fields = append(a.fields, replay.Field{Name: names[i], Type: r.kind()})
		a.remark(names[i], g, &r, sel)
	}
	return nil
}

// decimalOf is how the file writes fractions where its columns leave no doubt
// and agree: one program has written it. Otherwise it is "".
func decimalOf(guesses []guess) string {
	met := ""
	for i := range guesses {
		g, says := &guesses[i], ""
		switch p, c := g.can.has(asPoints), g.can.has(asCommas); {
		case p && !c:
			says = decimalPoint
		case c && !p:
			says = decimalComma
		}
		if says == "" || says == met {
			continue
		}
		if met != "" {
			return ""
		}
		met = says
	}
	return met
}

// form is the narrowest form of all fields. decimal is how the file writes
// fractions, as far as that is known.
func (g *guess) form(column, decimal string, sel *Selection) (form, error) {
	doubt := func(p place, one, other, flag string) error {
		return fmt.Errorf(":%d: %w: column %q: %q is %s or %s, and no other value decides: say %s, or --text %s to leave it as text",
			p.line, ErrInput, column, p.field, one, other, flag, column)
	}
	mixed := g.unit == '%' && g.units < g.fields // 45% and 0.45
	undecided := g.can.has(asPoints) && g.can.has(asCommas) && g.numbers.differ.line > 0
	switch {
	case g.fields == 0:
		return asNumber, nil
	case g.can.has(asInteger) && g.code():
		return asText, nil
	case g.can.has(asInteger):
		return asInteger, nil
	case undecided && !mixed && (decimal == "" && !g.can.has(asNumber) || decimal == decimalComma && sel.Decimal == "" && g.can.has(asNumber)):
		field := g.numbers.differ.field
		one, _ := parseDecorated(field, asPoints)
		other, _ := parseDecorated(field, asCommas)
		return asText, doubt(g.numbers.differ, string(one.digits), string(other.digits), "--decimal point or --decimal comma")
	case undecided && !mixed && decimal == decimalComma:
		return asCommas, nil
	case undecided && decimal == "" && g.thousands():
		return asText, doubt(g.numbers.differ, g.numbers.differ.field, strings.ReplaceAll(g.numbers.differ.field, ".", ""), "--decimal point or --decimal comma")
	case g.can.has(asNumber):
		return asNumber, nil
	case g.can.has(asTruth):
		return asTruth, nil
	case g.can.has(asInstant):
		return asInstant, nil
	case g.can.has(asPoints) && g.dressed && !mixed:
		return asPoints, nil
	case g.can.has(asCommas) && g.dressed && !mixed:
		return asCommas, nil
	case g.can.has(asDayFirst) && g.can.has(asMonthFirst) && g.days.differ.line > 0 && sel.DateOrder == "":
		return asText, doubt(g.days.differ, "the day first", "the month first", "--date-order dmy or --date-order mdy")
	case g.can.has(asDayFirst) && (sel.DateOrder != orderMDY || !g.can.has(asMonthFirst)):
		return asDayFirst, nil
	case g.can.has(asMonthFirst):
		return asMonthFirst, nil
	}
	return asText, nil
}

// remark notes what a reader might not expect of a column.
func (a *about) remark(column string, g *guess, r *reading, sel *Selection) {
	example := func(p pair) string {
		if p.proof.line > 0 {
			return fmt.Sprintf(" (as line %d has it: %q)", p.proof.line, p.proof.field)
		}
		return ""
	}
	switch {
	case g.fields == 0:
		a.note("column %q has no value in any row; it is sent as numbers, all null", column)
	case slices.Contains(sel.Text, column):
	case r.form == asDayFirst:
		a.note("column %q holds dates with the day first%s", column, example(g.days))
	case r.form == asMonthFirst:
		a.note("column %q holds dates with the month first%s", column, example(g.days))
	case r.form == asCommas:
		a.note("column %q has decimal commas%s", column, example(g.numbers))
	case r.form == asPoints && g.unit == 0 && strings.HasPrefix(g.grouped.field, "("):
		a.note("column %q has negative numbers in parentheses (as line %d has it: %q)", column, g.grouped.line, g.grouped.field)
	case r.form == asPoints && g.unit == 0 && g.grouped.line > 0: // texts of JSON may have points alone
		a.note("column %q has signs between thousands (as line %d has it: %q)", column, g.grouped.line, g.grouped.field)
	case r.form == asInteger && g.padded.line > 0 && g.width < 0:
		a.note("column %q has numbers with zeros before them (as line %d has it: %q), and the zeros are dropped: 007 and 7 are one; if they are codes, --text %s keeps them apart",
			column, g.padded.line, clipped(g.padded.field), column)
	case r.form != asText:
	case g.fields == g.truths:
		a.note("column %q is text: it says yes and no in several ways, as true and 1; write them in one", column)
	case g.dates > 0 && g.undated.line == 0:
		a.note("column %q is text: its dates are written in several ways", column)
	case 2*g.dates > g.fields:
		a.note("column %q is text, because %q in line %d is no date, as %d of %d values are: if it means missing, %s; otherwise correct the file",
			column, g.undated.field, g.undated.line, g.dates, g.fields, g.undated.null())
	case 2*g.figures > g.fields && g.unit == '%':
		a.note("column %q is text: some of its numbers are in percent and some are not", column)
	case g.can.has(asInteger) && g.code():
		a.note("column %q is text: its numbers are codes of %d digits with leading zeros (as line %d has it: %q)", column, g.width, g.padded.line, g.padded.field)
	case g.fields == g.figures && g.can&numberForms != 0:
		a.note("column %q is text: it has its numbers in quotes; take them off to have numbers", column)
	case g.fields == g.figures:
		a.note("column %q is text: its numbers are written in several ways, as with points and with commas or in several currencies", column)
	case g.odds():
		a.note("column %q is text, because its numbers %s (as line %d has it: %q): %s", column, g.notation.what, g.odd.line, g.odd.field, g.notation.remedy)
	case 2*g.measured > g.fields:
		a.note("column %q is text, because its numbers have a word behind them (as line %d has it: %q): if that is a unit, take %q out of the file, and put it into the name of the column",
			column, g.measure.line, g.measure.field, g.word)
	case 2*g.figures > g.fields && g.misfit.line > 0:
		a.note("column %q is text, because %q in line %d is no number, as %d of %d values are: if it means missing, %s; otherwise correct the file",
			column, g.misfit.field, g.misfit.line, g.figures, g.fields, g.misfit.null())
	}
	if r.form == asText && g.blank.line > 0 {
		a.note("column %q has text with %s around it, which are kept (as line %d has it: %q): %q without them is another level; if they mean nothing, take them out of the file",
			column, around(g.blank.field), g.blank.line, clipped(g.blank.field), clipped(trimmed(g.blank.field)))
	}
	if g.endless.line > 0 && r.kind() == cdf.Float {
		a.note("column %q has infinite numbers (as line %d has it: %q), and a shard with one is refused: %s makes it missing", column, g.endless.line, g.endless.field, g.endless.null())
	}
	switch {
	case g.wide.line == 0:
	case r.kind() == cdf.Integer:
		a.note("column %q has integers of more than 53 bits (as line %d has it: %q): groups and levels of them are exact, a number is the nearest that a float64 holds", column, g.wide.line, g.wide.field)
	case r.kind() == cdf.Float:
		a.note("column %q has integers of more than 53 bits (as line %d has it: %q), sent as the nearest float64: --text %s sends them as they are", column, g.wide.line, g.wide.field, column)
	}
	switch {
	case r.form != asPoints && r.form != asCommas:
	case g.unit == '%':
		a.note("column %q is in percent: 45%% is 45", column)
	case g.unit != 0:
		a.note("column %q is in %c", column, g.unit)
	}
}
