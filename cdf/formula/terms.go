package formula

import (
	"slices"
	"strings"
)

// term is a product of atoms, each once. The intercept has none.
type term []*atom

// key tells a term from others, whatever the order of its factors.
func (t term) key() string {
	keys := make([]string, 0, len(t))
	for _, a := range t {
		keys = append(keys, a.key)
	}
	slices.Sort(keys)
	return strings.Join(keys, "\x00")
}

// times returns the product of two terms.
func (t term) times(other term) term {
	product := slices.Clone(t)
	for _, a := range other {
		if !slices.ContainsFunc(product, func(b *atom) bool { return b.key == a.key }) {
			product = append(product, a)
		}
	}
	return product
}

// terms is a set of terms in the order in which they came.
type terms struct {
	terms []term
	known map[string]bool
}

func setOf(list ...term) *terms {
	s := &terms{known: map[string]bool{}}
	for _, t := range list {
		s.add(t)
	}
	return s
}

func (s *terms) has(t term) bool { return s.known[t.key()] }

func (s *terms) add(t term) {
	if k := t.key(); !s.known[k] {
		s.known[k] = true
		s.terms = append(s.terms, t)
	}
}

func (s *terms) remove(list ...term) {
	before := len(s.known)
	for _, t := range list {
		delete(s.known, t.key())
	}
	if len(s.known) < before {
		s.terms = slices.DeleteFunc(s.terms, func(u term) bool { return !s.known[u.key()] })
	}
}

// expansion makes terms of a tree.
type expansion struct {
	parser *parser
	dots   bool    // a point was met
	all    []term  // what the point stands for
	atoms  []*atom // all that were met
	byKey  map[string]*atom
}

// mostTerms bounds the terms of a formula.
const mostTerms = 10_000

// outer expands a whole right side, which has an intercept unless it is taken away,
// and puts the terms of fewer factors first.
func (x *expansion) outer(t *tree) *terms {
	s := setOf(nil)
	if t != nil {
		x.into(s, t)
	}
	slices.SortStableFunc(s.terms, func(a, b term) int { return len(a) - len(b) })
	return s
}

// into adds a sum to a set, or takes from it.
func (x *expansion) into(s *terms, t *tree) {
	if t.op != "+" && t.op != "-" {
		x.one(s, t, false)
		return
	}
	if t.left != nil {
		x.into(s, t.left)
	}
	x.one(s, t.right, t.op == "-")
}

// one adds or takes away a summand. 0 is the intercept taken away.
func (x *expansion) one(s *terms, t *tree, away bool) {
	if t.op == treeZero {
		if away {
			s.add(nil)
		} else {
			s.remove(nil)
		}
		return
	}
	if list := x.expand(t).terms; away {
		s.remove(list...)
	} else {
		for _, u := range list {
			s.add(u)
		}
	}
	if len(s.terms) > mostTerms {
		x.tooMany(t)
	}
}

func (x *expansion) tooMany(t *tree) {
	x.parser.fail(t.at, "more than %d terms", mostTerms)
}

// expand returns the terms of a tree below the top.
func (x *expansion) expand(t *tree) *terms {
	switch t.op {
	case treeAtom:
		return setOf(term{x.atom(t.leaf)})
	case treeOne:
		return setOf(nil)
	case treeDot:
		x.dots = true
		return setOf(x.all...)
	case treeZero:
		x.parser.fail(t.at, "0 is added, and is no factor: 0 + x has no intercept")
	case treeGroup:
		x.parser.fail(t.at, "a group term stands by itself: + (1 | shop)")
	case treeOffset:
		x.parser.fail(t.at, "an offset stands by itself: + %s", t.leaf)
	case "+", "-":
		s := setOf()
		x.into(s, t)
		return s
	case "**":
		s := x.expand(t.left)
		base := s
		for range t.power - 1 {
			s = x.product(t, s, base)
		}
		return s
	}
	left, right := x.expand(t.left), x.expand(t.right)
	switch t.op {
	case ":":
		return x.product(t, left, right)
	case "*":
		s := setOf(append(slices.Clone(left.terms), right.terms...)...)
		for _, u := range x.product(t, left, right).terms {
			s.add(u)
		}
		return s
	}
	var all term // of a / b: b within what all of a make together
	for _, u := range left.terms {
		all = all.times(u)
	}
	s := setOf(left.terms...)
	for _, u := range right.terms {
		s.add(all.times(u))
	}
	return s
}

func (x *expansion) product(t *tree, left, right *terms) *terms {
	if len(left.terms)*len(right.terms) > mostTerms {
		x.tooMany(t)
	}
	s := setOf()
	for _, u := range left.terms {
		for _, v := range right.terms {
			s.add(u.times(v))
		}
	}
	return s
}

// atom returns the atom of an expression, the same for the same.
func (x *expansion) atom(n *node) *atom {
	a := x.parser.atomOf(n)
	if known := x.byKey[a.key]; known != nil {
		return known
	}
	if x.byKey == nil {
		x.byKey = map[string]*atom{}
	}
	x.byKey[a.key], x.atoms = a, append(x.atoms, a)
	return a
}
