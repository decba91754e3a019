package docs

import (
	"fmt"
	"go/ast"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// One thing has one name: "dead letters" in prose, dead_letters in YAML, JSON and metrics,
// dead-letters in commands, addresses and names of files (CONTRIBUTING.md). Topics end in
// .dead. The group <group>.dlq, runs that begin with dlq. and the alias dlq of the command are
// older, and stored or typed somewhere.
var (
	otherInProse = regexp.MustCompile(`(?i)\bdlqs?\b|\bdead[-_]letter|\bdeadletter|\bdead letter(?:s)? queue|\bdead queue`)
	otherInCode  = regexp.MustCompile(`(?:^|[^.\w<>])(?:dlq|DLQ)(?:[^.\w]|$)|\b(?i:dead[-_ ]letter[-_ ]?queue)|\b(?i:dead-letter)(?:[^s]|$)|\bdeadletters?\s*[:=]`)
)

// code is what a page shows as it is typed: fenced, in backticks, an address or a comment.
var code = regexp.MustCompile("(?s)```.*?```|`[^`]*`|<!--.*?-->|\\]\\([^)]*\\)")

// wordsOf returns what is wrong with the words of a text.
func wordsOf(name, text string) (wrong []string) {
	say := func(found string) { wrong = append(wrong, fmt.Sprintf("%s: %q", name, found)) }
	if filepath.Ext(name) != ".md" || strings.HasPrefix(name, "docs/reference/") { // what programs say of themselves
		for _, found := range otherInCode.FindAllString(text, -1) {
			say(found)
		}
		return wrong
	}
	text = strings.ReplaceAll(text, "alias `dlq`", "alias")
	for _, part := range code.FindAllString(text, -1) {
		if found := otherInCode.FindString(part); found != "" {
			say(found)
		}
	}
	for _, found := range otherInProse.FindAllString(code.ReplaceAllString(text, " "), -1) {
		say(found)
	}
	return wrong
}

func TestDeadLettersHaveOneName(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "git", "-C", "..", "ls-files", "*.md", "*.yaml", "*.html", "*.ts", "*.tsx", "*.py", "*.R", "*.sh", "*.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "testenv/") || strings.HasPrefix(name, "sink/web/dist/") {
			continue
		}
		files++
		text := ""
		if filepath.Ext(name) == ".go" {
			text = literals(t, "../"+name)
		} else {
			text = read(t, "../"+name)
		}
		for _, wrong := range wordsOf(name, text) {
			t.Errorf("%s is none of: dead letters, dead_letters, dead-letters", wrong)
		}
	}
	if files < 300 {
		t.Errorf("only %d files were looked at", files)
	}
}

// literals are the texts in a source, one to a line, without the paths of imports and the
// alias of the command.
func literals(t *testing.T, name string) string {
	t.Helper()
	var all []string
	ast.Inspect(source(t, name), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Aliases" {
				return false
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				all = append(all, n.Value)
			}
		}
		return true
	})
	return strings.Join(all, "\n")
}

// TestOtherWordsAreFound plants one deviation of each kind.
func TestOtherWordsAreFound(t *testing.T) {
	for _, c := range []struct {
		name, text string
		wrong      bool
	}{
		{"a.md", "Dead letters go to the dead letter topic, `shards.dead`, as `kafka.dead_letters` says.", false},
		{"a.md", "`consumer dead-letters list` reads the group `<group>.dlq` and runs `dlq.<topic>.<partition>`; [more](dead-letters.md#dead-letters).", false},
		{"a.md", "`limits.dead_letter` bounds one.", false},
		{"a.md", "The DLQ has them.", true},
		{"a.md", "It is dead-lettered.", true},
		{"a.md", "The dead letter queue.", true},
		{"a.md", "Then `consumer dlq list`.", true},
		{"a.md", "```sh\nconsumer dlq replay\n```\n", true},
		{"a.md", "The flag `--dead-letter-topic`.", true},
		{"a.yaml", "dead_letters: shards.dead\n", false},
		{"a.yaml", "deadletter: shards.dead\n", true},
		{"a.ts", "title: 'Dead letters', href: '/operations#dead-letters'", false},
		{"a.ts", "title: 'DLQ'", true},
		{"a.go", `"see " + consumer + " dlq list"`, true},
		{"a.go", `group + ".dlq"`, false},
	} {
		if wrong := wordsOf(c.name, c.text); (len(wrong) > 0) != c.wrong {
			t.Errorf("%s: %s: found %q, wrong: %t", c.name, c.text, wrong, c.wrong)
		}
	}
}
