//go:build unix

// Package rscript runs R scripts for tests that compare with programs of R.
package rscript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/credence-stream/credence/testenv/install"
)

// Run runs a script with the CRAN packages attached and returns what it
// printed; stdin may be nil, and the script finds args by
// commandArgs(trailingOnly = TRUE). A script that fails fails the test, with
// what it said.
//
// R and the packages are installed, from Debian, if they can be. Where that
// fails the test fails in CI (CI=true); elsewhere a loud line says so and the
// test is skipped. What they need is a minute on the first run.
func Run(t testing.TB, packages []string, script string, stdin io.Reader, args ...string) string {
	t.Helper()
	program, err := Find(t.Context(), packages)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("R: %v", err)
		}
		fmt.Fprintf(os.Stderr, "\n*** NOT COMPARED WITH R %s: %v ***\n\n", strings.Join(packages, ", "), err)
		t.Skipf("R: %v", err)
	}
	out, err := run(t.Context(), program, t.TempDir(), attach(packages)+script, stdin, args)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// known are the paths that Find has returned, by the code that attaches the
// packages: some take seconds to load.
var known sync.Map

// Find returns the path of an Rscript that has the packages, which it installs
// if it can.
func Find(ctx context.Context, packages []string) (path string, err error) {
	code := attach(packages)
	if path, ok := known.Load(code); ok {
		return path.(string), nil
	}
	defer func() {
		if err == nil {
			known.Store(code, path)
		}
	}()
	if path, err := exec.LookPath("Rscript"); err == nil && has(ctx, path, packages) == nil {
		return path, nil
	}
	i, err := install.New(ctx, nil)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	if path, err = i.Program(ctx, "Rscript", "r-base-core"); err != nil {
		return "", err
	}
	if has(ctx, path, packages) == nil { // somebody else's lock is over
		return path, nil
	}
	if err := i.Packages(ctx, debian(packages)...); err != nil {
		return "", err
	}
	return path, has(ctx, path, packages)
}

// debian returns the names under which Debian has CRAN's packages.
func debian(packages []string) []string {
	var names []string
	for _, p := range packages {
		names = append(names, "r-cran-"+strings.ToLower(p))
	}
	return names
}

// has reports, as an error, what is missing.
func has(ctx context.Context, program string, packages []string) error {
	if out, err := exec.CommandContext(ctx, program, "--vanilla", "-e", attach(packages)).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// attach is R code. Packages greet on attachment.
func attach(packages []string) string {
	var code strings.Builder
	for _, p := range packages {
		fmt.Fprintf(&code, "suppressPackageStartupMessages(library(%s))\n", p)
	}
	return code.String()
}

// run runs a script, from a file in dir, as an argument of Rscript may hold
// 10,000 characters only.
func run(ctx context.Context, program, dir, script string, stdin io.Reader, args []string) (string, error) {
	file := filepath.Join(dir, "script.R")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, program, append([]string{"--vanilla", file}, args...)...)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = stdin, &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("script: %w: %s", err, said.Bytes())
	}
	return string(out), nil
}
