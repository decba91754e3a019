package formula

import (
	"slices"
	"strings"
)

// atom is what a term is a product of: numbers, the columns of one expression, or a
// factor.
type atom struct {
	node  *node
	key   string // tells it from others
	label string // its name, or the first part of the names of its columns

	several *several // nil: one number per row, or a factor
	factor  *factor  // nil: no factor, or a column that is one where it holds text
}

// several are the columns that one number makes.
type several struct {
	x      *node
	fields []string // of their names
	spans  bool     // together with the first column they span the intercept
	timed  bool     // x is a time
	raises bool     // what is out of bounds refuses the shard
	powers bool     // the columns are x, x^2 and so on
	fill   func(dst []float64, x float64)
}

// factor is a column of labels, or a part of the calendar.
type factor struct {
	column   string
	part     string   // of the calendar, "": none
	levels   []string // given, nil: those of the key's first shard
	baseline string   // "": the first level
	other    string   // level, drop or reject
	gaps     bool     // a missing value is a level
	written  bool     // as C(...)
}

const (
	otherLevel  = "level"
	otherDrop   = "drop"
	otherReject = "reject"
)

// atomOf checks an expression and says what it makes.
func (p *parser) atomOf(n *node) *atom {
	a := &atom{node: n, key: n.String(), label: n.label()}
	if n.op != opCall {
		p.numeric(n)
		return a
	}
	switch n.text {
	case "C":
		a.factor = p.factorOf(n)
	case "weekday":
		if n.args[0].op != opName {
			p.fail(n.args[0].at, "weekday takes a column of times")
		}
		a.factor = &factor{column: n.args[0].text, part: n.text, levels: weekdays, other: otherDrop}
	case "poly":
		a.several = p.poly(n)
	case "bs":
		a.several = p.spline(n)
	case "season":
		a.several = p.season(n)
	default:
		p.numeric(n)
	}
	return a
}

// arguments sorts the arguments of a call by name: the positional ones have the first
// names.
func (p *parser) arguments(n *node, least int, names ...string) map[string]*node {
	found := map[string]*node{}
	for i, a := range n.args {
		key := n.keys[i]
		if key == "" {
			if i >= len(names) {
				p.fail(a.at, "%s takes at most %d arguments: %s", n.text, len(names), strings.Join(names, ", "))
			}
			key = names[i]
		}
		if !slices.Contains(names, key) {
			p.fail(a.at, "%s has no argument %q, only %s", n.text, key, strings.Join(names, ", "))
		}
		if found[key] != nil {
			p.fail(a.at, "%s has %s twice", n.text, key)
		}
		found[key] = a
	}
	for _, name := range names[:least] {
		if found[name] == nil {
			p.fail(n.at, "%s needs %s", n.text, strings.Join(names[:least], ", "))
		}
	}
	return found
}

// constant returns the number that an argument is.
func (p *parser) constant(n *node, what string) float64 {
	switch {
	case n.op == opNumber:
		return n.value
	case n.op == opMinus && n.args[0].op == opNumber:
		return -n.args[0].value
	}
	p.fail(n.at, "%s is a number", what)
	return 0
}

// count returns the whole number from 1 that an argument is.
func (p *parser) count(n *node, what string, most int) int {
	v := p.constant(n, what)
	if v != float64(int(v)) || int(v) < 1 || int(v) > most {
		p.fail(n.at, "%s is a whole number from 1 to %d", what, most)
	}
	return int(v)
}

// truth returns True or False.
func (p *parser) truth(n *node, what string) bool {
	if n.op != opNumber || n.text != "True" && n.text != "False" {
		p.fail(n.at, "%s is True or False", what)
	}
	return n.value == 1
}

// word returns the text that an argument is.
func (p *parser) word(n *node, what string) string {
	if n.op != opText && n.op != opNumber {
		p.fail(n.at, "%s is a text", what)
	}
	return levelText(n)
}

// levelText is the level that a text or a number names.
func levelText(n *node) string {
	if n.op == opText {
		return n.text
	}
	if n.text == "True" || n.text == "False" {
		return n.text
	}
	return numberText(n.text, n.value)
}

// factorOf reads C(x, [a, b, c], contr.treatment(a), baseline=a, other=level, missing=drop).
func (p *parser) factorOf(n *node) *factor {
	if len(n.args) == 0 {
		p.fail(n.at, "C needs a column: C(x)")
	}
	x := n.args[0]
	f := &factor{other: otherLevel, written: true}
	switch {
	case x.op == opName:
		f.column = x.text
	case x.op == opCall && calendarLevels[x.text].levels != nil:
		if x.args[0].op != opName {
			p.fail(x.args[0].at, "%s takes a column of times", x.text)
		}
		f.column, f.part = x.args[0].text, x.text
		f.levels, f.other = calendarLevels[x.text].levels, otherDrop
	default:
		p.fail(x.at, "C takes a column, or a part of a time that has levels, such as C(month(at))")
	}
	base, given := (*node)(nil), false
	for i, a := range n.args[1:] {
		key := n.keys[1+i]
		switch {
		case key == "levels" || key == "" && a.op == opList:
			if a.op != opList || len(a.args) < 2 {
				p.fail(a.at, "levels are a list of two or more: [a, b]")
			}
			if given {
				p.fail(a.at, "C has levels twice")
			}
			given = true
			p.levels(f, a)
		case key == "contrasts" || key == "" && a.op == opCall:
			if a.op != opCall || a.text != "contr.treatment" && a.text != "Treatment" || len(a.args) > 1 {
				p.fail(a.at, "factors are coded against a baseline: contr.treatment(base=a), or baseline=a")
			}
			if len(a.args) == 1 {
				base = a.args[0]
			}
		case key == "baseline":
			base = a
		case key == "other":
			p.other(f, a)
		case key == "missing":
			p.missing(f, a)
		default:
			p.fail(a.at, "C(x, [a, b], baseline=a, other=level, missing=drop) takes no other arguments")
		}
	}
	if base != nil {
		if f.baseline = p.word(base, "the baseline"); f.levels != nil && !slices.Contains(f.levels, f.baseline) {
			p.fail(base.at, "the baseline is none of the levels %s", strings.Join(f.levels, ", "))
		}
	}
	return f
}

// other takes in what becomes of a level that is not listed.
func (p *parser) other(f *factor, a *node) {
	f.other = p.word(a, "other")
	if !slices.Contains([]string{otherLevel, otherDrop, otherReject}, f.other) {
		p.fail(a.at, "other is level, drop or reject: what becomes of a level that is not listed")
	}
	if f.part != "" {
		p.fail(a.at, "the calendar has no other levels")
	}
}

// missing takes in what becomes of a row without a value.
func (p *parser) missing(f *factor, a *node) {
	word := p.word(a, "missing")
	if word != otherLevel && word != otherDrop {
		p.fail(a.at, "missing is level or drop: what becomes of a row without a value")
	}
	if f.gaps = word == otherLevel; f.gaps && f.part != "" {
		p.fail(a.at, "the calendar has no level of missing times")
	}
}

// levels takes a list of levels in.
func (p *parser) levels(f *factor, list *node) {
	if f.part != "" {
		p.fail(list.at, "the levels of %s are those of the calendar: %s", f.part, strings.Join(f.levels, ", "))
	}
	for _, item := range list.args {
		if item.op == opMinus && item.args[0].op == opNumber {
			item = &node{op: opText, text: "-" + levelText(item.args[0]), at: item.at}
		}
		level := p.word(item, "a level")
		if slices.Contains(f.levels, level) {
			p.fail(item.at, "level %q is listed twice", level)
		}
		if level == unlisted || level == lacking {
			p.fail(item.at, "%s and %s are the names of the levels of what is not listed and of what is missing", unlisted, lacking)
		}
		f.levels = append(f.levels, level)
	}
}

// unlisted is the level of labels that are no level, lacking that of rows without a label.
const unlisted, lacking = "__other__", "__missing__"
