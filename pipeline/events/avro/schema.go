// Package avro reads events in Avro: a datum in the binary encoding, whose schema is
// known from elsewhere. A record is a row, an array of records are rows, at the top
// of the datum or at a path in it.
//
// The fields of a row are columns: int and long are whole numbers, float and double
// fractions, and so is decimal unless its scale is 0; date and the timestamps are
// times; boolean, string and enum are what they say. A union is what its value is.
// Records and maps in a row are objects, whose fields have a path. Arrays, bytes and
// fixed without a meaning, times of day and durations are skipped.
//
// Schemas are parsed by github.com/twmb/avro. The datum is read here, without an
// allocation, for what it claims must be weighed before memory is taken for it.
package avro

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/avro"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/events"
)

var _ events.Schema = (*Schema)(nil)

// MaxSchema bounds the text of a schema and of those that it refers to, in bytes.
const MaxSchema = 1 << 20

// Schema is a schema of Avro, compiled.
type Schema struct{ root *node }

// Parse compiles a schema. The schemas that it refers to come before it, each after
// those that it refers to itself.
func Parse(text string, before ...string) (s *Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			s, err = nil, fmt.Errorf("schema of Avro: unreadable: %.200v", p)
		}
	}()
	size := len(text)
	var known avro.SchemaCache
	for _, other := range before {
		if size += len(other); size > MaxSchema {
			break
		}
		if _, err := known.Parse(other); err != nil {
			return nil, fmt.Errorf("schema of Avro that is referred to: %w", shorter(err))
		}
	}
	if size > MaxSchema {
		return nil, fmt.Errorf("schema of Avro: %d bytes, of which %d are the most", size, MaxSchema)
	}
	parsed, err := known.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("schema of Avro: %w", shorter(err))
	}
	c := compiler{named: map[string]*node{}}
	top := parsed.Root()
	c.collect(top)
	root, err := c.compile(top)
	if err == nil {
		err = c.settle()
	}
	if err != nil {
		return nil, fmt.Errorf("schema of Avro: %w", err)
	}
	return &Schema{root}, nil
}

// shorter is an error whose text fits a message.
func shorter(err error) error {
	if text := err.Error(); len(text) > 300 {
		return fmt.Errorf("%s (and so on)", strings.ToValidUTF8(text[:300], "\uFFFD"))
	}
	return err
}

// NewDecoder implements events.Schema.
func (s *Schema) NewDecoder(limits events.Limits, wanted events.Wanted, payload []string) pipeline.Decoder {
	return newDecoder(s, limits, wanted, payload)
}

// Rows implements events.Schema.
func (s *Schema) Rows(payload []string) error {
	_, err := s.rows(payload)
	return err
}

// at returns the types that values at a path may have, and how many of its names lead
// somewhere.
func (s *Schema) at(path []string) (at []*node, steps int) {
	at = s.root.values(nil)
	for i, name := range path {
		var below []*node
		for _, n := range at {
			if j := n.find(name); j >= 0 {
				below = n.fields[j].node.values(below)
			}
		}
		if at = below; at == nil {
			return nil, i
		}
	}
	return at, len(path)
}

// rows returns the types that rows at a path may have.
func (s *Schema) rows(payload []string) ([]*node, error) {
	at, steps := s.at(payload)
	path := strings.Join(append([]string{"$"}, payload[:steps]...), ".")
	if steps < len(payload) {
		return nil, fmt.Errorf("schema of Avro: %s has no field %q", path, payload[steps])
	}
	var rows []*node
	for _, n := range at {
		if n.kind == array {
			rows = n.items.values(rows)
		} else {
			rows = append(rows, n)
		}
	}
	rows = slices.DeleteFunc(rows, func(n *node) bool { return !n.object() })
	if len(rows) == 0 {
		return nil, fmt.Errorf("schema of Avro: %s is neither a record nor an array of records", path)
	}
	return rows, nil
}

// many reports whether a record may have several rows.
func (s *Schema) many(payload []string) bool {
	at, _ := s.at(payload)
	return slices.ContainsFunc(at, func(n *node) bool { return n.kind == array })
}

// Column implements events.Schema.
func (s *Schema) Column(payload []string, name string) bool {
	rows, _ := s.rows(payload)
	return slices.ContainsFunc(rows, func(n *node) bool { return n.has(name) })
}

// has reports whether values of an object may have something at a path below it.
func (n *node) has(path string) bool {
	if n.kind == mapping {
		return path != ""
	}
	for i := range n.fields {
		rest, ok := strings.CutPrefix(path, n.fields[i].text)
		if !ok || rest != "" && rest[0] != '.' {
			continue
		}
		if rest == "" {
			return true
		}
		for _, below := range n.fields[i].node.values(nil) {
			if below.object() && below.has(rest[1:]) {
				return true
			}
		}
	}
	return false
}
