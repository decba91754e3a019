package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/internal/clitest"
	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/models/kind"
)

func TestReferenceOfConfiguration(t *testing.T) {
	c, _, err := Parse(Source{Kinds: models.Kinds(), File: "page"}, []byte(`models: [{match: "**", kind: linear}]`))
	if err != nil {
		t.Fatal(err)
	}
	variables := map[string]string{}
	envPaths(reflect.ValueOf(c).Elem(), variables)
	byPath := map[string]string{}
	for variable, path := range variables {
		byPath[path] = variable
	}
	var b strings.Builder
	b.WriteString("# All keys of the configuration\n\nMade from the program by `make reference`. What the keys mean: [configuration](../configuration.md).\n\n" +
		"| key | default | environment variable |\n| --- | --- | --- |\n")
	appendKeys(&b, reflect.ValueOf(c).Elem(), "", byPath)
	for _, k := range models.Kinds() {
		fmt.Fprintf(&b, "\n## Settings of %s\n\nWhat they mean: [%s](../models/%s.md).\n\n| key | default |\n| --- | --- |\n", k.Name, k.Name, k.Name)
		appendSettings(t, &b, k)
	}
	clitest.CheckPage(t, "../../../docs/reference/configuration.md", b.String())
}

// appendKeys writes a row for every key that is no section, with its default;
// those of a list's entries once, with the defaults of an entry.
func appendKeys(b *strings.Builder, v reflect.Value, path string, variables map[string]string) {
	for _, f := range fieldsOf(v) {
		p := join(path, f.name)
		_, own := f.value.Addr().Interface().(nodeDecoder)
		kind := f.value.Kind()
		entries := kind == reflect.Slice && f.value.Type().Elem().Kind() == reflect.Struct
		inner := f.value
		if entries {
			inner = reflect.New(f.value.Type().Elem()).Elem()
			if d, ok := inner.Addr().Interface().(interface{ setDefaults() }); ok {
				d.setDefaults()
			}
		}
		switch {
		case f.name == "settings":
		case entries:
			appendKeys(b, inner, p+"[]", variables)
		case kind == reflect.Struct && (!own || named(inner)):
			appendKeys(b, inner, p, variables)
		default:
			variable := ""
			if name, ok := variables[p]; ok {
				variable = "`" + name + "`"
			}
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", p, shownDefault(f.value), variable)
		}
	}
}

// named reports whether a struct that may be written as a name alone has keys:
// clocks and levels, which have their own form too, are values.
func named(v reflect.Value) bool {
	_, ok := v.Type().FieldByName("Name")
	return ok
}

func shownDefault(v reflect.Value) string {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	text := fmt.Sprint(v.Interface())
	if m, ok := v.Interface().(interface{ MarshalYAML() (any, error) }); ok {
		if z, can := v.Interface().(interface{ IsZero() bool }); can && z.IsZero() {
			return ""
		}
		if value, err := m.MarshalYAML(); err == nil {
			text = fmt.Sprint(value)
		}
	}
	if text == "" || text == "[]" || text == "map[]" {
		return ""
	}
	return "`" + text + "`"
}

// appendSettings writes the settings of a kind as the file would have them.
func appendSettings(t *testing.T, b *strings.Builder, k *kind.Kind) {
	t.Helper()
	file := fmt.Sprintf("models: [{match: '**', kind: %s, columns: {group: g}}]", k.Name)
	if !k.Takes("group") {
		file = fmt.Sprintf("models: [{match: '**', kind: %s}]", k.Name)
	}
	c, _, err := Parse(Source{Kinds: models.Kinds(), File: "page"}, []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	appendNode(b, c.Models[0].Settings, "settings")
}

func appendNode(b *strings.Builder, n yamlNode, path string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		p, value := path+"."+n.Content[i].Value, n.Content[i+1]
		switch {
		case len(value.Content) == 0:
			fmt.Fprintf(b, "| `%s` | `%s` |\n", p, value.Value)
		case value.Value == "" && value.Content[0].Value != "" && value.Tag != "!!seq":
			appendNode(b, value, p)
		default:
			var items []string
			for _, item := range value.Content {
				items = append(items, item.Value)
			}
			fmt.Fprintf(b, "| `%s` | `[%s]` |\n", p, strings.Join(items, ", "))
		}
	}
}
