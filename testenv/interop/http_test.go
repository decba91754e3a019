//go:build unix

package interop

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/internal/rscript"
)

// asked are the keys that are asked for over HTTP: one that a URL can't hold
// as it is, and one whose summary is not in the state but beside it.
var asked = []string{linearKey, "probit/1"}

// asks compares what a client prints for each key with what was published.
func asks(t *testing.T, w *world, ask func(key string) []posterior) {
	t.Helper()
	for _, key := range asked {
		same(t, ask(key), []posterior{w.newest(t, key)})
	}
}

func curlAsks(t *testing.T, w *world) {
	program(t, "curl", "curl")
	program(t, "jq", "jq")
	script := example(t, "shell/get_model.sh")
	asks(t, w, func(key string) []posterior { return parseTable(t, run(t, nil, script, w.base, key), '\t') })
	if out, err := attempt(t, nil, script, w.base, goneKey); err == nil {
		t.Errorf("a model that was deleted is no failure: %s", out)
	}
}

func rAsks(t *testing.T, w *world) {
	asks(t, w, func(key string) []posterior {
		return parseTable(t, rscript.Run(t, []string{"jsonlite"}, source(t, "r/get_model.R"), nil, w.base, key), ',')
	})
}

// rForest draws a variable of all models that have it, and compares what was drawn with
// what was published.
func rForest(t *testing.T, w *world) {
	const variable = "beta[x1]"
	for _, name := range []string{"forest.pdf", "forest.png", "forest.svg"} {
		file := filepath.Join(t.TempDir(), name)
		lines := parseLines(t, rscript.Run(t, []string{"jsonlite"}, source(t, "r/forest.R"), nil, w.base, variable, file), ',')
		drawn := map[string]map[string]string{}
		for _, line := range lines {
			drawn[line["key"]] = line
		}
		for _, s := range streams {
			newest := w.newest(t, s[1]+"1")
			i := slices.IndexFunc(newest.rows, func(r row) bool { return r.variable == variable })
			line, ok := drawn[newest.key]
			if ok != (i >= 0) {
				t.Errorf("%s is drawn: %t; it has %s: %t", newest.key, ok, variable, i >= 0)
			}
			if !ok || i < 0 {
				continue
			}
			delete(drawn, newest.key)
			for _, name := range []string{"q2.5", "q25", "median", "q75", "q97.5"} {
				if got := number(t, line[name]); got != newest.rows[i].numbers[name] {
					t.Errorf("%s of %s is drawn at %v, and was published as %v", name, newest.key, got, newest.rows[i].numbers[name])
				}
			}
		}
		if len(drawn) > 0 || len(lines) < 2 {
			t.Errorf("%d keys are drawn, %v of them of no model", len(lines), drawn)
		}
		picture, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		begins := map[string]string{".pdf": "%PDF-", ".png": "\x89PNG", ".svg": "<?xml"}[filepath.Ext(name)]
		if !strings.HasPrefix(string(picture), begins) || len(picture) < 1000 {
			t.Errorf("%s has %d bytes and begins %.20q", name, len(picture), picture)
		}
	}
}

func javascriptAsks(t *testing.T, w *world) {
	node, modules := javascript(t)
	dir := t.TempDir()
	script := filepath.Join(dir, "get_model.js")
	for name, text := range map[string]string{"get_model.js": source(t, "javascript/get_model.js"), "package.json": source(t, "javascript/package.json")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	asks(t, w, func(key string) []posterior { return parseJSON(t, run(t, nil, node, script, w.base, key)) })
	if out, err := attempt(t, nil, node, script, w.base, goneKey); err == nil {
		t.Errorf("a model that was deleted is no failure: %s", out)
	}
}
