package rows

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Names of a CSV file are what is seen of them; texts and keys are kept, and a note shows them.
func TestUnseenCharacters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.csv")
	if err := os.WriteFile(path, []byte("\ufeff\ufeffshop\u200b,\u200ex,l,y\u00a0\nA,1\u200b,a,\u2060\nB\u200b,\ufeff2,b\ufeff,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	src := opened(t, path, Selection{KeyColumn: "shop"})
	var names []string
	for _, f := range src.Fields() {
		names = append(names, f.Name)
	}
	if got := fmt.Sprintf("%q", names); got != `["x" "l" "y"]` {
		t.Errorf("the columns are %s", got)
	}
	notes := strings.Join(src.Notes(), "\n")
	for _, want := range []string{`(as "B\u200b"): "B" without`, `(as line 3 has it: "b\ufeff"): "b" without`} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q: %s", want, notes)
		}
	}
	if got := fmt.Sprint(readAll(t, src)); got != "[A 1 \"a\" null B\u200b 2 \"b\\ufeff\" 3]" {
		t.Errorf("the rows are %s", got)
	}
}
