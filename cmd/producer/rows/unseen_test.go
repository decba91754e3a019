package rows

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Keys that are integers with a fraction of 0 are told, where all are.
func TestKeysWithAFraction(t *testing.T) {
	for content, want := range map[string]bool{
		"k,x\n1.0,1\n,2\n12.0,3\n": true, "k,x\n1.0,1\n1.5,2\n": false, "k,x\n1,1\n2,2\n": false, "k,x\nv1.0,1\n": false,
	} {
		path := filepath.Join(t.TempDir(), "in.csv")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(opened(t, path, Selection{KeyColumn: "k"}).Notes(), "\n")
		if got := strings.Contains(notes, `has keys with a fraction of 0 (as "1.0"), as programs write integers where some are missing: "1" is another key`); got != want {
			t.Errorf("%q: %q", content, notes)
		}
	}
}

// Names of a CSV file are what is seen of them; texts and keys are kept, and a note shows them.
func TestUnseenCharacters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in.csv")
	if err := os.WriteFile(path, []byte("\ufeff\ufeffshop\u200b,\u200ex,l,y\u00a0\nA,1\u200b,a,\u2060\nA,\u00a0\t,a,\t\nB\u200b,\ufeff2,b\ufeff,3\n"), 0o600); err != nil {
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
	for _, want := range []string{
		`column "shop" has keys with characters that are not seen around them, which are kept (as "B\u200b"): "B" without`,
		`column "l" has text with characters that are not seen around it, which are kept (as line 4 has it: "b\ufeff"): "b" without`,
		`column "y" has nothing but characters that are not seen (as "\u2060"), read as missing, once`,
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q: %s", want, notes)
		}
	}
	if strings.Contains(notes, `"x" has nothing`) {
		t.Errorf("blanks are told of: %s", notes)
	}
	if got := fmt.Sprint(readAll(t, src)); got != "[A 1 \"a\" null A null \"a\" null B\u200b 2 \"b\\ufeff\" 3]" {
		t.Errorf("the rows are %s", got)
	}
}
