package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cdf/formula"
	"github.com/credence-stream/credence/models/kind"
)

// besideFormula are the keys of columns that a formula leaves open.
var besideFormula = []string{"scaling", "time"}

// decodeNode remembers which keys are there, also of columns: a formula takes the place of some.
func (m *Model) decodeNode(d *decoder, n yamlNode, path string) {
	type plain Model
	d.decodeInto(n, (*plain)(m), path)
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		m.given = append(m.given, n.Content[i].Value)
		if n.Content[i].Value != "columns" {
			continue
		}
		columns := resolveAlias(n.Content[i+1])
		for j := 0; columns.Kind == yaml.MappingNode && j+1 < len(columns.Content); j += 2 {
			m.Columns.given = append(m.Columns.given, columns.Content[j].Value)
		}
	}
}

// MarshalYAML leaves out what a formula stands for, so that what is printed is a
// configuration.
func (m Model) MarshalYAML() (any, error) {
	type plain Model
	if m.Formula == "" {
		return plain(m), nil
	}
	var all yaml.Node
	if err := all.Encode(plain(m)); err != nil {
		return nil, err
	}
	for i := 0; i < len(all.Content); i += 2 {
		if columns := all.Content[i+1]; all.Content[i].Value == "columns" {
			var left []*yaml.Node
			for j := 0; j < len(columns.Content); j += 2 {
				if slices.Contains(besideFormula, columns.Content[j].Value) {
					left = append(left, columns.Content[j:j+2]...)
				}
			}
			columns.Content = left
		}
	}
	return &all, nil
}

// formulaRoles returns what the formula says of the columns, for a kind.
func (m *Model) formulaRoles(kinds kind.Registry, k *kind.Kind) (cdf.Roles, error) {
	f, err := formula.Parse(m.Formula)
	if err != nil {
		return cdf.Roles{}, fmt.Errorf("formula: %w", err)
	}
	for _, key := range m.Columns.given {
		if !slices.Contains(besideFormula, key) {
			return cdf.Roles{}, fmt.Errorf("formula and columns.%s are both given: a formula says all of the columns but %s", key, strings.Join(besideFormula, " and "))
		}
	}
	r := f.Roles()
	r.Scaling, r.Time = m.Columns.Scaling, m.Columns.Time
	for _, role := range []struct {
		key, what string
		given     bool
	}{
		{"features", "terms mean", f.Features()},
		{"groups", "group terms mean", len(r.Groups) > 0},
		{"exposure", "an offset means", r.Exposure != ""},
	} {
		if role.given && !k.Takes(role.key) {
			able := kinds.Names(func(k *kind.Kind) bool { return k.Takes(role.key) })
			return r, fmt.Errorf("formula: %s nothing to kind %s, only to: %s", role.what, k.Name, strings.Join(able, ", "))
		}
	}
	if k.Groups == kind.OneGroup && (len(r.Groups) != 1 || len(r.Groups[0].Slopes) > 0) {
		return r, fmt.Errorf("formula: %s takes one group term, without slopes: %s ~ 1 + (1 | group)", k.Name, r.Response.Name)
	}
	if slices.Contains(f.Columns(), r.Time) {
		return r, fmt.Errorf("formula: %q is in the formula and is columns.time", r.Time)
	}
	return r, nil
}
