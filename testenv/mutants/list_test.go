package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlacesAreThere finds a mutant whose place in the source is gone before
// `make mutants` does.
func TestPlacesAreThere(t *testing.T) {
	names := map[string]bool{}
	for _, m := range every() {
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

// TestShares: the shares of a list are the list.
func TestShares(t *testing.T) {
	var parts [3]share
	for i := range parts {
		if err := parts[i].Set(fmt.Sprintf("%d/3", i)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		n := 0
		for _, p := range parts {
			if p.has(i) {
				n++
			}
		}
		if n != 1 || !(share{}).has(i) {
			t.Errorf("mutant %d is in %d of the shares", i, n)
		}
	}
	for _, bad := range []string{"", "3/3", "-1/3", "1", "a/b"} {
		if (&share{}).Set(bad) == nil {
			t.Errorf("%q passes for a share", bad)
		}
	}
}
