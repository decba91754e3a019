//go:build unix

package testenv

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/compose"
)

// unnamed returns the packages of layers that no row of the table of packages names: by
// path, by braces as in cdf/{lin,vec}, or by the last part of its path in the row of the
// package above it.
func unnamed(page string) []string {
	said := regexp.MustCompile("`([^` ]+)`")
	braces := regexp.MustCompile(`^(.*)\{(.*)\}$`)
	named := map[string]bool{}
	for line := range strings.Lines(page) {
		row, ok := strings.CutPrefix(line, "| ")
		if !ok {
			continue
		}
		var head []string
		for _, m := range said.FindAllStringSubmatch(row, -1) {
			if b := braces.FindStringSubmatch(m[1]); b != nil {
				for part := range strings.SplitSeq(b[2], ",") {
					named[b[1]+part] = true
				}
				continue
			}
			head = append(head, m[1])
			named[m[1]] = true
		}
		for _, inner := range head {
			named[path.Join(head[0], inner)] = true
		}
	}
	var missing []string
	for _, l := range layers {
		if l.path != aKind && l.path != aBaseline && !named[l.path] {
			missing = append(missing, l.path)
		}
	}
	return missing
}

// TestArchitectureNamesEveryPackage finds packages that docs/architecture.md leaves out, and
// packages that layers has twice, of which only the first rule would count.
func TestArchitectureNamesEveryPackage(t *testing.T) {
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range unnamed(string(page)) {
		t.Errorf("docs/architecture.md does not say what %s is", p)
	}
	if missing := unnamed(strings.ReplaceAll(string(page), "`pipeline/gather`", "")); len(missing) != 1 || missing[0] != "pipeline/gather" {
		t.Errorf("a page without pipeline/gather lacks %v", missing)
	}
	seen := map[string]bool{}
	for _, l := range layers {
		if seen[l.path] {
			t.Errorf("layers has %s twice", l.path)
		}
		seen[l.path] = true
	}
}
