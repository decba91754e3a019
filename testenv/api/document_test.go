//go:build unix

package api

import (
	"encoding/json"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// pointed returns the server's document with keys that there are among those
// that may be, kinds that there are in place of any text, and for each of these
// keys a path of its own to predict what its model can: what is made at random
// has no model, and fits none.
func pointed(t *testing.T, base string) map[string]any {
	t.Helper()
	var doc map[string]any
	get(t, base+"/v1/openapi.json", &doc)
	at := func(path ...string) map[string]any {
		v := doc
		for _, p := range path {
			next, ok := v[p].(map[string]any)
			if !ok {
				t.Fatalf("the document has no %s", strings.Join(path, "."))
			}
			v = next
		}
		return v
	}
	for _, name := range []string{"Key", "KeyAsked"} {
		key := at("components", "parameters", name)
		key["schema"] = map[string]any{"anyOf": []any{map[string]any{"enum": keys}, key["schema"]}}
	}
	var known struct {
		Kinds []struct {
			Name    string
			Ordered bool
		}
	}
	get(t, base+"/v1/kinds", &known)
	names, ordered := []string{}, map[string]bool{}
	for _, k := range known.Kinds {
		names, ordered[k.Name] = append(names, k.Name), k.Ordered
	}
	at("components", "schemas", "Kind")["enum"] = names
	paths := at("paths")
	for _, key := range keys {
		kind, _, _ := strings.Cut(key, "/")
		row, required, steps := map[string]any{}, []string{}, ordered[kind]
		for _, in := range inputs(t, base, key) {
			switch {
			case in.Role == "response":
				continue
			case in.Type == "category" && in.Other == "reject":
				row[in.Name] = map[string]any{"enum": in.Levels}
			case in.Type == "category":
				row[in.Name] = map[string]any{"type": []string{"string", "integer", "boolean"}, "minimum": math.MinInt64, "maximum": math.MaxInt64}
			case in.Role == "exposure":
				row[in.Name] = map[string]any{"type": "number", "exclusiveMinimum": 0}
			default:
				row[in.Name] = map[string]any{"type": []string{"number", "boolean"}}
			}
			required = append(required, in.Name)
		}
		schema := map[string]any{"type": "object", "required": []string{"rows"}, "additionalProperties": false, "properties": map[string]any{
			"rows": map[string]any{"type": "array", "minItems": 1, "items": map[string]any{
				"type": "object", "properties": row, "required": required,
			}},
		}}
		if steps {
			schema = map[string]any{"$ref": "#/components/schemas/PredictSteps"}
		}
		post := map[string]any{}
		for name, v := range at("paths", "/v1/models/{key}/predict", "post") {
			post[name] = v
		}
		post["operationId"] = "predict " + key
		post["requestBody"] = map[string]any{"required": true, "content": map[string]any{"application/json": map[string]any{"schema": schema}}}
		paths[predictPath(key)] = map[string]any{"post": post}
	}
	return doc
}

func predictPath(key string) string { return "/v1/models/" + url.PathEscape(key) + "/predict" }

// shares returns the document n times, each with a share of the paths.
func shares(t *testing.T, doc map[string]any, n int) [][]byte {
	t.Helper()
	paths, ok := doc["paths"].(map[string]any)
	if !ok || len(paths) < n {
		t.Fatalf("the document has %d paths", len(paths))
	}
	parts := make([]map[string]any, n)
	for i, path := range slices.Sorted(maps.Keys(paths)) {
		if i < n {
			parts[i] = map[string]any{}
		}
		parts[i%n][path] = paths[path]
	}
	var out [][]byte
	for _, part := range parts {
		share := maps.Clone(doc)
		share["paths"] = part
		b, err := json.Marshal(share)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

// input is one of what a model's rows are made of.
type input struct {
	Name, Role, Type, Other string
	Levels                  []string
}

func inputs(t *testing.T, base, key string) []input {
	t.Helper()
	var about struct{ Inputs []input }
	get(t, base+"/v1/models/"+url.PathEscape(key)+"/about", &about)
	if len(about.Inputs) == 0 {
		t.Fatalf("%s has no inputs", key)
	}
	return about.Inputs
}
