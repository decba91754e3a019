//go:build unix

package interop

import (
	"os"
	"path/filepath"
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
