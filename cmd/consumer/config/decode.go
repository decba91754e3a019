package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/cmd/internal/cli"
)

type yamlNode = *yaml.Node

// parseYAML returns the one mapping of a file; an empty file is an empty one.
func parseYAML(file string, text []byte) (yamlNode, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	switch err := dec.Decode(&document); {
	case errors.Is(err, io.EOF):
		return &yaml.Node{Kind: yaml.MappingNode, Line: 1}, nil
	case err != nil:
		return nil, malformed(file, text, err)
	}
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, malformed(file, text, err)
		}
		return nil, fmt.Errorf("%s:%d: a second document: a configuration has only one", file, second.Line)
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return &yaml.Node{Kind: yaml.MappingNode, Line: 1}, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s:%d: a configuration is a mapping of keys to values", file, root.Line)
	}
	return root, nil
}

// decoder fills structs from YAML nodes and takes nothing it does not know.
// It collects what is wrong, so that a user sees all of it at once.
type decoder struct {
	file     string
	origin   map[yamlNode]string // of nodes that are not from the file
	problems []error
	visits   int
}

const (
	maxProblems = 20
	maxVisits   = 1_000_000 // aliases of aliases can make much of little
)

// nodeDecoder is a type that has a form of its own in the file.
type nodeDecoder interface {
	decodeNode(d *decoder, n yamlNode, path string)
}

// defaulter is a type whose values in a list have defaults.
type defaulter interface{ setDefaults() }

func (d *decoder) err() error { return errors.Join(d.problems...) }

func (d *decoder) fail(n yamlNode, path, format string, args ...any) {
	if len(d.problems) >= maxProblems {
		return
	}
	if path != "" {
		path += ": "
	}
	d.problems = append(d.problems, fmt.Errorf("%s: %s%s", d.where(n), path, fmt.Sprintf(format, args...)))
}

func (d *decoder) where(n yamlNode) string {
	if from, ok := d.origin[n]; ok {
		return from
	}
	return fmt.Sprintf("%s:%d", d.file, n.Line)
}

// decodeInto fills the struct that target points to.
func (d *decoder) decodeInto(n yamlNode, target any, path string) {
	d.decode(n, reflect.ValueOf(target).Elem(), path)
}

func (d *decoder) decode(n yamlNode, v reflect.Value, path string) {
	n = resolveAlias(n)
	if d.visits++; d.visits > maxVisits {
		if d.visits == maxVisits+1 {
			d.fail(n, path, "the configuration is too large")
		}
		return
	}
	if _, override := d.origin[n]; !override && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return // a key without a value keeps its default
	}
	if own, ok := v.Addr().Interface().(nodeDecoder); ok {
		own.decodeNode(d, n, path)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.decodeStruct(n, v, path)
	case reflect.Slice:
		d.decodeSlice(n, v, path)
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[yamlNode]() {
			v.Set(reflect.ValueOf(n))
			return
		}
		p := reflect.New(v.Type().Elem())
		d.decode(n, p.Elem(), path)
		v.Set(p)
	default:
		d.decodeScalar(n, v, path)
	}
}

func resolveAlias(n yamlNode) yamlNode {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n
}

func (d *decoder) decodeStruct(n yamlNode, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, path, "expected keys and values, found %s", describe(n))
		return
	}
	fields := fieldsOf(v)
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolveAlias(n.Content[i]), n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			d.fail(key, path, "a key must be a word")
			continue
		}
		if line, twice := first[key.Value]; twice {
			d.fail(key, join(path, key.Value), "given twice, first on line %d", line)
			continue
		}
		first[key.Value] = key.Line
		field, ok := fields.find(key.Value)
		if !ok {
			hint := calledHere(path, key.Value)
			if hint == "" {
				hint = cli.Suggest(key.Value, fields.names())
			}
			d.fail(key, "", "unknown key %q%s%s", key.Value, in(path), hint)
			continue
		}
		d.decode(value, field, join(path, key.Value))
	}
}

func (d *decoder) decodeSlice(n yamlNode, v reflect.Value, path string) {
	from, override := d.origin[n]
	items := n.Content
	switch {
	case override && n.Kind == yaml.ScalarNode:
		items = nil
		for _, text := range strings.Split(n.Value, ",") {
			if text = strings.TrimSpace(text); text != "" {
				item := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
				d.origin[item] = from
				items = append(items, item)
			}
		}
		if _, roles := v.Interface().(features); roles && len(items) == 0 {
			d.fail(n, path, "nothing is listed: [] in the file says that there is no feature, and without the key every other numeric column is one")
			return
		}
	case n.Kind != yaml.SequenceNode:
		d.fail(n, path, "expected a list, found %s%s", describe(n), asList(n))
		return
	}
	list := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		if f, ok := list.Index(i).Addr().Interface().(defaulter); ok {
			f.setDefaults()
		}
		d.decode(item, list.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
	v.Set(list)
}

func (d *decoder) decodeScalar(n yamlNode, v reflect.Value, path string) {
	if n.Kind != yaml.ScalarNode {
		d.fail(n, path, "expected one value, found %s", describe(n))
		return
	}
	if v.Kind() == reflect.String {
		v.SetString(n.Value)
		return
	}
	var value any
	if err := n.Decode(&value); err != nil {
		value = nil
	}
	switch v.Kind() {
	case reflect.Bool:
		b, ok := value.(bool)
		if !ok {
			d.fail(n, path, "%q is neither true nor false%s", n.Value, quoted(n))
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int64, reflect.Int32:
		i, ok := whole(value)
		if !ok || v.OverflowInt(i) {
			d.fail(n, path, "%q is not a whole number%s", n.Value, quoted(n))
			return
		}
		v.SetInt(i)
	case reflect.Uint, reflect.Uint64, reflect.Uint32:
		u, ok := value.(uint64)
		if i, fits := whole(value); !ok && fits && i >= 0 {
			u, ok = uint64(i), true
		}
		if !ok || v.OverflowUint(u) {
			d.fail(n, path, "%q is not a whole number from 0 on%s", n.Value, quoted(n))
			return
		}
		v.SetUint(u)
	case reflect.Float64:
		f, ok := number(value)
		if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
			d.fail(n, path, "%q is not a finite number%s", n.Value, quoted(n))
			return
		}
		v.SetFloat(f)
	default:
		d.fail(n, path, "cannot be configured")
	}
}

// whole returns the integer that a YAML value is, also when written as 1e6.
func whole(value any) (int64, bool) {
	switch x := value.(type) {
	case int:
		return int64(x), true
	case int64:
		return x, true
	case float64:
		return int64(x), x == math.Trunc(x) && math.Abs(x) < 1<<53
	}
	return 0, false
}

func number(value any) (float64, bool) {
	if i, ok := whole(value); ok {
		return float64(i), true
	}
	switch x := value.(type) {
	case uint64:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

func describe(n yamlNode) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	default:
		return fmt.Sprintf("%q", n.Value)
	}
}

// asList says how a scalar is written as the list that it was meant for, "" for others.
func asList(n yamlNode) string {
	if n.Kind != yaml.ScalarNode || strings.TrimSpace(n.Value) == "" {
		return ""
	}
	items := strings.Split(n.Value, ",")
	for i, item := range items {
		items[i] = strconv.Quote(strings.TrimSpace(item))
	}
	return ": write [" + strings.Join(items, ", ") + "]"
}

// quoted says so of a scalar that quotes make a text.
func quoted(n yamlNode) string {
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 {
		return ""
	}
	return ": quotes make it a text, leave them out"
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func in(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path
}
