package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/internal/cli"
)

// Messages and help name the program that the user typed, which no text of the source can
// know: where a text names a program's command, the name comes from cli.Names.
func TestTextsDoNotKnowTheProgramsName(t *testing.T) {
	const module = "../.."
	names := strings.Join(below(root(quiet(cli.Together()))), "|")
	named := regexp.MustCompile(`\b(?:consumer|producer|credence) (?:` + names + `)\b`)
	texts := 0
	for _, dir := range []string{"cmd/consumer", "cmd/producer", "cmd/credence", "cmd/internal", "internal", "models", "pipeline", "sink"} {
		err := filepath.WalkDir(filepath.Join(module, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					texts++
					if found := named.FindString(text.Value); found != "" {
						t.Errorf("%s: says %q, whatever the program is called", set.Position(text.Pos()), found)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if texts < 1000 {
		t.Errorf("only %d texts were looked at", texts)
	}
}
