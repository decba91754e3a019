package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPlacesAreThere finds a mutant whose place in the source is gone before
// `make mutants` does.
func TestPlacesAreThere(t *testing.T) {
	names := map[string]bool{}
	for _, m := range slices.Concat(guarantees, mathematics) {
		if names[m.name] {
			t.Errorf("two mutants are called %q", m.name)
		}
		names[m.name] = true
		source, err := os.ReadFile(filepath.Join("..", "..", m.file))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(source), m.old); n != 1 {
			t.Errorf("%s: %s holds the text to change %d times, want 1", m.name, m.file, n)
		}
	}
}
