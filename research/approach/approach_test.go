package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/credence-stream/credence/research/study"
)

// The page that is committed has the words of the template and the table of every
// experiment.
func TestCommittedPageIsCurrent(t *testing.T) {
	text, err := os.ReadFile("../../docs/theory.md")
	if err != nil {
		t.Fatal(err)
	}
	rest := string(text)
	for i, part := range strings.Split(page, "{{table ") {
		if i > 0 {
			_, part, _ = strings.Cut(part, "}}")
		}
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Fatalf("the page lacks, or has elsewhere: %q; run make theory", part)
		}
		rest = after
	}
	for _, e := range study.Approaches() {
		if !strings.Contains(string(text), "\n"+e.About+"; ") {
			t.Errorf("the page lacks experiment %s", e.Name)
		}
	}
}

// A short run makes the page, with both ends of every experiment's shards.
func TestCommand(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-reps", "1", "-shards", "16"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| method | variables | t = 1 | t = 4 | t = 16 |", "| `cdf-paper` | `beta` |", "1 replications of 16 shards"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
