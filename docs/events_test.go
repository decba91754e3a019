package docs

import (
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEventsAreListed compares the messages that the program logs with those that
// operations.md lists, both ways.
func TestEventsAreListed(t *testing.T) {
	logged := map[string]bool{}
	call := regexp.MustCompile(`\.(?:(?:Debug|Info|Warn|Error)\(|Log\([^,]*, [^,]*, )"([^"]+)"`)
	variable := regexp.MustCompile(`(?:log|Log|logger|Logger|to)\.(?:Debug|Info|Warn|Error)\([^"]`)
	for _, root := range []string{"../pipeline", "../sink", "../cmd/consumer"} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			text := read(t, name)
			if !strings.Contains(text, `"log/slog"`) && !strings.Contains(strings.ToLower(text), ".logger.") {
				return nil
			}
			for _, m := range call.FindAllStringSubmatch(text, -1) {
				logged[m[1]] = true
			}
			if m := variable.FindString(text); m != "" {
				t.Errorf("%s: a message that is not written out cannot be listed: %s", name, m)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	_, section, found := strings.Cut(read(t, "operations.md"), "\n## Log\n")
	if !found {
		t.Fatal("operations.md has no heading Log")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	listed := map[string]bool{}
	for _, row := range cells(section)[2:] {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[0], -1) {
			listed[m[1]] = true
		}
	}
	for _, msg := range slices.Sorted(maps.Keys(logged)) {
		if !listed[msg] {
			t.Errorf("operations.md does not list the event %q", msg)
		}
	}
	for _, msg := range slices.Sorted(maps.Keys(listed)) {
		if !logged[msg] {
			t.Errorf("operations.md lists the event %q, which nothing logs", msg)
		}
	}
}
