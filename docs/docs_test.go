package docs

// The tests hold the documents to the code: what the program knows and a
// page forgot, examples that it refuses, defaults that are others, dead links.

import (
	"bufio"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/credence-stream/credence/models"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/trace/otlp"
	"github.com/credence-stream/credence/sink/web"
	"github.com/credence-stream/credence/testenv/probe"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// structs returns the struct types of the package in folder, tests aside.
func structs(t *testing.T, folder string) map[string]*ast.StructType {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(folder), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Go files in %s: %v", folder, err)
	}
	found := map[string]*ast.StructType{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					found[spec.Name.Name] = s
				}
			}
			return true
		})
	}
	return found
}

// keys returns the paths of the keys of a struct by its yaml tags, with [] for
// the entries of a list. A struct that has no tags is a value.
func keys(all map[string]*ast.StructType, name, path string) []string {
	var list []string
	if all[name] == nil {
		return nil
	}
	for _, f := range all[name].Fields.List {
		if f.Tag == nil {
			continue
		}
		tag, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("yaml"), ",")
		if tag == "" || tag == "-" {
			continue
		}
		at, kind := path+tag, f.Type
		if array, ok := kind.(*ast.ArrayType); ok {
			kind = array.Elt
			if inner, ok := kind.(*ast.Ident); ok && len(keys(all, inner.Name, "")) > 0 {
				at += "[]"
			}
		}
		var inner []string
		if id, ok := kind.(*ast.Ident); ok {
			inner = keys(all, id.Name, at+".")
		}
		if len(inner) == 0 {
			inner = []string{at}
		}
		list = append(list, inner...)
	}
	return list
}

// TestEveryKeyIsDocumented finds keys of the configuration that their page
// does not name with their path.
func TestEveryKeyIsDocumented(t *testing.T) {
	page := read(t, "configuration.md")
	known := keys(structs(t, "../cmd/consumer/config"), "Config", "")
	if len(known) < 50 {
		t.Fatalf("found only %d keys: %q", len(known), known)
	}
	for _, key := range known {
		if key = strings.TrimPrefix(key, "models[]."); !strings.Contains(page, "`"+key+"`") {
			t.Errorf("configuration.md does not name `%s`", key)
		}
	}
	for _, k := range models.Kinds() {
		page := "models/" + k.Name + ".md"
		known := keys(structs(t, "../models/"+k.Name), "Settings", "settings.")
		if len(known) == 0 {
			t.Errorf("%s: no settings found", k.Name)
		}
		for _, key := range known {
			if !strings.Contains(read(t, page), "`"+key+"`") {
				t.Errorf("%s does not name `%s`", page, key)
			}
		}
	}
}

// collected takes down the names of the metrics that are registered with it.
type collected struct{ names map[string]bool }

var fqName = regexp.MustCompile(`fqName: "([^"]+)"`)

func (c collected) Register(m prometheus.Collector) error {
	descriptions := make(chan *prometheus.Desc, 16)
	m.Describe(descriptions)
	close(descriptions)
	for d := range descriptions {
		c.names[fqName.FindStringSubmatch(d.String())[1]] = true
	}
	return nil
}

func (c collected) MustRegister(all ...prometheus.Collector) {
	for _, m := range all {
		_ = c.Register(m) // never fails
	}
}

func (c collected) Unregister(prometheus.Collector) bool { return false }

// TestEveryMetricIsDocumented finds metrics of a worker that operations.md
// does not name.
func TestEveryMetricIsDocumented(t *testing.T) {
	page, c := read(t, "operations.md"), collected{map[string]bool{}}
	if _, err := pipeline.New(pipeline.Options{
		Interval: 1, Records: 1, Bytes: 1, Inflight: 1, Heartbeat: 1, Flush: 1,
		Metrics: pipeline.NewMetrics(c, "test"),
	}); err != nil {
		t.Fatal(err)
	}
	web.RegisterMetrics(c)
	otlp.RegisterMetrics(c)
	if len(c.names) < 20 {
		t.Fatalf("found only %d metrics", len(c.names))
	}
	for name := range c.names {
		if !regexp.MustCompile("`" + name + "[{`]").MatchString(page) {
			t.Errorf("operations.md does not name %s", name)
		}
	}
}

// TestEveryHaltIsDocumented finds reasons to halt that guarantees.md leaves out.
func TestEveryHaltIsDocumented(t *testing.T) {
	page, source := read(t, "guarantees.md"), ""
	files, err := filepath.Glob("../pipeline/machine*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		source += read(t, name)
	}
	reasons := regexp.MustCompile(`m\.halt\("(\w+)"`).FindAllStringSubmatch(source, -1)
	if len(reasons) < 8 {
		t.Fatalf("found only %d reasons", len(reasons))
	}
	for _, r := range reasons {
		if !strings.Contains(page, "`"+r[1]+"`") {
			t.Errorf("guarantees.md does not name the halt `%s`", r[1])
		}
	}
}

// TestLinks follows the relative links of all pages.
func TestLinks(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"../*.md", "*.md", "*/*.md", "../research/*.md", "../testenv/*.md", "../testenv/*/*.md", "../examples/*/*.md", "../examples/*/*/*.md", "../clients/*/*.md"} {
		found, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	if len(pages) < 10 {
		t.Fatalf("found only %q", pages)
	}
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range pages {
		for _, l := range link.FindAllStringSubmatch(read(t, page), -1) {
			target, anchor, _ := strings.Cut(l[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %v", page, err)
			} else if anchor != "" && !anchors(read(t, file))[anchor] {
				t.Errorf("%s: %s has no heading #%s", page, target, anchor)
			}
		}
	}
}

// anchors returns what the headings of a page are called in links.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	drop := regexp.MustCompile(`[^a-z0-9 _-]`)
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			title = drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			found[strings.ReplaceAll(title, " ", "-")] = true
		}
	}
	return found
}

// examples returns the YAML of a page that is a whole configuration.
func examples(text string) []string {
	var whole []string
	for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(text, -1) {
		if regexp.MustCompile(`(?m)^models:`).MatchString(m[1]) {
			whole = append(whole, m[1])
		}
	}
	return whole
}

// TestExamples shows every example to the program, and compares the page's
// list of defaults with what the program makes of the shortest file.
func TestExamples(t *testing.T) {
	consumer := filepath.Join(t.TempDir(), "consumer")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", consumer, "../cmd/consumer")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	defaults := 0
	shortest := effective(t, consumer, "models: [{match: \"**\", kind: linear}]\n")
	pages, err := filepath.Glob("models/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("pages of models: %v", err)
	}
	howto, err := filepath.Glob("howto/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range slices.Concat([]string{"../README.md", "configuration.md"}, pages, howto) {
		all := examples(read(t, page))
		if len(all) == 0 && !strings.HasPrefix(page, "howto/") {
			t.Errorf("%s has no example", page)
		}
		for _, text := range all {
			got := effective(t, consumer, text)
			if !strings.Contains(text, "session_timeout") {
				continue
			}
			if defaults++; got != shortest {
				t.Errorf("%s: the defaults are\n%s\nthe page says\n%s", page, shortest, got)
			}
		}
	}
	if defaults != 1 {
		t.Errorf("%d lists of defaults, want 1", defaults)
	}
}

// TestModelExample compares the Go of add-a-model.md, block after block, with
// the files that are compiled and tested.
func TestModelExample(t *testing.T) {
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(read(t, "add-a-model.md"), -1) {
		blocks = append(blocks, m[1])
	}
	got := strings.Split(strings.Join(blocks, "\n"), "\n")
	want := strings.Split(read(t, "example/level.go")+"\n"+read(t, "example/level_test.go"), "\n")
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("from line %d of its code on the page has\n%s\nand the example\n%s", i+1,
				strings.Join(got[min(i, len(got)):min(i+3, len(got))], "\n"), strings.Join(want[min(i, len(want)):min(i+3, len(want))], "\n"))
		}
	}
}

// effective returns the configuration that the program prints before it
// connects to anything. No server answers at its addresses.
func effective(t *testing.T, consumer, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, consumer, "run", "--print-config", "--config", file, "--set", "kafka.brokers=127.0.0.1:1",
		"--set", "redis.url=redis://127.0.0.1:1/0", "--set", "http.listen=127.0.0.1:0",
		"--set", "redis.password_file=", "--set", "kafka.tls.enabled=false", "--set", "kafka.tls.ca_file=",
		"--set", "kafka.sasl.mechanism=", "--set", "kafka.sasl.username=", "--set", "kafka.sasl.password_file=")
	messages, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	begun := false
	for lines := bufio.NewScanner(messages); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.Contains(line, "effective configuration"):
			begun = true
		case begun && line == "":
			cancel()
			_ = cmd.Wait() // killed
			return printed.String()
		default:
			fmt.Fprintln(&printed, line)
		}
	}
	_ = cmd.Wait()
	t.Errorf("an example is refused: %s\n%s", printed.String(), text)
	return ""
}

// TestDesign finds steps of a record's way whose function is not in the file
// that DESIGN.md names.
func TestDesign(t *testing.T) {
	steps := 0
	for line := range strings.Lines(read(t, "../DESIGN.md")) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.Contains(cells[3], ".go`") || !strings.Contains(cells[2], "`") {
			continue
		}
		var code strings.Builder
		dir := ""
		for _, name := range quoted.FindAllStringSubmatch(cells[3], -1) {
			if at, _ := filepath.Split(name[1]); at != "" {
				dir = at
			}
			code.WriteString(read(t, "../"+filepath.Join(dir, filepath.Base(name[1]))))
		}
		for _, name := range quoted.FindAllStringSubmatch(cells[2], -1) {
			kind, method, ok := strings.Cut(name[1], ".")
			declared := `(?m)^func \(\w* ?\*?` + kind + `\) ` + method + `\(|^\t` + method + `\(` // of a type or an interface
			if !ok {
				declared = `(?m)^type ` + kind + ` `
			} else if kind == strings.ToLower(kind) && ast.IsExported(method) {
				declared += `|^type ` + method + ` ` // package.Type
			}
			if !regexp.MustCompile(declared).MatchString(code.String()) {
				t.Errorf("%s is not in %s", name[1], strings.TrimSpace(cells[3]))
			}
			steps++
		}
	}
	if steps < 20 {
		t.Errorf("found only %d functions", steps)
	}
}

var quoted = regexp.MustCompile("`([^`]+)`")

// TestPromisesNameTests: a promise whose test is gone is told.
func TestPromisesNameTests(t *testing.T) {
	there := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, m := range declared.FindAllStringSubmatch(read(t, path), -1) {
			there[m[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile("`(Test\\w+)(?:/\\w+)?`")
	for _, page := range []string{"guarantees.md", "operations.md", "howto/security.md"} {
		named := quoted.FindAllStringSubmatch(read(t, page), -1)
		if len(named) < 20 {
			t.Errorf("%s names only %d tests", page, len(named))
		}
		for _, m := range named {
			if !there[m[1]] {
				t.Errorf("%s names %s, which does not exist", page, m[1])
			}
		}
	}
}
