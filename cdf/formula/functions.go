package formula

import (
	"math"
	"slices"
	"strings"
)

// elementary are the functions that are taken of every number by itself.
var elementary = map[string]func(float64) float64{
	"log": math.Log, "log10": math.Log10, "log2": math.Log2, "log1p": math.Log1p,
	"exp": math.Exp, "expm1": math.Expm1, "sqrt": math.Sqrt, "abs": math.Abs,
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "floor": math.Floor, "ceil": math.Ceil,
	"I": func(v float64) float64 { return v },
}

// elementaryOf returns the function of that name, which may stand behind np as in
// Python.
func elementaryOf(name string) func(float64) float64 {
	if bare, np := strings.CutPrefix(name, "np."); np && bare != "I" {
		name = bare
	}
	return elementary[name]
}

// whole are the functions that make more than one column, a factor or no feature: they
// are terms, and stand in no other expression.
var whole = []string{"C", "poly", "bs", "season", "offset", "exposure"}

// refused are functions of other programs that would need all of the data, or that
// have another name here.
var refused = map[string]string{
	"center":      "it needs the mean of all rows, which a stream does not have; columns are centred anyway by the first rows of a key, and I(x - 10) centres by a number",
	"scale":       "it needs mean and deviation of all rows, which a stream does not have; columns are scaled anyway by the first rows of a key, and I((x - 10) / 3) scales by numbers",
	"standardize": "it needs mean and deviation of all rows, which a stream does not have; columns are scaled anyway by the first rows of a key, and I((x - 10) / 3) scales by numbers",
	"ns":          "its knots at the ends come from the data; bs(x, knots=[...], lower_bound=..., upper_bound=...) has all of them given",
	"cr":          "its constraints come from the data; bs(x, knots=[...], lower_bound=..., upper_bound=...) has all knots given",
	"cs":          "its constraints come from the data; bs(x, knots=[...], lower_bound=..., upper_bound=...) has all knots given",
	"cc":          "its constraints come from the data; season(x, period, k) is a curve that closes",
	"s":           "smooths have penalties, which no kind has; bs(x, knots=[...], lower_bound=..., upper_bound=...) is a curve with given knots",
	"te":          "smooths have penalties, which no kind has; bs(x, ...):bs(z, ...) is a surface with given knots",
	"lag":         "it needs the rows before, and a shard's rows have no order between shards; let producers send the lagged column",
	"hashed":      "C(x, other=level) gathers what is not listed in one level",
	"factor":      "it is C(x) here",
	"Q":           "a column's name stands in backticks",
	"yday":        "it is dayofyear(x) here",
}

// settle checks the name of a call and gives words among its arguments their meaning.
func (p *parser) settle(n *node) {
	_, dated := parts[n.text]
	switch {
	case n.text == "contr.treatment" || n.text == "Treatment":
		p.wordsAreText(n, 0, "base", "reference")
		return
	case n.text == "C":
		p.wordsAreText(n, 1, "levels", "baseline", "other", "missing")
		return
	case n.text == "bs":
		p.wordsAreText(n, len(n.args), "extrapolation")
		return
	case slices.Contains(whole, n.text):
		return
	case dated || elementaryOf(n.text) != nil:
		if len(n.args) != 1 || n.keys[0] != "" {
			p.fail(n.at, "%s takes one argument: %s(x)", n.text, n.text)
		}
		return
	}
	if why, known := refused[n.text]; known {
		p.fail(n.at, "%s is not there: %s", n.text, why)
	}
	if strings.HasPrefix(n.text, "contr.") || n.text == "Sum" || n.text == "Poly" || n.text == "Helmert" || n.text == "Diff" {
		p.fail(n.at, "%s is not there: factors are coded against a baseline, contr.treatment", n.text)
	}
	p.fail(n.at, "no function is named %q; there are %s", n.text, strings.Join(functionNames(), ", "))
}

func functionNames() []string {
	all := slices.Clone(whole)
	for name := range elementary {
		all = append(all, name)
	}
	for name := range parts {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// wordsAreText makes bare words texts, among the arguments from the given one on and
// those with one of the keywords.
func (p *parser) wordsAreText(n *node, from int, keys ...string) {
	for i, a := range n.args {
		if key := n.keys[i]; key == "" && i < from || key != "" && !slices.Contains(keys, key) {
			continue
		}
		if a.op == opName {
			a.op = opText
		}
		if a.op == opList {
			for _, item := range a.args {
				if item.op == opName {
					item.op = opText
				}
			}
		}
	}
}

// numeric checks an expression that is computed for every row.
func (p *parser) numeric(n *node) {
	switch n.op {
	case opText:
		p.fail(n.at, "a text can only be compared, with == or !=")
	case opList:
		p.fail(n.at, "a list is no number")
	case opSpan:
		p.fail(n.at, "a span of time stands in season(x, 24h, 2) only")
	case opCall:
		switch {
		case slices.Contains(whole, n.text):
			p.fail(n.at, "%s(...) is a term of its own and no number", n.text)
		case n.text == "contr.treatment" || n.text == "Treatment":
			p.fail(n.at, "%s stands in C(x, %s(...)) only", n.text, n.text)
		case n.text == "weekday":
			p.fail(n.at, "weekday(x) is a factor and no number; it can be compared: I(weekday(x) == 'sat')")
		case parts[n.text] != nil && n.args[0].op != opName:
			p.fail(n.args[0].at, "%s takes a column of times", n.text)
		}
	case opCompare:
		l, r := n.args[0], n.args[1]
		if r.op == opText {
			l, r = r, l
		}
		if l.op == opText {
			if n.text != "==" && n.text != "!=" {
				p.fail(n.at, "texts are equal or not: == or !=")
			}
			if r.op != opName && !isWeekday(r) {
				p.fail(r.at, "a text is compared with a column, or with weekday(x)")
			}
			if isWeekday(r) && r.args[0].op != opName {
				p.fail(r.args[0].at, "weekday takes a column of times")
			}
			if isWeekday(r) && !slices.Contains(weekdays, l.text) {
				p.fail(l.at, "weekdays are %s", strings.Join(weekdays, ", "))
			}
			return
		}
	}
	for _, a := range n.args {
		p.numeric(a)
	}
}

func isWeekday(n *node) bool { return n.op == opCall && n.text == "weekday" }
