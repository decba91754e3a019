package config

import (
	"maps"
	"slices"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/cdf"
)

// measures are what columns are measured in, by name, for those who read the page
// and the API. They change no number.
type measures map[string]string

// longestUnit bounds a unit, which stands beside figures.
const longestUnit = 24

func (u *measures) decodeNode(d *decoder, n yamlNode, path string) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, path, "expected columns and their units, such as {price: EUR, delay: min}, found %s", describe(n))
		return
	}
	*u = measures{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolveAlias(n.Content[i]), resolveAlias(n.Content[i+1])
		if key.Kind != yaml.ScalarNode || value.Kind != yaml.ScalarNode {
			d.fail(key, path, "a column has one unit, a word such as EUR")
			return
		}
		switch _, twice := (*u)[key.Value]; {
		case twice:
			d.fail(key, join(path, key.Value), "given twice")
		case value.Value == "" || utf8.RuneCountInString(value.Value) > longestUnit:
			d.fail(value, join(path, key.Value), "a unit has 1 to %d characters", longestUnit)
		}
		(*u)[key.Value] = value.Value
	}
}

// checkUnits refuses units of columns that the model has not, where the
// configuration names all that it has.
func (m *Model) checkUnits(wrong report) {
	roles := m.Columns.roles()
	named, only := roles.Named()
	if m.Formula != "" || !only {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m.Units)) {
		if name != m.Columns.Group && !slices.ContainsFunc(named, func(n cdf.Named) bool { return n.Name == name }) {
			wrong("units: %q is no column of the model", name)
		}
	}
}
