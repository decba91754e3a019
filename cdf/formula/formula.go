package formula

import (
	"slices"

	"github.com/credence-stream/credence/cdf"
)

// Formula is a formula that was read. It does not change and is safe for concurrent
// use.
type Formula struct {
	text      string
	response  *node
	name      string  // of the response
	right     *tree   // the features, without groups and offset
	terms     []term  // of the formula as it stands, where it has no point
	dots      bool    // it has a point, so that the terms depend on the first shard
	explicit  []*atom // all that are written, in their order
	intercept bool
	groups    []grouping
	offset    *node    // what is to be the exposure, nil: none
	raw       []string // the columns that are named
	answers   []string // those of them that the response is made of
}

// grouping is one group term.
type grouping struct {
	column string
	slopes []*node
}

// Parse reads a formula. The error is an *Error.
func Parse(source string) (f *Formula, err error) {
	tokens, err := lex(source)
	if err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			e, ours := r.(*Error)
			if !ours {
				panic(r)
			}
			f, err = nil, e
		}
	}()
	p := &parser{source: source, tokens: tokens}
	response, right := p.formula()
	f = &Formula{response: response, name: response.label()}
	if a := p.atomOf(response); a.factor != nil || a.several != nil {
		p.fail(response.at, "the response is a number")
	}
	right = f.takeAside(p, right)
	f.right = right
	x := &expansion{parser: p}
	set := x.outer(right)
	f.terms, f.dots, f.explicit = set.terms, x.dots, x.atoms
	f.intercept = set.has(nil)
	f.text = flat(source)
	f.collect()
	return f, nil
}

// String returns the formula on one line, otherwise as it was written.
func (f *Formula) String() string { return f.text }

// MarshalText implements encoding.TextMarshaler: the form that a fingerprint is made of.
func (f *Formula) MarshalText() ([]byte, error) { return []byte(f.text), nil }

// Roles returns what a formula says of the columns: response, groups, exposure and
// intercept, all by the names that the columns have which the formula makes, and the
// formula itself.
func (f *Formula) Roles() cdf.Roles {
	r := cdf.Roles{Response: cdf.Feature{Name: f.name}, Features: []cdf.Feature{}, Intercept: f.intercept, Formula: f}
	for _, g := range f.groups {
		group := cdf.Group{Column: g.column}
		for _, s := range g.slopes {
			group.Slopes = append(group.Slopes, s.label())
		}
		r.Groups = append(r.Groups, group)
	}
	if f.offset != nil {
		r.Exposure = f.offset.label()
	}
	return r
}

// Features reports whether the formula has a term beyond the intercept.
func (f *Formula) Features() bool {
	return f.dots || slices.ContainsFunc(f.terms, func(t term) bool { return len(t) > 0 })
}

// Point reports whether a point stands for columns that are not named.
func (f *Formula) Point() bool { return f.dots }

// KeepsMissing reports whether a factor of the column has a level of missing values.
func (f *Formula) KeepsMissing(name string) bool {
	return slices.ContainsFunc(f.terms, func(t term) bool {
		return slices.ContainsFunc(t, func(a *atom) bool { return a.factor != nil && a.factor.gaps && a.factor.column == name })
	})
}

// Answers returns the names of the columns that the response is made of.
func (f *Formula) Answers() []string { return slices.Clone(f.answers) }

// Columns returns the names of the columns that the formula names, in their order.
func (f *Formula) Columns() []string { return slices.Clone(f.raw) }

// Moments returns the names of those of which the formula takes the calendar, or a
// season in units of time.
func (f *Formula) Moments() []string {
	var list []string
	add := func(name string, how use) {
		if how == asTime && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	nodes := []*node{f.response}
	for _, a := range f.explicit {
		switch {
		case a.factor != nil && a.factor.part != "":
			add(a.factor.column, asTime)
		case a.several != nil && a.several.timed:
			a.several.x.usesAs(add, asTime)
		case a.several != nil:
			nodes = append(nodes, a.several.x)
		case a.factor == nil:
			nodes = append(nodes, a.node)
		}
	}
	for _, g := range f.groups {
		nodes = append(nodes, g.slopes...)
	}
	if f.offset != nil {
		nodes = append(nodes, f.offset)
	}
	for _, n := range nodes {
		n.uses(add)
	}
	return list
}

// takeAside returns the tree without group terms and offsets, nil where nothing is
// left.
func (f *Formula) takeAside(p *parser, t *tree) *tree {
	switch {
	case t == nil:
		return nil
	case t.op == treeGroup:
		f.group(p, t)
		return nil
	case t.op == treeOffset:
		f.setOffset(p, t.leaf)
		return nil
	case t.op != "+" && t.op != "-":
		return t
	}
	if t.op == "-" && t.right != nil && (t.right.op == treeGroup || t.right.op == treeOffset) {
		p.fail(t.at, "group terms and offsets are added, and not taken away")
	}
	left, right := f.takeAside(p, t.left), t.right
	if t.op == "+" {
		right = f.takeAside(p, right)
	}
	if right == nil {
		return left
	}
	return &tree{op: t.op, at: t.at, left: left, right: right}
}

// group takes a group term in.
func (f *Formula) group(p *parser, t *tree) {
	g := grouping{column: t.leaf.text}
	for _, other := range f.groups {
		if other.column == g.column {
			p.fail(t.leaf.at, "column %q has a group term already: (1 + x | %s) has intercept and slopes", g.column, g.column)
		}
	}
	x := &expansion{parser: p}
	set := x.outer(t.left)
	if x.dots {
		p.fail(t.at, "the slopes of a group are listed: (1 + x | %s)", g.column)
	}
	if !set.has(nil) {
		p.fail(t.at, "groups have an intercept here: (1 + x | %s)", g.column)
	}
	for _, term := range set.terms {
		switch {
		case len(term) == 0:
		case len(term) > 1 || term[0].factor != nil || term[0].several != nil:
			p.fail(term[0].node.at, "a slope is one number: a column, or a function of columns")
		default:
			g.slopes = append(g.slopes, term[0].node)
		}
	}
	f.groups = append(f.groups, g)
}

// setOffset takes offset(log(x)), which is exposure(x), or offset of anything.
func (f *Formula) setOffset(p *parser, call *node) {
	if f.offset != nil {
		p.fail(call.at, "a second offset: add them up in one, offset(a + b)")
	}
	if len(call.args) != 1 || call.keys[0] != "" {
		p.fail(call.at, "%s takes one argument: %s(x)", call.text, call.text)
	}
	x := call.args[0]
	p.numeric(x)
	switch {
	case call.text == "exposure":
		f.offset = x
	case x.op == opCall && (x.text == "log" || x.text == "np.log"):
		f.offset = x.args[0]
	default:
		f.offset = &node{op: opCall, text: "exp", args: []*node{x}, keys: []string{""}, at: x.at}
	}
}

// collect lists the columns that are named.
func (f *Formula) collect() {
	add := func(name string, _ int) {
		if !slices.Contains(f.raw, name) {
			f.raw = append(f.raw, name)
		}
	}
	f.response.names(add)
	f.answers = slices.Clone(f.raw)
	for _, a := range f.explicit {
		a.node.names(add)
	}
	for _, g := range f.groups {
		add(g.column, 0)
		for _, s := range g.slopes {
			s.names(add)
		}
	}
	if f.offset != nil {
		f.offset.names(add)
	}
}
