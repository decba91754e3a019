package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestMutantsCompile finds a mutant that does not compile before the share of
// `make mutants` that it is in, which one commit of sixteen plants, does.
func TestMutantsCompile(t *testing.T) {
	of := map[string][]mutant{}
	for _, m := range every() {
		if filepath.Ext(m.file) == ".go" {
			dir := filepath.Dir(m.file)
			of[dir] = append(of[dir], m)
		}
	}
	packages, exports := listed(t)
	dirs := make(chan string)
	var checkers sync.WaitGroup
	for range runtime.NumCPU() {
		checkers.Go(func() {
			c := newChecker(exports)
			for dir := range dirs {
				for _, m := range of[dir] {
					if err := c.check(packages[dir], m); err != nil {
						t.Errorf("%s: %v", m.name, err)
					}
				}
			}
		})
	}
	for dir := range of {
		dirs <- dir
	}
	close(dirs)
	checkers.Wait()
}

// goPackage is what `go list` says of a package.
type goPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// listed are the packages of the module by folder, and the files that hold what
// they and all that they import export.
func listed(t *testing.T) (packages map[string]goPackage, exports map[string]string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./...")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages, exports = map[string]goPackage{}, map[string]string{}
	for list := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := list.Decode(&p); errors.Is(err, io.EOF) {
			return packages, exports
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if dir, err := filepath.Rel(root, p.Dir); err == nil && filepath.IsLocal(dir) {
			packages[dir] = p
		}
	}
}

// checker type-checks mutants, one at a time.
type checker struct {
	set    *token.FileSet
	types  types.Config
	parsed map[string]*ast.File // by path
}

func newChecker(exports map[string]string) *checker {
	set := token.NewFileSet()
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	return &checker{set, types.Config{
		Importer: importer.ForCompiler(set, "gc", open),
		Sizes:    types.SizesFor("gc", runtime.GOARCH),
	}, map[string]*ast.File{}}
}

// check says what the compiler would say of the package p with m planted.
func (c *checker) check(p goPackage, m mutant) error {
	source, err := os.ReadFile(filepath.Join(p.Dir, filepath.Base(m.file)))
	if err != nil {
		return err
	}
	changed, err := parser.ParseFile(c.set, m.file, strings.Replace(string(source), m.old, m.new, 1), parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	files := []*ast.File{changed}
	for _, name := range p.GoFiles {
		if name == filepath.Base(m.file) {
			continue
		}
		path := filepath.Join(p.Dir, name)
		if c.parsed[path] == nil {
			if c.parsed[path], err = parser.ParseFile(c.set, path, nil, parser.SkipObjectResolution); err != nil {
				return err
			}
		}
		files = append(files, c.parsed[path])
	}
	_, err = c.types.Check(p.ImportPath, c.set, files, nil)
	return err
}
