//go:build unix

package interop

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/compose"
	"github.com/credence-stream/credence/testenv/probe"
	"github.com/credence-stream/credence/testenv/programs"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }

// backend is the last that CREDENCE_BACKEND names. Without it the test is
// skipped: clients are many and slow to start, and what they are to prove is
// that they work with a real broker.
func backend(t *testing.T) testenv.Backend {
	t.Helper()
	if os.Getenv("CREDENCE_BACKEND") == "" {
		t.Skip("clients are tested by make integration (CREDENCE_BACKEND=real)")
	}
	all := testenv.Backends(t)
	if len(all) == 0 {
		t.Skip("no servers") // said so, loudly
	}
	return all[len(all)-1]
}

// run runs a program to its end, in a UTF-8 locale and without variables that
// would configure ours, and returns what it printed. One that fails fails the
// test.
func run(t *testing.T, stdin io.Reader, program string, args ...string) string {
	t.Helper()
	out, err := attempt(t, stdin, program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func attempt(t *testing.T, stdin io.Reader, program string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = surroundings()
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = stdin, &said
	cmd.WaitDelay = time.Second // for what a script has started
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, programs.Last(said.String()))
	}
	return string(out), nil
}

// surroundings are those of programs, in a UTF-8 locale.
func surroundings() []string {
	env := []string{"LC_ALL=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1"}
	for _, v := range programs.Surroundings() {
		if !strings.HasPrefix(v, "LC_") {
			env = append(env, v)
		}
	}
	return env
}

// example returns the path of a file of examples/clients.
func example(t *testing.T, path string) string {
	t.Helper()
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "examples", "clients", filepath.FromSlash(path))
}
