package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/credence-stream/credence/cmd/internal/cli"
)

const envPrefix = "CREDENCE_"

// overrideFromEnv applies the variables that name a key and returns a warning
// for every other one with our prefix, which may be someone else's: an
// orchestrator injects addresses of services under such names.
func (d *decoder) overrideFromEnv(root yamlNode, env []string) (warnings []string) {
	paths := map[string]string{}
	envPaths(reflect.ValueOf(Default()).Elem(), paths)
	for _, variable := range slices.Sorted(slices.Values(env)) {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, envPrefix) {
			continue
		}
		path, known := paths[name]
		if !known {
			warnings = append(warnings, fmt.Sprintf("environment variable %s names no key of the configuration and is ignored", name))
			continue
		}
		// The paths come from the structs, and none of them leads into a list.
		_ = d.set(root, path, value, name)
	}
	return warnings
}

// envPaths collects the variable of every key that can be set.
func envPaths(v reflect.Value, into map[string]string) {
	Settable(v, "", func(p string) {
		into[envPrefix+strings.ToUpper(strings.ReplaceAll(p, ".", "_"))] = p
	})
}

// Settable visits the path of every key outside lists of mappings.
func Settable(v reflect.Value, path string, visit func(path string)) {
	for _, f := range fieldsOf(v) {
		p := join(path, f.name)
		_, own := f.value.Addr().Interface().(nodeDecoder)
		switch kind := f.value.Kind(); {
		case kind == reflect.Struct && !own:
			Settable(f.value, p, visit)
		case kind == reflect.Slice && f.value.Type().Elem().Kind() == reflect.Struct:
		default:
			visit(p)
		}
	}
}

// overrideFromFlags applies section.key=value pairs; models.0.draws=100
// reaches into the list of models.
func (d *decoder) overrideFromFlags(root yamlNode, sets []string) error {
	for _, s := range sets {
		path, value, ok := strings.Cut(s, "=")
		if !ok || path == "" {
			return cli.Usagef("--set %s: expected section.key=value", s)
		}
		if err := d.set(root, path, value, "--set "+path); err != nil {
			return cli.Usagef("--set %s: %v", path, err)
		}
	}
	return nil
}

// set puts a scalar at a path, making the mappings on the way. Whether the
// path means anything is seen when the whole is decoded.
func (d *decoder) set(root yamlNode, path, value, origin string) error {
	leaf := &yaml.Node{Kind: yaml.ScalarNode, Value: value}
	d.origin[leaf] = origin
	steps := strings.Split(path, ".")
	at := root
	for i, step := range steps {
		slot, err := d.slot(at, step, origin)
		if err != nil {
			return err
		}
		if i == len(steps)-1 {
			*slot = leaf
			return nil
		}
		next := resolveAlias(*slot)
		if next.Kind == yaml.ScalarNode {
			next = &yaml.Node{Kind: yaml.MappingNode, Line: at.Line}
			d.origin[next] = origin
			*slot = next
		}
		at = next
	}
	return nil
}

// slot returns where the child of a mapping or list is kept.
func (d *decoder) slot(at yamlNode, step, origin string) (*yamlNode, error) {
	if at.Kind == yaml.SequenceNode {
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(at.Content) {
			return nil, fmt.Errorf("%q is not an index of a list of %d", step, len(at.Content))
		}
		return &at.Content[i], nil
	}
	for i := 0; i+1 < len(at.Content); i += 2 {
		if at.Content[i].Value == step {
			return &at.Content[i+1], nil
		}
	}
	key := &yaml.Node{Kind: yaml.ScalarNode, Value: step}
	d.origin[key] = origin
	at.Content = append(at.Content, key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: at.Line})
	return &at.Content[len(at.Content)-1], nil
}
