package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Commands that change what is stored say who did it, to what and how much, and change nothing
// where they cannot say so.
func TestAuditOfCommands(t *testing.T) {
	w := settled(t)
	dir := t.TempDir()
	file, export := filepath.Join(dir, "audit"), filepath.Join(dir, "all.arrows")
	told := func(command, count string, args ...string) {
		t.Helper()
		before, _ := os.ReadFile(file)
		_, messages := w.must(append(args, "--set", "log.audit_file="+file)...)
		if want := ": " + command + ", group credence, topic shards: " + count; !strings.Contains(messages, "consumer: audit: ") || !strings.Contains(messages, want) {
			t.Errorf("%v: no %q in %s", args, want, messages)
		}
		after, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(strings.TrimPrefix(string(after), string(before))), "\n")
		if len(lines) != 2 {
			t.Fatalf("%v: %q", args, lines)
		}
		number, things, _ := strings.Cut(count, " ")
		for i, msg := range []string{"command begins", "command ended"} {
			var l map[string]json.RawMessage
			if err := json.Unmarshal([]byte(lines[i]), &l); err != nil {
				t.Fatalf("%s: %v", lines[i], err)
			}
			for name, want := range map[string]string{"msg": `"` + msg + `"`, "audit": "true", "command": `"` + command + `"`, "group": `"credence"`, "topic": `"shards"`} {
				if string(l[name]) != want {
					t.Errorf("%s: %s is not %s", lines[i], name, want)
				}
			}
			if len(l["user"]) < 3 || len(l["host"]) < 3 || len(l["time"]) < 12 || i == 1 && string(l[things]) != number {
				t.Errorf("%s: user, host, time and %s are not all there", lines[i], count)
			}
		}
	}
	w.must("state", "export", "--out", export)
	if code, _, messages := w.consumer("state", "delete", "a/1", "--yes", "--wait", "0", "--set", "log.audit_file="+dir); code != 1 || !strings.Contains(messages, "log.audit_file: ") || !strings.Contains(messages, "nothing was changed") {
		t.Errorf("a file that cannot be written: exit %d %s", code, messages)
	}
	if n := len(w.read("shards")); n != 3*len(stateKeys) {
		t.Errorf("%d records: a deletion without its line", n)
	}
	told("state repair", "5 keys", "state", "repair", "--yes", "--partition", "0,1,2,3")
	w.must("run", "--until-end")
	told("state import", "5 keys", "state", "import", "--in", export, "--force", "--yes")
	told("state delete", "2 keys", "state", "delete", "--key", "a/1*", "--yes", "--wait", "0")
	told("dead-letters replay", "0 letters", "dead-letters", "replay")
	w.must("run", "--until-end")
	told("state delete --all", "3 keys", "state", "delete", "--all", "--yes")
	w.must("run", "--until-end")
	told("rescale --to 8", "3 keys", "rescale", "--to", "8", "--yes", "--export", filepath.Join(dir, "8.arrows"))
}
