package quantity

import (
	"math"
	"unicode/utf8"
)

// ParseForm reads a linear form or a function of one. Names that named tells of
// stand for forms; named may be nil. The error is an *Error.
func ParseForm(text string, named func(name string) (Form, bool)) (Form, error) {
	p, err := newParser(text, named)
	if err != nil {
		return Form{}, err
	}
	f, err := p.sum()
	if err != nil {
		return Form{}, err
	}
	if err := p.end(); err != nil {
		return Form{}, err
	}
	return p.whole(f)
}

// ParseComparison reads a comparison and returns the linear form that is positive where
// it holds. Variables have densities: > and >= are the same.
func ParseComparison(text string, named func(name string) (Form, bool)) (Form, error) {
	p, err := newParser(text, named)
	if err != nil {
		return Form{}, err
	}
	f, err := p.comparison()
	if err != nil {
		return Form{}, err
	}
	return f, p.end()
}

// Condition is what an alert watches for: that a probability or, with a name, the
// figure of that quantity, exceeds a bound.
type Condition struct {
	Positive Form   // of `P(comparison) > bound`
	Name     string // of `name > bound`
	Bound    float64
}

// ParseCondition reads `P(comparison) > bound` or `name > bound`.
func ParseCondition(text string, named func(name string) (Form, bool)) (Condition, error) {
	p, err := newParser(text, named)
	if err != nil {
		return Condition{}, err
	}
	var c Condition
	first := p.token
	if first.kind != tokenName {
		return c, p.fail("expected P(...) or the name of a quantity")
	}
	if err := p.advance(); err != nil {
		return c, err
	}
	if c.Name = first.text; first.text == "P" && !first.quoted && p.is("(") {
		c.Name = ""
		if err := p.advance(); err != nil {
			return c, err
		}
		if c.Positive, err = p.comparison(); err != nil {
			return c, err
		}
		if err := p.take(")"); err != nil {
			return c, err
		}
	}
	if !p.is(">") && !p.is(">=") {
		return c, p.fail("expected > and a number: P(lift > 0) > 0.99; for less, compare the other way round: P(lift < 0) > 0.99")
	}
	if err := p.advance(); err != nil {
		return c, err
	}
	at := p.token.at
	bound, err := p.sum()
	if err != nil {
		return c, err
	}
	if !bound.isConstant() || !bound.finite() {
		return c, p.lexer.fail(at, "the bound of an alert is a number")
	}
	if c.Bound = bound.Const; c.Name == "" && !(c.Bound > 0 && c.Bound < 1) {
		return c, p.lexer.fail(at, "a probability is compared with a number between 0 and 1")
	}
	return c, p.end()
}

// parser reads an expression token by token.
type parser struct {
	lexer
	token token // at hand
	named func(string) (Form, bool)
	depth int
}

func newParser(text string, named func(string) (Form, bool)) (*parser, error) {
	p := &parser{lexer: lexer{text: text}, named: named}
	switch {
	case len(text) > MaxBytes:
		p.text = text[:40]
		return nil, p.lexer.fail(0, "an expression of %d bytes; at most %d are read", len(text), MaxBytes)
	case !utf8.ValidString(text):
		return nil, &Error{text, 1, "not UTF-8"}
	}
	return p, p.advance()
}

func (p *parser) advance() (err error) {
	p.token, err = p.next()
	return err
}

func (p *parser) is(mark string) bool { return p.token.kind == tokenMark && p.token.text == mark }

// fail says what is wrong with the token at hand.
func (p *parser) fail(what string) error {
	if p.token.kind == tokenEnd {
		return p.lexer.fail(p.token.at, "%s, found the end", what)
	}
	return p.lexer.fail(p.token.at, "%s, found %q", what, p.token.text)
}

func (p *parser) take(mark string) error {
	if !p.is(mark) {
		return p.fail("expected " + mark)
	}
	return p.advance()
}

func (p *parser) end() error {
	if p.token.kind != tokenEnd {
		return p.fail("expected an operator or the end")
	}
	return nil
}

// whole checks a form that is complete.
func (p *parser) whole(f Form) (Form, error) {
	f.tidy()
	switch {
	case f.isConstant() || f.Scale == 0:
		return f, p.lexer.fail(0, "has no variable")
	case !f.finite():
		return f, p.lexer.fail(0, "has a number that is too large")
	case len(f.Terms) > maxTerms:
		return f, p.lexer.fail(0, "has %d variables; at most %d are combined", len(f.Terms), maxTerms)
	}
	return f, nil
}

func (p *parser) comparison() (Form, error) {
	start := p.token.at
	left, err := p.sum()
	if err != nil {
		return left, err
	}
	sign := 1.0
	switch {
	case p.is(">") || p.is(">="):
	case p.is("<") || p.is("<="):
		sign = -1
	default:
		return left, p.fail("expected a comparison, > or <")
	}
	at := p.token.at
	if err := p.advance(); err != nil {
		return left, err
	}
	right, err := p.sum()
	if err != nil {
		return left, err
	}
	right.times(-1)
	if !left.plus(&right) {
		return left, p.lexer.fail(at, "%s", alone)
	}
	left.times(sign)
	if why := left.positive(); why != "" {
		return left, p.lexer.fail(start, "%s", why)
	}
	return p.whole(left)
}

const alone = "exp, log or sqrt of variables cannot be added to or compared with other variables"

func (p *parser) sum() (Form, error) {
	if p.depth++; p.depth > maxDepth {
		return Form{}, p.fail("nested too deeply")
	}
	defer func() { p.depth-- }()
	sign := 1.0
	if p.is("-") || p.is("+") {
		if p.is("-") {
			sign = -1
		}
		if err := p.advance(); err != nil {
			return Form{}, err
		}
	}
	total, err := p.product()
	if err != nil {
		return total, err
	}
	total.times(sign)
	for p.is("+") || p.is("-") {
		at, sign := p.token.at, 1.0
		if p.is("-") {
			sign = -1
		}
		if err := p.advance(); err != nil {
			return total, err
		}
		next, err := p.product()
		if err != nil {
			return total, err
		}
		next.times(sign)
		if !total.plus(&next) {
			return total, p.lexer.fail(at, "%s", alone)
		}
	}
	return total, nil
}

func (p *parser) product() (Form, error) {
	total, err := p.factor()
	if err != nil {
		return total, err
	}
	for p.is("*") || p.is("/") {
		by, at := p.token.text, p.token.at
		if err := p.advance(); err != nil {
			return total, err
		}
		next, err := p.factor()
		if err != nil {
			return total, err
		}
		switch {
		case by == "*" && total.isConstant():
			c := total.Const
			total = next
			total.times(c)
		case by == "*" && next.isConstant():
			total.times(next.Const)
		case by == "*":
			return total, p.lexer.fail(at, "a product of two variables is not a linear form")
		case !next.isConstant():
			return total, p.lexer.fail(at, "a divisor has to be a number")
		case next.Const == 0:
			return total, p.lexer.fail(at, "a division by 0")
		default:
			total.times(1 / next.Const)
		}
	}
	return total, nil
}

func (p *parser) factor() (Form, error) {
	t := p.token
	switch {
	case p.is("("):
		return p.inside()
	case t.kind == tokenNumber:
		return constant(t.number), p.advance()
	case t.kind != tokenName:
		return Form{}, p.fail("expected a variable or a number")
	}
	if err := p.advance(); err != nil {
		return Form{}, err
	}
	if p.is("(") && !t.quoted {
		return p.function(t)
	}
	if p.named != nil {
		if f, ok := p.named(t.text); ok {
			f.Terms = append([]Term(nil), f.Terms...)
			return f, nil
		}
	}
	return Form{Terms: []Term{{t.text, 1}}, Scale: 1}, nil
}

// inside reads a sum in parentheses.
func (p *parser) inside() (Form, error) {
	if err := p.take("("); err != nil {
		return Form{}, err
	}
	f, err := p.sum()
	if err != nil {
		return f, err
	}
	return f, p.take(")")
}

func (p *parser) function(t token) (Form, error) {
	name := Function(t.text)
	switch name {
	case Exp, Log, Sqrt:
	default:
		return Form{}, p.lexer.fail(t.at, "%s is none of the functions exp, log, sqrt", t.text)
	}
	f, err := p.inside()
	switch {
	case err != nil:
	case f.isConstant():
		if f.Const = name.At(f.Const); math.IsNaN(f.Const) || math.IsInf(f.Const, 0) {
			err = p.lexer.fail(t.at, "%s of this number is not a number", t.text)
		}
	case f.Function != Identity:
		err = p.lexer.fail(t.at, "a function of a function")
	default:
		f.Function, f.Shift, f.Scale = name, 0, 1
	}
	return f, err
}
