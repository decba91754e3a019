package avro

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/avro"
)

// kind is what a value is, its logical type taken into account.
type kind uint8

const (
	null kind = iota
	boolean
	integer // int
	long
	float
	double
	text
	binary // bytes
	fixed
	enum
	array
	mapping
	union
	record
	day
	tick  // of a timestamp
	nano  // of a timestamp of nanoseconds
	ratio // decimal
	undefined
)

// node is a type.
type node struct {
	kind     kind
	what     string // that it is called where it is skipped
	least    int    // bytes that a value takes at least; 0: every value takes none
	measured bool   // record: least is set, or about to be
	size     int    // fixed: bytes
	per      int64  // tick: a second
	scale    int    // decimal
	symbols  [][]byte
	fields   []field
	items    *node // array, map
	branches []*node
}

type field struct {
	name []byte
	text string // the same
	node *node
}

// values appends the types that a value may have: the branches of a union, but null.
func (n *node) values(dst []*node) []*node {
	if n.kind != union {
		return append(dst, n)
	}
	for _, b := range n.branches {
		if b.kind != null {
			dst = append(dst, b)
		}
	}
	return dst
}

// object reports whether values have fields.
func (n *node) object() bool { return n.kind == record || n.kind == mapping }

// nested reports whether a union has objects.
func (n *node) nested() bool {
	return slices.ContainsFunc(n.branches, (*node).object)
}

// find returns the index of a field, -1 for none.
func (n *node) find(name string) int {
	return slices.IndexFunc(n.fields, func(f field) bool { return f.text == name })
}

// maxNodes bounds the types of a schema, maxTypes how deep they may lie in each other.
const (
	maxNodes = 1 << 16
	maxTypes = 500
)

// compiler makes nodes of a schema. Named types are nodes that several places share,
// also places within them.
type compiler struct {
	named map[string]*node // by their full names
	nodes []*node
	depth int
	space string // the namespace that names without one are of
}

var primitives = map[string]kind{
	"null": null, "boolean": boolean, "int": integer, "long": long, "float": float, "double": double, "string": text, "bytes": binary,
}

func (c *compiler) compile(s *avro.SchemaNode) (*node, error) {
	if c.depth++; c.depth > maxTypes {
		return nil, fmt.Errorf("types more than %d deep in each other", maxTypes)
	}
	defer func() { c.depth-- }()
	if len(c.nodes) >= maxNodes {
		return nil, fmt.Errorf("more than %d types", maxNodes)
	}
	n := &node{what: s.Type}
	var err error
	switch s.Type {
	case "array", "map":
		c.nodes = append(c.nodes, n)
		n.kind = array
		items := s.Items
		if s.Type == "map" {
			n.kind, items = mapping, s.Values
		}
		if items == nil {
			return nil, fmt.Errorf("%s without items", s.Type)
		}
		n.items, err = c.compile(items)
		return n, err
	case "union":
		c.nodes = append(c.nodes, n)
		n.kind = union
		for i := range s.Branches {
			b, err := c.compile(&s.Branches[i])
			if err != nil {
				return nil, err
			}
			n.branches = append(n.branches, b)
		}
		return n, nil
	case "record", "error":
		n = c.define(s)
		n.kind = record
		around := c.space
		c.space = s.Namespace
		if dot := strings.LastIndexByte(s.Name, '.'); dot >= 0 {
			c.space = s.Name[:dot]
		}
		defer func() { c.space = around }()
		for i := range s.Fields {
			f := &s.Fields[i]
			below, err := c.compile(&f.Type)
			if err != nil {
				return nil, err
			}
			n.fields = append(n.fields, field{[]byte(f.Name), f.Name, below})
		}
		return n, nil
	case "enum":
		n = c.define(s)
		n.kind = enum
		for _, symbol := range s.Symbols {
			n.symbols = append(n.symbols, []byte(symbol))
		}
		return n, nil
	case "fixed":
		n = c.define(s)
		n.kind, n.size = fixed, s.Size
		n.logical(s)
		return n, nil
	}
	if k, ok := primitives[s.Type]; ok {
		c.nodes = append(c.nodes, n)
		n.kind = k
		n.logical(s)
		return n, nil
	}
	return c.refer(s.Type), nil
}

// refer returns the node of a named type, which may be defined later.
func (c *compiler) refer(name string) *node {
	if !strings.Contains(name, ".") && c.space != "" {
		if n, ok := c.named[c.space+"."+name]; ok {
			return n
		}
	}
	if n, ok := c.named[name]; ok {
		return n
	}
	n := &node{kind: undefined, what: name}
	c.nodes = append(c.nodes, n)
	return n
}

// define returns the node of a named type that is defined here.
func (c *compiler) define(s *avro.SchemaNode) *node {
	n := c.named[fullName(s)]
	n.what = s.Type
	return n
}

// fullName is the name of a named type with its namespace.
func fullName(s *avro.SchemaNode) string {
	if s.Namespace == "" || strings.Contains(s.Name, ".") {
		return s.Name
	}
	return s.Namespace + "." + s.Name
}

// collect makes nodes of all named types that are defined at or below a type: others
// may refer to one before it is defined.
func (c *compiler) collect(s *avro.SchemaNode) {
	switch s.Type {
	case "record", "error", "enum", "fixed":
		n := &node{kind: undefined, what: fullName(s)}
		c.named[fullName(s)] = n
		c.nodes = append(c.nodes, n)
	}
	switch s.Type { // what else stands there says nothing
	case "record", "error":
		for i := range s.Fields {
			c.collect(&s.Fields[i].Type)
		}
	case "union":
		for i := range s.Branches {
			c.collect(&s.Branches[i])
		}
	case "array":
		c.collect(s.Items)
	case "map":
		c.collect(s.Values)
	}
}

// logical takes the logical type into account; one that is not known is none, as the
// specification has it.
func (n *node) logical(s *avro.SchemaNode) {
	switch {
	case s.LogicalType == "date" && n.kind == integer:
		n.kind = day
	case n.kind == long && (s.LogicalType == "timestamp-millis" || s.LogicalType == "local-timestamp-millis"):
		n.kind, n.per = tick, 1e3
	case n.kind == long && (s.LogicalType == "timestamp-micros" || s.LogicalType == "local-timestamp-micros"):
		n.kind, n.per = tick, 1e6
	case n.kind == long && (s.LogicalType == "timestamp-nanos" || s.LogicalType == "local-timestamp-nanos"):
		n.kind = nano
	case s.LogicalType == "decimal" && (n.kind == binary || n.kind == fixed):
		n.kind, n.scale = ratio, s.Scale
		if s.Type == "bytes" {
			n.size = -1
		}
	case s.LogicalType == "time-millis" && n.kind == integer, s.LogicalType == "time-micros" && n.kind == long, s.LogicalType == "duration" && n.kind == fixed:
		n.what = s.LogicalType
	}
}

// skipped reports whether a value of the type is no number or label.
func (n *node) skipped() bool {
	switch n.kind {
	case array, binary, fixed:
		return true
	case integer, long:
		return n.what == "time-millis" || n.what == "time-micros"
	}
	return false
}

// much is where the count of bytes ends: more than any record has.
const much = 1 << 29

// settle counts the bytes that values take at least.
func (c *compiler) settle() error {
	for _, n := range c.nodes {
		if n.kind == undefined {
			return fmt.Errorf("type %.100q is not defined", n.what)
		}
		if n.kind == record {
			if err := n.measure(map[*node]bool{}); err != nil {
				return err
			}
			continue
		}
		_ = n.measure(nil) // only records contain something whatever they hold
	}
	return nil
}

// measure sets least. Within are the records that are being measured.
func (n *node) measure(within map[*node]bool) error {
	switch n.kind {
	case null:
		n.least = 0
	case fixed:
		n.least = n.size
	case float:
		n.least = 4
	case double:
		n.least = 8
	case ratio:
		n.least = max(n.size, 0)
		if n.size < 0 {
			n.least = 1
		}
	case record:
		if within[n] { // before it is measured
			return errors.New("a record that always contains itself has no values")
		}
		if n.measured {
			return nil
		}
		n.measured = true
		within[n] = true
		defer delete(within, n)
		sum := 0
		for i := range n.fields {
			f := n.fields[i].node
			if err := f.measure(within); err != nil {
				return err
			}
			sum = min(sum+f.least, much)
		}
		n.least = sum
	default:
		n.least = 1
	}
	return nil
}
