//go:build unix

package testenv

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// impure are the packages of the standard library that wait, log, read clocks
// or leave the process.
var impure = []string{"context", "log", "net", "os", "time", "syscall"}

// listed is what go list says about a package.
type listed struct {
	ImportPath string
	Imports    []string
}

// within reports whether path is root or lies below it.
func within(path, root string) bool {
	return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/")
}

// violations returns one line for every import that breaks a rule and every
// package that has none.
func violations(packages []listed) []string {
	var found []string
	kinds := kindsOf(packages)
	for _, p := range packages {
		path := roleOf(strings.TrimPrefix(p.ImportPath, module), kinds)
		i := slices.IndexFunc(layers, func(l layer) bool { return l.path == path })
		if i < 0 {
			found = append(found, fmt.Sprintf("%s is not listed in layers_test.go", path))
			continue
		}
		for _, imported := range p.Imports {
			if inner, ok := strings.CutPrefix(imported, module); ok {
				imported = module + roleOf(inner, kinds)
			}
			if why := refused(layers[i], imported); why != "" {
				found = append(found, fmt.Sprintf("%s imports %s: %s", p.ImportPath, imported, why))
			}
		}
	}
	return found
}

// kindsOf returns the packages of kinds that the registries name, and what
// stands for them.
func kindsOf(packages []listed) map[string]string {
	kinds := map[string]string{}
	for _, p := range packages {
		for _, role := range []string{aKind, aBaseline} {
			registry := strings.TrimSuffix(role, "/<kind>")
			if p.ImportPath != module+registry {
				continue
			}
			for _, imported := range p.Imports {
				path := strings.TrimPrefix(imported, module)
				if strings.HasPrefix(path, registry+"/") && !slices.ContainsFunc(layers, func(l layer) bool { return l.path == path }) {
					kinds[path] = role
				}
			}
		}
	}
	return kinds
}

// roleOf is the path by which layers names a package.
func roleOf(path string, kinds map[string]string) string { return cmp.Or(kinds[path], path) }

// refused says why a package of layer l may not import a package, "" if it may.
func refused(l layer, imported string) string {
	if inner, ok := strings.CutPrefix(imported, module); ok {
		if !slices.Contains(l.may, inner) {
			return "not below it"
		}
		return ""
	}
	if within(l.path, "testenv") {
		return ""
	}
	first, _, _ := strings.Cut(imported, "/")
	if !strings.Contains(first, ".") { // the standard library
		if l.pure && slices.ContainsFunc(impure, func(s string) bool { return within(imported, s) }) {
			return "mathematics does not wait, log or read clocks"
		}
		return ""
	}
	for library, where := range homes {
		if within(imported, library) {
			if !slices.ContainsFunc(where, func(home string) bool { return livesIn(l.path, home) }) {
				return "the library does not live there"
			}
			return ""
		}
	}
	return "the library is not listed in layers_test.go"
}

// idle returns one line for every permission that no import needs: what a rule still permits
// after the code has left it, nobody would notice when it comes back.
func idle(packages []listed) []string {
	kinds := kindsOf(packages)
	imports := map[string][]string{}
	for _, p := range packages {
		path := roleOf(strings.TrimPrefix(p.ImportPath, module), kinds)
		for _, imported := range p.Imports {
			imports[path] = append(imports[path], roleOf(strings.TrimPrefix(imported, module), kinds))
		}
	}
	var found []string
	for _, l := range layers {
		for _, inner := range l.may {
			if !slices.Contains(imports[l.path], inner) {
				found = append(found, fmt.Sprintf("%s may import %s, and does not", l.path, inner))
			}
		}
	}
	for library, where := range homes {
		for _, home := range where {
			used := false
			for path, all := range imports {
				used = used || livesIn(path, home) && slices.ContainsFunc(all, func(s string) bool { return within(s, library) })
			}
			if !used {
				found = append(found, fmt.Sprintf("%s may live in %s, and does not", library, home))
			}
		}
	}
	return found
}

// livesIn reports whether a package is a library's home, or a room of it: a command is one
// house, whatever rooms it has.
func livesIn(path, home string) bool {
	return path == home || strings.HasPrefix(home, "cmd/") && within(path, home)
}
