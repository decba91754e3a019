package formula

import (
	"fmt"
	"slices"
)

// tree is the right side of a formula as it is written: operations on sets of
// terms.
type tree struct {
	op          string // an operator, or one of the below
	at          int
	left, right *tree
	leaf        *node // of an atom, a group (its column) and an offset (its call)
	power       int   // of "**"
}

const (
	treeAtom   = "atom"
	treeOne    = "1"
	treeZero   = "0"
	treeDot    = "."
	treeGroup  = "|"
	treeOffset = "offset"
)

// parser reads tokens. Its errors are panics of *Error, which Parse recovers.
type parser struct {
	source string
	tokens []token
	next   int
	depth  int
}

// deepest bounds how deep brackets and signs may be nested.
const deepest = 50

func (p *parser) fail(at int, format string, args ...any) {
	panic(&Error{p.source, at, fmt.Sprintf(format, args...)})
}

func (p *parser) peek() token { return p.tokens[p.next] }

func (p *parser) take() token {
	t := p.tokens[p.next]
	if t.kind != end {
		p.next++
	}
	return t
}

// is reports whether the next token is one of the signs.
func (p *parser) is(signs ...string) bool {
	t := p.peek()
	return t.kind == sign && slices.Contains(signs, t.text)
}

func (p *parser) accept(s string) bool {
	if !p.is(s) {
		return false
	}
	p.next++
	return true
}

func (p *parser) expect(s, why string) {
	if !p.accept(s) {
		p.fail(p.peek().at, "%s: %q is expected here", why, s)
	}
}

func (p *parser) deeper() {
	if p.depth++; p.depth > deepest {
		p.fail(p.peek().at, "brackets and signs are nested more than %d deep", deepest)
	}
}

// formula reads all of it.
func (p *parser) formula() (response *node, right *tree) {
	if p.is("~") {
		p.fail(p.peek().at, "the response is missing: a formula is `response ~ terms`")
	}
	response = p.factor()
	if p.is("+", "-", "*", "/", ":", "|") {
		p.fail(p.peek().at, "a model has one response; write arithmetic as {a + b} or I(a + b)")
	}
	p.expect("~", "after the response")
	right = p.sum()
	if t := p.peek(); t.kind != end {
		p.stray(t)
	}
	return response, right
}

// stray reports a token that fits nowhere.
func (p *parser) stray(t token) {
	switch {
	case t.kind == sign && t.text == "|":
		p.fail(t.at, "a group term stands in brackets: (1 | shop)")
	case t.kind == sign && (t.text == ")" || t.text == "]" || t.text == "}"):
		p.fail(t.at, "%q closes nothing", t.text)
	case t.kind == sign && t.text == "~":
		p.fail(t.at, "a second ~")
	case t.kind == sign && t.text == "=":
		p.fail(t.at, "= compares nothing: ==")
	case t.kind == sign:
		p.fail(t.at, "%q is no operator between terms; arithmetic stands in {...} or I(...)", t.text)
	}
	p.fail(t.at, "an operator is missing before this")
}

func (p *parser) sum() *tree {
	p.deeper()
	defer func() { p.depth-- }()
	var left *tree
	if p.is("+", "-") {
		t := p.take()
		left = &tree{op: t.text, at: t.at, right: p.product()}
	} else {
		left = p.product()
	}
	for p.is("+", "-") {
		t := p.take()
		left = &tree{op: t.text, at: t.at, left: left, right: p.product()}
	}
	return left
}

func (p *parser) product() *tree {
	left := p.colon()
	for p.is("*", "/", "%in%") {
		t := p.take()
		right := p.colon()
		if t.text == "%in%" {
			left, right, t.text = right, left, "/"
		}
		left = &tree{op: t.text, at: t.at, left: left, right: right}
	}
	return left
}

func (p *parser) colon() *tree {
	left := p.power()
	for p.is(":") {
		t := p.take()
		left = &tree{op: ":", at: t.at, left: left, right: p.power()}
	}
	return left
}

func (p *parser) power() *tree {
	left := p.term()
	for p.is("**", "^") {
		t := p.take()
		n := p.take()
		if n.kind != number || n.value < 1 || n.value > mostPower || n.value != float64(int(n.value)) {
			p.fail(n.at, "terms are taken to a power from 1 to %d; the power of a number stands in {...} or I(...)", mostPower)
		}
		left = &tree{op: "**", at: t.at, left: left, power: int(n.value)}
	}
	return left
}

// mostPower bounds the orders of interaction that ** asks for.
const mostPower = 10

func (p *parser) term() *tree {
	t := p.peek()
	switch {
	case t.kind == sign && t.text == "(":
		p.next++
		inner := p.sum()
		if p.accept("|") {
			inner = &tree{op: treeGroup, at: t.at, left: inner, leaf: p.group()}
		}
		p.expect(")", "brackets are not closed")
		return inner
	case t.kind == number && (t.value == 0 || t.value == 1):
		p.next++
		if t.value == 0 {
			return &tree{op: treeZero, at: t.at}
		}
		return &tree{op: treeOne, at: t.at}
	case t.kind == word && t.text == ".":
		p.next++
		return &tree{op: treeDot, at: t.at}
	}
	leaf := p.factor()
	if leaf.op == opCall && (leaf.text == "offset" || leaf.text == "exposure") {
		return &tree{op: treeOffset, at: leaf.at, leaf: leaf}
	}
	return &tree{op: treeAtom, at: leaf.at, leaf: leaf}
}

// group reads the column behind the bar of a group term.
func (p *parser) group() *node {
	n := p.atom()
	if n.op != opName || p.is(":", "/", "*", "+") {
		p.fail(n.at, "groups are named by one column: (1 | shop); for crossed ones write a group term each")
	}
	return n
}

// factor reads what stands for itself in a term: a name, a call, {arithmetic}, or a
// comparison of two of them.
func (p *parser) factor() *node {
	t := p.peek()
	if p.accept("{") {
		n := &node{op: opBraces, args: []*node{p.arithmetic()}, at: t.at}
		p.expect("}", "braces are not closed")
		return n
	}
	left := p.atom()
	if p.is("==", "!=", "<", "<=", ">", ">=") {
		t := p.take()
		return &node{op: opCompare, text: t.text, args: []*node{left, p.minus()}, at: left.at}
	}
	switch left.op {
	case opNumber, opSpan:
		p.fail(left.at, "a number is no term, but for 1 and 0, the intercept and none; arithmetic stands in {...} or I(...)")
	case opText:
		p.fail(left.at, "a text is no term; a column's name stands in backticks")
	case opList:
		p.fail(left.at, "a list is no term")
	}
	return left
}

func (p *parser) arithmetic() *node {
	p.deeper()
	defer func() { p.depth-- }()
	left := p.plus()
	if p.is("==", "!=", "<", "<=", ">", ">=") {
		t := p.take()
		left = &node{op: opCompare, text: t.text, args: []*node{left, p.plus()}, at: left.at}
		if p.is("==", "!=", "<", "<=", ">", ">=") {
			p.fail(p.peek().at, "one comparison at a time")
		}
	}
	return left
}

func (p *parser) plus() *node {
	left := p.times()
	for p.is("+", "-") {
		t := p.take()
		left = &node{op: opBinary, text: t.text, args: []*node{left, p.times()}, at: left.at}
	}
	return left
}

func (p *parser) times() *node {
	left := p.minus()
	for p.is("*", "/", "//", "%") {
		t := p.take()
		left = &node{op: opBinary, text: t.text, args: []*node{left, p.minus()}, at: left.at}
	}
	return left
}

func (p *parser) minus() *node {
	p.deeper()
	defer func() { p.depth-- }()
	t := p.peek()
	if p.accept("-") {
		return &node{op: opMinus, args: []*node{p.minus()}, at: t.at}
	}
	if p.accept("+") {
		return p.minus()
	}
	left := p.atom()
	if p.is("**", "^") {
		p.next++
		left = &node{op: opBinary, text: "**", args: []*node{left, p.minus()}, at: left.at}
	}
	return left
}

// atom reads a name, a number, a text, a list, a call or what stands in brackets.
func (p *parser) atom() *node {
	t := p.take()
	switch t.kind {
	case quoted:
		return &node{op: opName, text: t.text, at: t.at}
	case number:
		return &node{op: opNumber, text: t.text, value: t.value, at: t.at}
	case span:
		return &node{op: opSpan, text: t.text, value: t.value, at: t.at}
	case text:
		return &node{op: opText, text: t.text, at: t.at}
	case word:
		if p.accept("(") {
			return p.call(t)
		}
		switch t.text {
		case "True", "true", "TRUE":
			return &node{op: opNumber, text: "True", value: 1, at: t.at}
		case "False", "false", "FALSE":
			return &node{op: opNumber, text: "False", at: t.at}
		case ".":
			p.fail(t.at, "the point stands for terms, and not for a number")
		}
		return &node{op: opName, text: t.text, at: t.at}
	case sign:
		switch t.text {
		case "(":
			n := p.arithmetic()
			p.expect(")", "brackets are not closed")
			return n
		case "[":
			n := &node{op: opList, at: t.at}
			for !p.accept("]") {
				n.args = append(n.args, p.arithmetic())
				if !p.is("]") {
					p.expect(",", "a list is not closed")
				}
			}
			return n
		}
		p.fail(t.at, "a name or a number is expected here, and not %q", t.text)
	}
	p.fail(t.at, "the formula ends where a name or a number is expected")
	return nil
}

// call reads the arguments of a function whose bracket is open.
func (p *parser) call(name token) *node {
	p.deeper()
	defer func() { p.depth-- }()
	n := &node{op: opCall, text: name.text, at: name.at}
	for !p.accept(")") {
		key := ""
		if t := p.peek(); t.kind == word && p.next+1 < len(p.tokens) && p.tokens[p.next+1].kind == sign && p.tokens[p.next+1].text == "=" {
			key = t.text
			p.next += 2
		}
		arg := p.arithmetic()
		if key == "" && len(n.keys) > 0 && n.keys[len(n.keys)-1] != "" {
			p.fail(arg.at, "an argument without a name stands before those with one")
		}
		n.args, n.keys = append(n.args, arg), append(n.keys, key)
		if !p.is(")") {
			p.expect(",", "the brackets of "+name.text+" are not closed")
		}
	}
	p.settle(n)
	return n
}
