package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var notLetters = regexp.MustCompile(`[^a-z0-9]+`)

// TestFlagsAreTheSameWords compares the flags of keys: those that are computed, those that
// the API takes, those that its document lists, and the page's words for each, which begin
// with the flag's own.
func TestFlagsAreTheSameWords(t *testing.T) {
	computed := constants(t, "../sink/live/flags.go")
	if len(computed) < 5 {
		t.Fatalf("flags %q", computed)
	}
	for name, pattern := range map[string]string{
		"../sink/web/list.go":             `(?s)flagNames = \[\]string\{(.*?)\}`,
		"../sink/web/openapi.yaml":        `(?s)    Flag:\n      type: string\n      enum: \[(.*?)\]`,
		"../sink/web/ui/src/api/types.ts": `(?s)flags: readonly Flag\[\] = \[(.*?)\]`,
	} {
		m := regexp.MustCompile(pattern).FindStringSubmatch(read(t, name))
		if m == nil {
			t.Errorf("%s lists no flags", name)
			continue
		}
		listed := regexp.MustCompile(`\w+`).FindAllString(m[1], -1)
		if slices.Sort(listed); !slices.Equal(listed, computed) {
			t.Errorf("%s lists the flags %q, and %q are computed", name, listed, computed)
		}
	}
	for name, pattern := range map[string]string{
		"../sink/web/ui/src/components/terms.ts": `(?m)^  FLAG: \{ title: '([^']*)'`,
		"../sink/web/ui/src/key/words.ts":        `(?m)^  FLAG: '([^']*)'`,
	} {
		for _, flag := range computed {
			m := regexp.MustCompile(strings.Replace(pattern, "FLAG", flag, 1)).FindStringSubmatch(read(t, name))
			if m == nil {
				t.Errorf("%s has no words for %s", name, flag)
			} else if words := notLetters.ReplaceAllString(strings.ToLower(m[1]), "_"); !strings.HasPrefix(words, flag) {
				t.Errorf("%s calls %s %q", name, flag, m[1])
			}
		}
	}
}

// constants returns the values of the text constants of a file, sorted.
func constants(t *testing.T, name string) (values []string) {
	t.Helper()
	ast.Inspect(source(t, name), func(n ast.Node) bool {
		decl, ok := n.(*ast.GenDecl)
		if !ok {
			return true
		}
		if decl.Tok == token.CONST {
			for _, spec := range decl.Specs {
				for _, v := range spec.(*ast.ValueSpec).Values {
					if text, ok := v.(*ast.BasicLit); ok && text.Kind == token.STRING {
						value, err := strconv.Unquote(text.Value)
						if err != nil {
							t.Fatal(err)
						}
						values = append(values, value)
					}
				}
			}
		}
		return false
	})
	slices.Sort(values)
	return values
}

// source parses a file of Go.
func source(t *testing.T, name string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, read(t, name), parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestRaisedFlagsAreListed compares the flags that models and the engine raise with those
// that they list, of which counters are made.
func TestRaisedFlagsAreListed(t *testing.T) {
	raise := regexp.MustCompile(`(?:(?:\bdst = |return )append\(dst, |\t\{)(\w+)(?:\)|, a\.|, verdict|, (?:heavy|skewed)\})`)
	list := regexp.MustCompile(`Flags\(\) \[\]string \{\s*return \[\]string\{(.*)\}\s*\}`)
	folders := 0
	for _, folder := range []string{"../cdf", "../models/anova", "../models/compressed", "../models/dlm", "../models/linear", "../models/poisson", "../models/probit"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		raised, listed := map[string]bool{}, map[string]bool{}
		for _, name := range files {
			text := read(t, name)
			if strings.HasSuffix(name, "_test.go") || !strings.Contains(text, "ppendFlags(") && !strings.Contains(text, " Flags() []string") && !strings.Contains(text, "appendFlags(dst") {
				continue
			}
			for _, m := range raise.FindAllStringSubmatch(text, -1) {
				raised[m[1]] = true
			}
			for _, m := range list.FindAllStringSubmatch(text, -1) {
				for name := range strings.SplitSeq(m[1], ", ") {
					listed[name] = true
				}
			}
		}
		if len(raised) > 0 {
			folders++
		}
		if !maps.Equal(raised, listed) {
			t.Errorf("%s raises %v and lists %v", folder, slices.Sorted(maps.Keys(raised)), slices.Sorted(maps.Keys(listed)))
		}
	}
	if folders < 6 {
		t.Errorf("only %d folders raise flags", folders)
	}
}
