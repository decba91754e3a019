package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// exchanged are the operators that stand in for others.
var exchanged = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
	token.CONTINUE: {token.BREAK}, token.BREAK: {token.CONTINUE},
}

// operated returns n mutants of a package, drawn at random from all that the
// usual operators of mutation testing make of its files: operators exchanged,
// negations left out, true for false, numbers with a fraction half as large
// again, and calls left out whose results nobody takes. Some do not compile. The tests of the given packages must notice.
func operated(dir string, packages []string, n int, seed uint64) ([]mutant, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		of, err := changes(file, string(source), packages)
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))], nil
}

// changes returns all mutants of a file.
func changes(file, source string, packages []string) (all []mutant, err error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	replace := func(from, to token.Pos, with string) {
		at, end := set.Position(from), set.Position(to)
		old := source[at.Offset:end.Offset]
		all = append(all, mutant{
			name: fmt.Sprintf("%s:%d: %q for %q", file, at.Line, with, old), file: file,
			old: source, new: source[:at.Offset] + with + source[end.Offset:], tests: ".", packages: packages,
		})
	}
	exchange := func(at token.Pos, op token.Token) {
		for _, other := range exchanged[op] {
			replace(at, at+token.Pos(len(op.String())), other.String())
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			exchange(n.OpPos, n.Op)
		case *ast.AssignStmt:
			exchange(n.TokPos, n.Tok)
		case *ast.IncDecStmt:
			exchange(n.TokPos, n.Tok)
		case *ast.BranchStmt:
			exchange(n.TokPos, n.Tok)
		case *ast.UnaryExpr:
			if n.Op == token.NOT || n.Op == token.SUB {
				replace(n.OpPos, n.OpPos+1, "")
			}
		case *ast.Ident:
			if other, ok := map[string]string{"true": "false", "false": "true"}[n.Name]; ok {
				replace(n.Pos(), n.End(), other)
			}
		case *ast.BasicLit:
			if n.Kind == token.FLOAT {
				replace(n.Pos(), n.End(), "(1.5 * "+n.Value+")")
			}
		case *ast.ExprStmt:
			replace(n.Pos(), n.End(), "")
		}
		return true
	})
	return all, nil
}
