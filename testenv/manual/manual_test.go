//go:build unix

package manual

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv"
	"github.com/credence-stream/credence/testenv/compose"
	"github.com/credence-stream/credence/testenv/probe"
	"github.com/credence-stream/credence/testenv/programs"
)

var binaries string // the folder of both programs

func TestMain(m *testing.M) { os.Exit(programs.Main(m, &binaries)) }

// pages returns the pages of the manual below the module's root.
func pages(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/howto/*.md", "docs/models/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	if len(all) < 10 {
		t.Fatalf("found only %q", all)
	}
	return all
}

// TestPages follows every page that has commands.
func TestPages(t *testing.T) {
	root, err := compose.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range pages(t, root) {
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := parse(string(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(steps) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, b := range testenv.Backends(t) {
				t.Run(string(b), func(t *testing.T) { follow(t, testenv.Open(t, b), root, name, steps) })
			}
		})
	}
}

// reader is somebody who does what a page says.
type reader struct {
	t       *testing.T
	root    string
	page    string
	dir     string
	replace *strings.Replacer // of the addresses of a page by those of the test
	restore *strings.Replacer // the other way
	printed string            // by the last commands

	listen    string   // for configurations that name no address of HTTP
	terminals []func() // what ends them, the newest last
}

func follow(t *testing.T, env *testenv.Env, root, page string, steps []step) {
	r := &reader{t: t, root: root, page: page, dir: t.TempDir()}
	for name, folder := range map[string]string{"bin": binaries, "cmd": filepath.Join(root, "cmd"), "examples": filepath.Join(root, "examples")} {
		if err := os.Symlink(folder, filepath.Join(r.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	first, second := freeAddress(t), freeAddress(t)
	r.replace = strings.NewReplacer(
		"127.0.0.1:9092", env.Brokers()[0], "redis://127.0.0.1:6379/0", env.RedisURL(),
		"127.0.0.1:8080", first, "127.0.0.1:8081", second,
	)
	r.restore = strings.NewReplacer(
		env.Brokers()[0], "127.0.0.1:9092", env.RedisURL(), "redis://127.0.0.1:6379/0",
		strings.TrimPrefix(env.RedisURL(), "redis://"), "127.0.0.1:6379/0",
		first, "127.0.0.1:8080", second, "127.0.0.1:8081",
	)
	r.listen = first
	for _, s := range steps {
		r.settle()
		switch s.does {
		case "file":
			if err := os.WriteFile(filepath.Join(r.dir, s.what), []byte(s.text), 0o600); err != nil {
				t.Fatal(err)
			}
		case "run":
			r.run(s, 0)
		case "fails":
			code, err := strconv.Atoi(s.what)
			if err != nil {
				t.Fatalf("%s:%d: %v", page, s.line, err)
			}
			r.run(s, code)
		case "terminal":
			r.terminal(s)
		case "stop":
			last := len(r.terminals) - 1
			if last < 0 {
				t.Fatalf("%s:%d: no terminal is open", page, s.line)
			}
			r.terminals[last]()
			r.terminals = r.terminals[:last]
		case "until":
			r.until(s)
		case "output":
			if !agrees(s.text, r.restore.Replace(r.printed)) {
				t.Errorf("%s:%d: the page shows\n%s\nand it printed\n%s", page, s.line, s.text, r.printed)
			}
		case "elsewhere":
			r.elsewhere(s)
		}
	}
}

// freeAddress is one that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	address, err := probe.FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// settle points the configurations of the page's folder, also those that a
// program has written, at the servers of the test.
func (r *reader) settle() {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.dir, "*.yaml"))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			r.t.Fatal(err)
		}
		settled := r.replace.Replace(string(text))
		if strings.Contains(settled, "models:") && !strings.Contains(settled, "http:") {
			settled += "\nhttp: {listen: \"" + r.listen + "\"}\n"
		}
		if settled == string(text) {
			continue
		}
		// A program of another terminal may be about to read it.
		draft := name + ".draft"
		if err := os.WriteFile(draft, []byte(settled), 0o600); err != nil {
			r.t.Fatal(err)
		}
		if err := os.Rename(draft, name); err != nil {
			r.t.Fatal(err)
		}
	}
}

// shell returns a command of the page's folder.
func (r *reader) shell(ctx context.Context, text string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", r.replace.Replace(text))
	cmd.Dir = r.dir
	cmd.Env = append(programs.Surroundings(), "NO_COLOR=1")
	// A signal reaches what the shell has started, too.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// drafted finds a configuration that a block writes by init.
var drafted = regexp.MustCompile(` init .*--out (\S+)`)

func (r *reader) run(s step, code int) {
	r.t.Helper()
	if m := drafted.FindStringSubmatch(s.text); m != nil && strings.Contains(s.text, "--config "+m[1]) {
		r.t.Fatalf("%s:%d: what init writes is used in a block of its own: only then it has the addresses of the test", r.page, s.line)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), probe.Patience)
	defer cancel()
	cmd := r.shell(ctx, s.text)
	var messages strings.Builder
	var data strings.Builder
	cmd.Stdout, cmd.Stderr = &data, &messages
	err := cmd.Run()
	r.printed = data.String()
	if got := cmd.ProcessState.ExitCode(); got != code {
		r.t.Fatalf("%s:%d: exit code %d, want %d (%v)\n%s\nprinted\n%s%s", r.page, s.line, got, code, err, s.text, programs.Last(r.printed), programs.Last(messages.String()))
	}
	if code != 0 || r.printed == "" {
		r.printed += messages.String() // what a reader sees
	}
}

// terminal runs commands until they are stopped or the page ends.
func (r *reader) terminal(s step) {
	r.t.Helper()
	cmd := r.shell(context.WithoutCancel(r.t.Context()), s.text)
	var said programs.Transcript
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	end := sync.OnceFunc(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		_ = cmd.Wait() // it may have ended before
	})
	r.terminals = append(r.terminals, end)
	r.t.Cleanup(func() {
		end()
		if r.t.Failed() {
			r.t.Logf("%s:%d said\n%s", r.page, s.line, programs.Last(said.String()))
		}
	})
}

func (r *reader) until(s step) {
	r.t.Helper()
	programs.Eventually(r.t, fmt.Sprintf("%s:%d: %s", r.page, s.line, s.what), func() (bool, error) {
		ctx, cancel := context.WithTimeout(r.t.Context(), probe.Patience)
		defer cancel()
		out, err := r.shell(ctx, s.what).CombinedOutput()
		if err != nil {
			return false, fmt.Errorf("%w: %s", err, programs.Last(string(out)))
		}
		r.printed = string(out)
		return true, nil
	})
}

// elsewhere checks that there is a test of the name, or a step of CI.
func (r *reader) elsewhere(s step) {
	r.t.Helper()
	if strings.Contains(s.what, " ") {
		script, err := os.ReadFile(filepath.Join(r.root, ".ci", "run"))
		if err != nil {
			r.t.Fatal(err)
		}
		if !strings.Contains(string(script), s.what) {
			r.t.Errorf("%s:%d: .ci/run has no %q", r.page, s.line, s.what)
		}
		return
	}
	test := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(s.what) + `\(t \*testing\.T\)`)
	found := false
	err := filepath.WalkDir(r.root, func(path string, d os.DirEntry, err error) error {
		if err != nil || found || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		found = found || test.Match(text)
		return err
	})
	if err != nil || !found {
		r.t.Errorf("%s:%d: there is no test %q (%v)", r.page, s.line, s.what, err)
	}
}
