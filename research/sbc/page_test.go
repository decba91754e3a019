package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const committed = "../../docs/sbc.md"

// command runs the program and returns what it prints and what it says
// meanwhile.
func command(t *testing.T, args ...string) (out, progress string, err error) {
	t.Helper()
	var o, p bytes.Buffer
	err = run(t.Context(), args, &o, &p)
	return o.String(), p.String(), err
}

func TestCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sbc.md")
	out, progress, err := command(t, "-study", "linear: 40", "-replicates", "20", "-seed", "3", "-out", path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Seed 3;", "## linear", "20 replicates; independent draws", "| `sigma2` |"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(string(text), "\n### "); n != 1 {
		t.Errorf("%d studies, want 1", n)
	}
	if out != "" || !strings.Contains(progress, "20 replicates, seed 3") {
		t.Errorf("printed %q and %q", out, progress)
	}
	for _, args := range [][]string{{"-kind", "unheard"}, {"-kind", "anova", "-study", "linear: 40"}} {
		if _, _, err := command(t, args...); err == nil {
			t.Errorf("%q: no study is accepted", args)
		}
	}
}

// The committed page has every study's table, of the experiment that the
// program has and as many replicates, and the program's words.
func TestCommittedPageIsCurrent(t *testing.T) {
	want, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := read(string(want), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range studies() {
		var n int
		if k, ok := tables[s.title()]; !ok {
			t.Fatalf("no table of %s", s.title())
		} else if _, err := fmt.Sscanf(k.result, "%d replicates", &n); err != nil {
			t.Errorf("%s: %v", s.title(), err)
		} else if n != s.replicates {
			t.Errorf("%s: %d replicates, the study has %d", s.title(), n, s.replicates)
		}
	}
	got, progress, err := command(t, "-keep", committed)
	if err != nil {
		t.Fatal(err)
	}
	if progress != "" {
		t.Errorf("ran %s", progress)
	}
	if got != string(want) {
		t.Errorf("`go run ./research/sbc -keep docs/sbc.md -out docs/sbc.md` changes the page")
	}
}

// small is a page of linear's studies with 20 replicates each.
func small(t *testing.T, o options) (page, progress string) {
	t.Helper()
	var said bytes.Buffer
	o.seed, o.replicates = 1, 20
	p, err := o.page(t.Context(), linear(), &said)
	if err != nil {
		t.Fatal(err)
	}
	return p.String(), said.String()
}

func none(*study) bool { return false }

// One study is made anew among the tables of a page, which stay as they are,
// altered though they be; all are kept where none is asked for.
func TestOneStudyAnew(t *testing.T) {
	first, _ := small(t, options{again: none})
	altered := strings.ReplaceAll(first, "calibrated |", "altered |")
	tables, err := read(altered, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, progress := small(t, options{again: none, kept: tables}); got != altered || progress != "" {
		t.Errorf("ran %q and made\n%s", progress, got)
	}
	anew, progress := small(t, options{again: func(s *study) bool { return strings.Contains(s.name, "40 rows") }, kept: tables})
	if n := strings.Count(progress, "\n"); n != 1 {
		t.Errorf("%d studies were run:\n%s", n, progress)
	}
	const second = "### linear: 120"
	i, j, k := strings.Index(first, second), strings.Index(altered, second), strings.Index(anew, second)
	if i < 0 || anew[:k] != first[:i] || anew[k:] != altered[j:] {
		t.Errorf("made\n%s", anew)
	}
}

// A page is not kept where it is of another seed or a table of it of another
// experiment.
func TestKeepRefuses(t *testing.T) {
	text, _ := small(t, options{again: none})
	for name, c := range map[string]struct{ old, new, want string }{
		"seed":     {"Seed 1;", "Seed 2;", "not a page of seed 1"},
		"about":    {"8 shards of 5 rows", "9 shards of 5 rows", "another experiment"},
		"settings": {"replicates; independent", "replicates; settings `rank: 1`; independent", "another experiment"},
		"table":    {"| variable | KS", "| KS", "has no table"},
	} {
		altered := strings.Replace(text, c.old, c.new, 1)
		if altered == text {
			t.Fatalf("%s: nothing to replace", name)
		}
		tables, err := read(altered, 1)
		if err == nil {
			o := options{seed: 1, replicates: 20, again: none, kept: tables}
			_, err = o.page(t.Context(), linear(), io.Discard)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
