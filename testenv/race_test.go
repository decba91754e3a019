//go:build unix

package testenv

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/compose"
)

// racedElsewhere are folders of packages that `make race` leaves out although something of
// what they use runs side by side, and what it runs instead.
var racedElsewhere = map[string]string{
	"models":             "TestLanesSideBySide in models: all kinds and forms, in lanes that share a configuration",
	"research/baselines": "TestLanesSideBySide in research/baselines: all methods",
	"research/study":     "its runs on one core and on several, and those that end early",
	"research/sbc":       "its replicates on one core and on several",
	"research/regimes":   "a regime of each kind",
	"research/approach":  "research/study, which runs its replicates",
	"research/figure":    "research/study, which runs its replicates",
	"cmd/paper":          "research/study, which runs its replicates",
	"docs":               "its tests read pages and sources; what they call are configurations, in cmd/consumer/config",
	"examples":           "programs of their own processes",
	"testenv/api":        "it runs other programs",
	"testenv/browser":    "it runs other programs",
	"testenv/interop":    "it runs other programs",
	"testenv/manual":     "it runs other programs",
	"testenv/observe":    "it runs other programs",
	"testenv/times":      "it runs other programs",
	"testenv/bench":      "measurements, not tests",
	"testenv/mutants":    "it runs other programs",
	"testenv/release":    "it runs other programs",
	"testenv/compose":    "it runs other programs",
}

// starters are packages from outside that start goroutines of which a test may hear.
var starters = []string{
	"net", "golang.org/x/sync", "github.com/segmentio/kafka-go", "github.com/redis/go-redis", "github.com/twmb/franz-go", "github.com/alicebob/miniredis",
}

// begins reports whether a source file starts goroutines: by itself, by a method of a group
// of them, as tests side by side or by an import.
func begins(file *ast.File) (found bool) {
	for _, i := range file.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil && path != "net/url" && slices.ContainsFunc(starters, func(s string) bool { return within(path, s) }) {
			return true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "Go" || s.Sel.Name == "Parallel") {
				found = true
			}
		}
		return !found
	})
	return found
}

// source is what go list says about a package and what tests it.
type source struct {
	ImportPath, Dir                    string
	Deps                               []string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

func sources(t *testing.T, root string) map[string]source {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-deps", "-test", "-json=ImportPath,Dir,Deps,GoFiles,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := map[string]source{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var s source
		if err := d.Decode(&s); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[s.ImportPath] = s
	}
}

// beginsIn reports whether one of the files of a package starts goroutines.
func (s source) beginsIn(t *testing.T, files []string) bool {
	t.Helper()
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(s.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if begins(file) {
			return true
		}
	}
	return false
}

// TestWhatIsNotRaced: a package that `make race` leaves out starts no goroutine, nor do its
// tests or what they import of this module, or it is said above what is raced instead. What
// runs models side by side for their own tests does not count where it is imported.
func TestWhatIsNotRaced(t *testing.T) {
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := exec.CommandContext(t.Context(), "make", "-n", "-C", root, "--no-print-directory", "race").Output()
	if err != nil {
		t.Fatal(err)
	}
	expression := regexp.MustCompile(`grep -vE '([^']+)'`).FindSubmatch(plan)
	if expression == nil {
		t.Fatalf("make race leaves out nothing: %s", plan)
	}
	left, all := regexp.MustCompile(string(expression[1])), sources(t, root)
	started := map[string]bool{}
	for path, s := range all {
		if strings.HasPrefix(path, module) && !strings.ContainsAny(path, " ") && !strings.HasSuffix(path, ".test") {
			started[path] = path != module+"cdf/cdftest" && path != module+"internal/modeltest" && s.beginsIn(t, s.GoFiles)
		}
	}
	folders, used := slices.Sorted(maps.Keys(racedElsewhere)), map[string]bool{}
	for path := range started {
		if !left.MatchString(path) {
			continue
		}
		inner := strings.TrimPrefix(path, module)
		if folder := slices.IndexFunc(folders, func(f string) bool { return within(inner, f) }); folder >= 0 {
			used[folders[folder]] = true
			continue
		}
		why := ""
		if s := all[path]; s.beginsIn(t, slices.Concat(s.GoFiles, s.TestGoFiles, s.XTestGoFiles)) {
			why = "it starts goroutines"
		}
		for _, d := range all[path+".test"].Deps {
			if d, _, _ = strings.Cut(d, " "); started[d] {
				why = "it uses " + d
			}
		}
		if why != "" {
			t.Errorf("make race leaves out %s: %s, and nothing is said to be raced instead", inner, why)
		}
	}
	for folder := range racedElsewhere {
		if !used[folder] {
			t.Errorf("make race does not leave out %s", folder)
		}
	}
	for _, inner := range []string{"pipeline", "pipeline/kafka", "pipeline/redis", "sink/web", "sink/live", "cmd/consumer", "testenv/integration", "testenv/chaos", "cdf/cdftest"} {
		if left.MatchString(module + inner) {
			t.Errorf("make race leaves out %s", inner)
		}
	}
}

// TestGoroutinesAreFound plants one of each kind.
func TestGoroutinesAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		"func f() { go f() }":                                    true,
		"func f() { var w sync.WaitGroup; w.Go(f) }":             true,
		"func TestF(t *testing.T) { t.Parallel() }":              true,
		"import \"net/http/httptest\"":                           true,
		"import \"golang.org/x/sync/errgroup\"":                  true,
		"import \"net/url\"":                                     false,
		"// go f()\nfunc f() { var w sync.WaitGroup; w.Wait() }": false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "f.go", "package p\n"+text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := begins(file); got != want {
			t.Errorf("%s: found %t, want %t", text, got, want)
		}
	}
}
