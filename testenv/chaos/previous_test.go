//go:build unix

package chaos

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/compose"
)

// previousCommits are the release before, from which an upgrade has to work and to which a group
// has to go back, one that cannot read some of the states that this release writes, and the last one that
// can read none: there, an upgrade is one way.
//
//go:embed PREVIOUS
var previousCommits string

// buildPrevious compiles the consumers of these releases, or that of CREDENCE_BASE alone, from
// the repository's history. Where that is not at hand, the test is skipped with a loud
// line, and fails in CI.
func buildPrevious(t *testing.T) (previous, partly, unaware string) {
	t.Helper()
	if base := os.Getenv("CREDENCE_BASE"); base != "" {
		return buildAt(t, base), "", ""
	}
	commits := strings.Fields(previousCommits)
	return buildAt(t, commits[0]), buildAt(t, commits[1]), buildAt(t, commits[2])
}

// buildAt compiles the consumer of a commit.
func buildAt(t *testing.T, base string) (binary string) {
	t.Helper()
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "git", "-C", root, "rev-parse", "--verify", "--quiet", base+"^{commit}").CombinedOutput()
	if err != nil {
		why := fmt.Sprintf("%s, a release before, is not in this clone (%v%s): git fetch --unshallow, or git fetch origin %[1]s, "+
			"or name another one with make drill BASE=<commit>", base, err, out)
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		fmt.Fprintf(os.Stderr, "\n*** NOT TESTED, AN UPGRADE FROM THE RELEASE BEFORE: %s ***\n\n", why)
		t.Skip(why)
	}
	source, dir := t.TempDir(), t.TempDir()
	archive := filepath.Join(dir, "source.tar")
	execute(t.Context(), t, root, "git", "archive", "--format=tar", "-o", archive, base)
	execute(t.Context(), t, source, "tar", "-xf", archive)
	execute(t.Context(), t, source, "go", "build", "-o", dir+string(filepath.Separator), "./cmd/consumer")
	t.Logf("a release before is commit %s", base)
	return filepath.Join(dir, "consumer")
}

// execute runs a program in a folder.
func execute(ctx context.Context, t *testing.T, dir, program string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
}
