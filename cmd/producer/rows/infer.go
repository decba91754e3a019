package rows

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// guess narrows down which form a column of text has, field by field.
type guess struct {
	can     forms // still possible
	fields  int   // that are not null
	truths  int   // those up to the first that is neither true nor false, yes nor no, 0 nor 1
	figures int   // those that are a number in some form
	misfit  place // the first that is not
	padded  place // the first integer that begins with a zero
	endless place // the first that is infinite, which no consumer takes
	wide    place // the first integer that no float64 need hold
	blank   place // the first with blanks around it
	dates   int   // those that are a date in some form
	undated place // the first that is not
	width   int   // of the integers, -1: they differ
	// Of decorated numbers: the forms of which no field has a fraction, whether some
	// field is no plain number, the unit, and how many fields have it.
	whole   forms
	dressed bool
	unit    rune
	units   int
	short   int  // integers of three digits at most
	long    bool // an integer has more
	zero    bool // a number with a point ends in 0

	measure  place // the first number with a word behind it, as 12 kg
	word     string
	measured int // fields with that word

	notation *notation // of numbers that are not read
	odd      place     // the first that has it
	oddly    int       // fields that have it
	tries    int       // fields that have none, up to the first that has one

	grouped place // the first number with something between thousands, or around it

	numbers, days pair
	nulls         nulls
	words         map[string]int // read as missing, with how often
	hidden        string         // the first field in which nothing is seen, and that has something
	hiding        int            // such fields
}

// pair is what decides between two forms of the same fields.
type pair struct {
	differ place // the first field that the two read differently
	proof  place // the first that only one reads
}

// place is a field and its line, 0 where there is none.
type place struct {
	field string
	line  int
}

func (p *place) set(field string, line int) {
	if p.line == 0 {
		*p = place{string([]byte(field)), line} // the field is a view
	}
}

// null is the flag by which the field is missing. One that was clipped is in the file alone.
func (p *place) null() string {
	if strings.HasSuffix(p.field, "…") {
		return "--null with it as the file writes it"
	}
	return fmt.Sprintf("--null %q", p.field)
}

func newGuess(column string, sel *Selection) guess {
	g := guess{can: everyForm, whole: everyForm, nulls: sel.missing(column)}
	if slices.Contains(sel.Text, column) {
		g.can = 0
	}
	return g
}

// missing reports a field that is null, and counts the words that say so.
func (g *guess) missing(field string) bool {
	if !g.nulls.is(field) {
		return false
	}
	bare := trimmed(field)
	if bare == "" && hides(field) {
		if g.hiding++; g.hiding == 1 {
			g.hidden = strings.Clone(field)
		}
	}
	if field = bare; field != "" {
		if g.words == nil {
			g.words = map[string]int{}
		}
		g.words[string([]byte(field))]++
	}
	return true
}

// add takes a field that is not null.
func (g *guess) add(field string, line int) {
	g.fields++
	bare := trimmed(field)
	if len(bare) < len(field) {
		g.blank.set(field, line)
	}
	field = dashed(bare)
	if g.truths == g.fields-1 && saysTruth(field) {
		g.truths++
	}
	if v, ok := parseInt(field); ok {
		g.figures++
		g.can &= numberForms
		g.pad(field, line)
		if v > -1000 && v < 1000 {
			g.short++
		} else {
			g.long = true
		}
		g.widen(float64(v), field, line)
		g.undated.set(field, line)
		return
	}
	g.number(field, line)
	if g.can.has(asTruth) {
		_, ok := parseBool(field)
		g.keep(asTruth, ok)
	}
	if g.can.has(asInstant) {
		_, ok := parseInstant(field)
		g.keep(asInstant, ok)
	}
	g.date(field, line)
}

// saysTruth reports a field that says yes or no in words or figures.
func saysTruth(field string) bool {
	_, word := parseBool(field)
	return word || field == "0" || field == "1"
}

// pad notes how an integer is written.
func (g *guess) pad(field string, line int) {
	if field[0] == '0' && len(field) > 1 {
		g.padded.set(field, line)
	}
	if g.width == 0 {
		g.width = len(field)
	} else if g.width != len(field) {
		g.width = -1
	}
}

// exact is the least number that an integer which a float64 does not hold is rounded to.
const exact = 1 << 53

// widen notes an integer that may be rounded where it serves as a number.
func (g *guess) widen(v float64, field string, line int) {
	if g.wide.line == 0 && math.Abs(v) >= exact && !math.IsInf(v, 0) && !strings.ContainsAny(field, ".eE") {
		g.wide.set(clipped(field), line)
	}
}

// code reports integers that are names: all of the same width, with zeros before those
// that have fewer digits. Months, hours and times of day are written so, too, in up to
// four digits.
func (g *guess) code() bool { return g.padded.line > 0 && g.width > 4 }

// addQuoted takes a string of JSON, or of a column that was written as text: a
// plain number there is none.
func (g *guess) addQuoted(field string, line int) {
	g.can &^= plainForms
	g.add(field, line)
}

// addNumber takes a number of JSON, which has a point whatever texts have.
func (g *guess) addNumber(text string, line int) {
	g.fields++
	g.figures++
	g.can &= numberForms
	if g.truths == g.fields-1 && saysTruth(text) {
		g.truths++
	}
	n, ok := parseInt(text)
	v := float64(n)
	if !ok {
		g.can, g.whole = g.can.without(asInteger), 0
		if v, _ = parseFloat(text); math.IsInf(v, 0) {
			g.endless.set(clipped(text), line)
		}
	}
	g.widen(v, text, line)
}

func (g *guess) keep(f form, ok bool) {
	if !ok {
		g.can = g.can.without(f)
	}
}

// number takes a field that is no integer.
func (g *guess) number(field string, line int) {
	v, float := parseFloat(field)
	if math.IsInf(v, 0) {
		g.endless.set(clipped(field), line)
	}
	g.widen(v, field, line)
	g.can = g.can.without(asInteger)
	g.keep(asNumber, float)
	g.zero = g.zero || float && field[len(field)-1] == '0'
	both := g.can.has(asPoints) && g.can.has(asCommas)
	var read [2]decorated
	unit := rune(0)
	for i, f := range [...]form{asPoints, asCommas} {
		if !g.can.has(f) {
			continue
		}
		d, ok := parseDecorated(field, f)
		switch {
		case ok && (d.unit == 0 || g.unit == 0 || d.unit == g.unit):
			read[i], unit = d, d.unit
			g.dressed = g.dressed || !d.plain(f)
			if d.grouped && f == asPoints {
				g.grouped.set(clipped(field), line)
			}
			if d.fraction {
				g.whole = g.whole.without(f)
			}
		case f == asPoints && float: // 1e5
			g.whole = g.whole.without(f)
		default:
			g.can = g.can.without(f)
		}
	}
	if unit != 0 {
		g.unit = unit
		g.units++
	}
	if !float && g.can&numberForms == 0 && !IsFigure(field) {
		g.misfit.set(clipped(field), line)
		g.weigh(field, line)
		g.resemble(field, line)
		return
	}
	g.figures++
	g.numbers.take(both, g.can.has(asPoints), g.can.has(asCommas), string(read[0].digits) != string(read[1].digits), place{field, line})
}

// date takes a field that may be a date in either order.
func (g *guess) date(field string, line int) {
	if isDate(field) {
		g.dates++
	} else {
		g.undated.set(clipped(field), line)
	}
	both := g.can.has(asDayFirst) && g.can.has(asMonthFirst)
	var read [2]float64
	for i, f := range [...]form{asDayFirst, asMonthFirst} {
		if g.can.has(f) {
			var ok bool
			read[i], ok = parseDay(field, f)
			g.keep(f, ok)
		}
	}
	g.days.take(both, g.can.has(asDayFirst), g.can.has(asMonthFirst), read[0] != read[1], place{field, line})
}

// take takes a field into account that both forms were asked to read.
func (p *pair) take(both, first, second, differ bool, at place) {
	switch {
	case !both:
	case first && second && differ:
		p.differ.set(at.field, at.line)
	case first != second:
		p.proof.set(at.field, at.line)
	}
}

// IsFigure reports a field that is a number in one form at least.
func IsFigure(field string) bool {
	_, a := parseDecorated(field, asPoints)
	_, b := parseDecorated(field, asCommas)
	return a || b
}
