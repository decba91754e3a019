package testenv

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/probe"
)

// vulncheck runs the script in an environment, and returns its exit code and what it says.
func vulncheck(t *testing.T, env []string, packages ...string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*probe.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "testenv/vulncheck", packages...)
	cmd.Dir = ".."
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GOVULNDB=") && !strings.HasPrefix(v, "CREDENCE_OFFLINE=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v\n%s", err, out)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// database is one with a single entry, about a function that package cmd/internal/term calls.
func database(t *testing.T) (url string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index/db.json":      `{"modified":"2026-01-01T00:00:00Z"}`,
		"index/modules.json": `[{"path":"golang.org/x/term","vulns":[{"id":"GO-2026-0001","modified":"2026-01-01T00:00:00Z"}]}]`,
		"ID/GO-2026-0001.json": `{"schema_version":"1.3.1","id":"GO-2026-0001","modified":"2026-01-01T00:00:00Z","published":"2026-01-01T00:00:00Z",
			"summary":"made up","details":"made up","affected":[{"package":{"name":"golang.org/x/term","ecosystem":"Go"},
			"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}],
			"ecosystem_specific":{"imports":[{"path":"golang.org/x/term","symbols":["IsTerminal"]}]}}],"database_specific":{"url":"about:blank","review_status":"REVIEWED"}}`,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return "file://" + dir
}

// TestVulncheck: a vulnerable function that is called ends it with a failure, and where
// nothing can be looked up it says so.
func TestVulncheck(t *testing.T) {
	code, said := vulncheck(t, []string{"CREDENCE_OFFLINE=1"})
	if code != 0 || !strings.Contains(said, "WERE NOT LOOKED UP") {
		t.Errorf("offline: exit %d, %s", code, said)
	}
	if testing.Short() {
		t.Skip("the analysis takes some seconds")
	}
	code, said = vulncheck(t, []string{"CREDENCE_OFFLINE=1", "GOVULNDB=" + database(t)}, "./cmd/internal/term")
	if code == 0 || !strings.Contains(said, "GO-2026-0001") || !strings.Contains(said, "term.IsTerminal") {
		t.Errorf("with a vulnerability: exit %d, %s", code, said)
	}
}
