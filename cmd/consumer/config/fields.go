package config

import (
	"reflect"
	"strings"
)

// field is one key that a struct offers.
type field struct {
	name  string
	value reflect.Value
}

type fields []field

// fieldsOf lists the keys of a struct in the order of its fields: the name in
// the yaml tag, else in the json tag, else the field's own in lower case.
// Embedded structs offer their keys as the struct's own.
func fieldsOf(v reflect.Value) fields {
	var all fields
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name := tagName(f)
		switch {
		case name == "-" || !f.IsExported():
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			all = append(all, fieldsOf(v.Field(i))...)
		case name == "":
			all = append(all, field{strings.ToLower(f.Name), v.Field(i)})
		default:
			all = append(all, field{name, v.Field(i)})
		}
	}
	return all
}

func tagName(f reflect.StructField) string {
	for _, tag := range []string{"yaml", "json"} {
		if text, ok := f.Tag.Lookup(tag); ok {
			name, _, _ := strings.Cut(text, ",")
			return name
		}
	}
	return ""
}

func (fs fields) find(name string) (reflect.Value, bool) {
	for _, f := range fs {
		if name == f.name {
			return f.value, true
		}
	}
	return reflect.Value{}, false
}

func (fs fields) names() []string {
	names := make([]string, len(fs))
	for i, f := range fs {
		names[i] = f.name
	}
	return names
}
