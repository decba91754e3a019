package clitest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "write the pages of docs/reference anew")

// CheckPage compares a page of docs/reference, whose path is given from the
// package under test, with what the program says of itself. With -update it
// writes the page.
func CheckPage(t *testing.T, path, want string) {
	t.Helper()
	path = filepath.FromSlash(path)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the program says of itself: run make reference", path)
	}
}

// Commands returns a Markdown page of the commands below root that its help
// shows.
func Commands(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: its commands\n\nMade from the program by `make reference`.\n\n%s\n", root.Name(), strings.TrimSpace(long(root)))
	for _, c := range shown(root) {
		appendCommand(&b, c)
	}
	return b.String()
}

func appendCommand(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", c.CommandPath(), strings.TrimSpace(long(c)))
	if c.Runnable() {
		fmt.Fprintf(b, "\n```\n%s\n```\n", c.UseLine())
	}
	if c.HasExample() {
		fmt.Fprintf(b, "\nExamples:\n\n```\n%s\n```\n", strings.TrimRight(c.Example, "\n"))
	}
	var rows []string
	c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && !f.Hidden {
			rows = append(rows, flagRow(f))
		}
	})
	if len(rows) > 0 {
		fmt.Fprintf(b, "\n| flag | meaning | default |\n| --- | --- | --- |\n%s", strings.Join(rows, ""))
	}
	for _, sub := range shown(c) {
		appendCommand(b, sub)
	}
}

func flagRow(f *pflag.Flag) string {
	value, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if value != "" {
		name += " " + value
	}
	fallback := f.DefValue
	switch fallback {
	case "", "[]", "false":
		fallback = ""
	default:
		fallback = "`" + fallback + "`"
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", name, strings.ReplaceAll(usage, "|", `\|`), fallback)
}

// shown returns the commands that help lists, but help itself.
func shown(c *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			list = append(list, sub)
		}
	}
	return list
}

func long(c *cobra.Command) string {
	if c.Long != "" {
		return c.Long
	}
	return c.Short + "."
}
