package main

import (
	"fmt"
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
		if f.name == name {
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

// suggest ends a message about an unknown word: with the known word that is
// near enough to be meant, else with all of them.
func suggest(word string, known []string) string {
	best, least := "", max(2, len(word)/3)+1
	for _, k := range known {
		if n := distance(strings.ToLower(word), k); n < least {
			best, least = k, n
		}
	}
	switch {
	case best != "":
		return fmt.Sprintf(", did you mean %q?", best)
	case len(known) == 0:
		return ", there are none"
	default:
		return fmt.Sprintf(" (known: %s)", strings.Join(known, ", "))
	}
}

// distance is the Levenshtein distance in bytes, with words cut at 64.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j]+1, row[j+1]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
