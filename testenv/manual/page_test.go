package manual

import (
	"strings"
	"testing"
)

func TestAgrees(t *testing.T) {
	for _, c := range []struct {
		shown, printed string
		want           bool
	}{
		{"a b\nc", "a   b \n\nc\n", true},
		{"a\n...\nd", "a\nb\nc\nd\n", true},
		{"a\n...\nd", "a\nd\n", true},
		{"a\n...", "a\nb\n", true},
		{"took … s", "took 1.5 s\n", true},
		{"took … s", "took 1.5\ns\n", false},
		{"a", "a\nb\n", false},
		{"a\nb", "a\n", false},
		{"1.5", "1x5\n", false},
		{"| x", "  | x\n", true},
	} {
		if got := agrees(c.shown, c.printed); got != c.want {
			t.Errorf("%q for %q: %t", c.shown, c.printed, got)
		}
	}
}

func TestParse(t *testing.T) {
	steps, err := parse("x\n```sh\nbin/consumer version\n```\n<!-- file: a.yaml -->\n```yaml\na: 1\n```\n<!-- until: true -->\n\n1. in a list\n\n   <!-- output -->\n\n   ```\n   one\n     two\n   ```\n```yaml\nnot run\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []step{
		{2, "run", "", "bin/consumer version\n"},
		{5, "file", "a.yaml", "a: 1\n"},
		{9, "until", "true", ""},
		{13, "output", "", "one\n  two\n"},
	}
	if len(steps) != len(want) {
		t.Fatalf("steps %+v", steps)
	}
	for i := range want {
		if steps[i] != want[i] {
			t.Errorf("step %d: %+v, want %+v", i, steps[i], want[i])
		}
	}
	for page, why := range map[string]string{
		"<!-- output -->\ntext":                         "no block follows",
		"<!-- file: x -->":                              "no block follows",
		"```sh\nls\n":                                   "not closed",
		"```\nbin/consumer run\n```\n":                  "marked sh",
		"```bash\nls\n```\n":                            "marked sh",
		"<!-- file: x -->\n<!-- output -->\n```\n```\n": "no block follows",
	} {
		if _, err := parse(page); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", page, err, why)
		}
	}
}
