package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A decision has a number of its own, which its title repeats, and at most 40 lines (CONTRIBUTING.md).
func TestDecisions(t *testing.T) {
	files, err := filepath.Glob("adr/*.md")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d decisions, error %v", len(files), err)
	}
	numbers := map[int]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var number int
		if _, err := fmt.Sscanf(filepath.Base(name), "%04d-", &number); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if other := numbers[number]; other != "" {
			t.Errorf("%s has the number of %s", name, other)
		}
		numbers[number] = name
		if title := fmt.Sprintf("# %d. ", number); !strings.HasPrefix(string(text), title) {
			t.Errorf("%s does not begin with %q", name, title)
		}
		if n := strings.Count(string(text), "\n"); n > 40 {
			t.Errorf("%s has %d lines, at most 40", name, n)
		}
	}
}
