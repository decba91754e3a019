package formula

import (
	"strconv"
	"strings"
	"unicode"
)

// node is an expression that is computed: what stands for itself in a term.
type node struct {
	op    op
	text  string // name, function, sign of an operation, number as written, or text
	value float64
	args  []*node
	keys  []string // of a call: the keyword of each argument, "" where it has none
	at    int
}

type op uint8

const (
	opName op = iota
	opNumber
	opSpan
	opText
	opList
	opCall
	opBraces // {expression}
	opMinus
	opBinary
	opCompare
)

// precedence of what a node prints, the tightest last.
const (
	precCompare = 1 + iota
	precSum
	precProduct
	precMinus
	precPower
	precAtom
)

func (n *node) precedence() int {
	switch {
	case n.op == opCompare:
		return precCompare
	case n.op == opMinus:
		return precMinus
	case n.op == opBinary && n.text == "**":
		return precPower
	case n.op == opBinary && (n.text == "+" || n.text == "-"):
		return precSum
	case n.op == opBinary:
		return precProduct
	}
	return precAtom
}

// String writes the expression as formulaic does, which is Python's own form.
func (n *node) String() string {
	var b strings.Builder
	n.write(&b, 0)
	return b.String()
}

// label is String but of a column's name, which is itself.
func (n *node) label() string {
	if n.op == opName {
		return n.text
	}
	return n.String()
}

func (n *node) write(b *strings.Builder, least int) {
	p := n.precedence()
	if p < least {
		b.WriteByte('(')
		n.write(b, 0)
		b.WriteByte(')')
		return
	}
	switch n.op {
	case opName:
		if isWord(n.text) {
			b.WriteString(n.text)
		} else {
			b.WriteString("`" + n.text + "`")
		}
	case opNumber:
		b.WriteString(numberText(n.text, n.value))
	case opSpan:
		b.WriteString(n.text)
	case opText:
		b.WriteString(quote(n.text))
	case opBraces:
		n.args[0].write(b, 0)
	case opList, opCall:
		open, closed := "[", "]"
		if n.op == opCall {
			open, closed = n.text+"(", ")"
		}
		b.WriteString(open)
		for i, a := range n.args {
			if i > 0 {
				b.WriteString(", ")
			}
			if n.op == opCall && n.keys[i] != "" {
				b.WriteString(n.keys[i] + "=")
			}
			a.write(b, 0)
		}
		b.WriteString(closed)
	case opMinus:
		b.WriteByte('-')
		n.args[0].write(b, p)
	default:
		left, right := p, p+1
		switch {
		case n.op == opCompare:
			left = p + 1
		case n.text == "**":
			left, right = p+1, p
		}
		n.args[0].write(b, left)
		b.WriteString(" " + n.text + " ")
		n.args[1].write(b, right)
	}
}

// isWord reports whether a name needs no backticks.
func isWord(s string) bool {
	for i, r := range s {
		if !unicode.IsLetter(r) && r != '_' && (i == 0 || !unicode.IsDigit(r) && r != '.') {
			return false
		}
	}
	return s != "" && s != "True" && s != "False" && s != "true" && s != "false"
}

// numberText writes a number as Python does: whole ones as they stand, others in
// the fewest digits.
func numberText(written string, v float64) string {
	if written == "True" || written == "False" {
		return written
	}
	if strings.Trim(written, "0123456789") == "" {
		if written = strings.TrimLeft(written, "0"); written == "" {
			return "0"
		}
		return written
	}
	e := strconv.FormatFloat(v, 'e', -1, 64)
	power, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
	if power < -4 || power >= 16 {
		return e
	}
	f := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(f, ".") {
		f += ".0"
	}
	return f
}

// quote writes a text as Python does.
func quote(s string) string {
	q := "'"
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		q = `"`
	}
	return q + strings.NewReplacer(`\`, `\\`, q, `\`+q).Replace(s) + q
}

// names calls each with the name of every column of the expression, from left to
// right.
func (n *node) names(each func(name string, at int)) {
	if n.op == opName {
		each(n.text, n.at)
	}
	if n.op == opCall && n.text == "C" {
		n.args[0].names(each)
		return
	}
	for _, a := range n.args {
		a.names(each)
	}
}
