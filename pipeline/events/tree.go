package events

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/cdf"
)

// Place is a path below a row: the row itself, or a field.
type Place int32

// Root is the row.
const Root Place = 0

// tree remembers the paths that records had. It makes the next record cheap and
// decides nothing.
type tree struct {
	nodes []node
	paths map[string]Place // the first place of each path
	bytes int
}

type node struct {
	name, path string
	parent     Place
	children   []Place
	index      map[string]Place // of many children
	next       int              // the child that is likely to come next
	used       bool             // it, or what is below it, may be used
	named      int              // index into Wanted, -1
	same       Place            // the first place of this path
	met        uint64           // the last record that has it
	column     int              // in that record, -1: none yet
}

const (
	keptBytes = 1 << 20 // of what a tree or a buffer keeps from record to record
	fewFields = 8       // that are looked through one by one
	maxPath   = 1024    // bytes of a path
	// Depth is how deep objects may lie in each other.
	Depth = 64
)

// reset lets go of a tree that has grown too large.
func (t *tree) reset(columns int) {
	if t.paths == nil || len(t.nodes) > 4*columns+fewFields || t.bytes > keptBytes {
		*t = tree{nodes: append(t.nodes[:0], node{used: true, named: -1, column: -1}), paths: map[string]Place{}}
	}
}

// child returns the place of a field below a place.
func (s *Sheet) child(parent Place, name []byte) (Place, error) {
	p := &s.tree.nodes[parent]
	if p.next < len(p.children) {
		if c := p.children[p.next]; s.tree.nodes[c].name == string(name) {
			p.next++
			return c, nil
		}
	}
	if p.index != nil {
		if c, ok := p.index[string(name)]; ok {
			return c, nil
		}
		return s.grow(parent, name)
	}
	for i, c := range p.children {
		if s.tree.nodes[c].name == string(name) {
			p.next = i + 1
			return c, nil
		}
	}
	return s.grow(parent, name)
}

// grow adds a place.
func (s *Sheet) grow(parent Place, name []byte) (Place, error) {
	t := &s.tree
	path := string(name)
	if parent != Root {
		path = t.nodes[parent].path + "." + path
	}
	if len(path) > maxPath {
		return 0, fmt.Errorf("%w: $.%.64s: a path of %d bytes; %d are the most", cdf.ErrSchema, path, len(path), maxPath)
	}
	at := Place(len(t.nodes))
	first, ok := t.paths[path]
	if !ok {
		t.paths[path] = at
		first = at
	}
	t.nodes = append(t.nodes, node{
		name: path[len(path)-len(name):], path: path, parent: parent,
		used: s.wanted.Below(path), named: s.wanted.find(path), same: first, column: -1,
	})
	t.bytes += len(path)
	p := &t.nodes[parent]
	p.children = append(p.children, at)
	p.next = len(p.children)
	switch {
	case p.index != nil:
		p.index[t.nodes[at].name] = at
	case len(p.children) > fewFields:
		p.index = make(map[string]Place)
		for _, c := range p.children {
			p.index[t.nodes[c].name] = c
		}
	}
	return at, nil
}

// Path names a place in messages: $.customer.age, and $[3].customer.age where the
// rows are items of an array.
func (s *Sheet) Path(p Place) string {
	var b strings.Builder
	b.WriteString(s.base)
	if s.Items {
		b.WriteString("[" + strconv.Itoa(max(s.rows-1, 0)) + "]")
	}
	if p != Root {
		path := s.tree.nodes[p].path
		b.WriteByte('.')
		b.WriteString(strings.ToValidUTF8(path[:min(len(path), 200)], "\uFFFD"))
	}
	return b.String()
}
