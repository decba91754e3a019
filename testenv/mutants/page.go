package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// pageFolder is the page's source; its mutants are tried with the page's own tests.
const pageFolder = "sink/web/ui"

// ofPage are the faults that the page's links, numbers and bounds rest on not being there. Their tests
// are files of Vitest.
var ofPage = []mutant{
	{"page: a link loses a part of an axis", pageFolder + "/src/router.ts",
		"lo! < hi! ? [lo!, hi!] : null", "lo! > hi! ? [lo!, hi!] : null", "test/unit/router.test.ts", nil},
	{"page: a link loses the rows to predict", pageFolder + "/src/key/predictform.ts",
		"? { rows } : null", "? null : null", "src/key/predictform.test.ts", nil},
	{"page: a link brings the time of another zone", pageFolder + "/src/key/predictform.ts",
		"localTime(new Date(value as string)) : String(value)", "String(value).slice(0, 19) + 'Z' : String(value)", "src/key/predictform.test.ts", nil},
	{"page: all keys are asked for", pageFolder + "/src/overview/keys.ts",
		"const opening = 2_000", "const opening = 300_000", "test/unit/overview.test.ts", nil},
	{"page: keys come out of their turn", pageFolder + "/src/overview/keys.ts",
		"whole || sort === 'newest'", "true || sort === 'newest'", "test/unit/overview.test.ts", nil},
	{"page: search looks only at what is loaded", pageFolder + "/src/overview/keys.ts",
		"if (more === 'none' && !loading", "if (!loading", "test/unit/overview.test.ts", nil},
	{"page: a stream does not go on where it was", pageFolder + "/src/live.ts",
		"since: this.last }", "since: '' }", "test/unit/live.test.ts", nil},
	{"page: residuals not put on the curve", pageFolder + "/src/instruments/partial.ts",
		"at.y + s.observed - mean", "s.observed - mean", "src/instruments/partial.test.ts", nil},
	{"page: transforms in the class beside theirs", pageFolder + "/src/instruments/windows.ts",
		"pit.slice(k * size, (k + 1) * size)", "pit.slice(k * size + 1, (k + 1) * size + 1)", "src/instruments/windows.test.ts", nil},
	{"page: a flag that stays rises again", pageFolder + "/src/key/risings.ts",
		"!before.includes(f)", "f !== ''", "src/key/risings.test.ts", nil},
}

// packages of npm are installed once for all mutants of the page, beside the temporary files.
var npmPackages = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "credence-mutants-page-")
	if err != nil {
		return "", err
	}
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join(filepath.FromSlash(pageFolder), name))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return "", err
		}
	}
	cmd := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("npm ci for the mutants of the page, which need Node.js: %w\n%s", err, out), os.RemoveAll(dir))
	}
	return filepath.Join(dir, "node_modules"), nil
})

// forgetPackages removes what npmPackages installed for these mutants, if any is of the page.
func forgetPackages(all []mutant) error {
	for _, m := range all {
		if !m.ofPage() {
			continue
		}
		modules, err := npmPackages()
		if err != nil {
			return nil //nolint:nilerr // nothing was installed
		}
		return os.RemoveAll(filepath.Dir(modules))
	}
	return nil
}

func (m mutant) ofPage() bool { return strings.HasPrefix(m.file, pageFolder+"/") }

// failedPageTest names the first test that failed.
var failedPageTest = regexp.MustCompile(`(?m)^ *FAIL +(\S+ > .*)$`)

// plantPage copies the page's source to dir with the mutant in it and returns the test that failed.
func (m mutant) plantPage(ctx context.Context, dir string) (finder string, err error) {
	modules, err := npmPackages()
	if err != nil {
		return "", err
	}
	ui := filepath.Join(dir, "ui")
	for _, part := range []string{"src", "test"} {
		if err := os.CopyFS(filepath.Join(ui, part), os.DirFS(filepath.Join(filepath.FromSlash(pageFolder), part))); err != nil {
			return "", err
		}
	}
	configured, err := filepath.Glob(filepath.Join(filepath.FromSlash(pageFolder), "*.*"))
	if err != nil {
		return "", err
	}
	for _, name := range configured {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(ui, filepath.Base(name)), text, 0o600); err != nil {
			return "", err
		}
	}
	if err := os.Symlink(modules, filepath.Join(ui, "node_modules")); err != nil {
		return "", err
	}
	text, err := m.changed()
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(ui, filepath.FromSlash(strings.TrimPrefix(m.file, pageFolder))), text, 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "npx", "vitest", "run", "--bail=1", m.tests)
	cmd.Dir, cmd.Env = ui, append(os.Environ(), "NO_COLOR=1", "CI=true")
	return finderOf(cmd, failedPageTest)
}
