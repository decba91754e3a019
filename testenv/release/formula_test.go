//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/install"
)

// ruby returns the interpreter. Where there is none the test fails in CI; elsewhere a loud
// line says so.
func ruby(t *testing.T) (path string) {
	t.Helper()
	i, err := install.New(t.Context(), nil)
	if err == nil {
		path, err = i.Program(t.Context(), "ruby", "ruby")
		err = errors.Join(err, i.Close())
	}
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("ruby: %v", err)
	}
	fmt.Fprintf(os.Stderr, "\n*** THE FORMULA IS NOT TESTED WITH RUBY: %v ***\n\n", err)
	return ""
}

// poured is what testdata/formula.rb prints.
type poured struct {
	URL, SHA256, Version string
	Bin, Versions        []string
	Completions          []string
}

// evaluated is what the formula says on a system, and what it installed from a folder.
func evaluated(t *testing.T, ruby, formula, system, processor, folder string) (p poured) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), ruby, filepath.Join("testdata", "formula.rb"), formula, system, processor, folder).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("%v\n%s", err, exit.Stderr)
	}
	if err != nil || json.Unmarshal(out, &p) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return p
}

// pours installs the archive of this system by the formula.
func pours(t *testing.T, formula, folder string, s *source) {
	t.Helper()
	program := ruby(t)
	if program == "" {
		return
	}
	processor := map[string]string{"amd64": "intel", "arm64": "arm"}[runtime.GOARCH]
	p := evaluated(t, program, formula, "linux", processor, folder)
	sum := fmt.Sprintf("%x", sha256.Sum256(readFile(t, filepath.Join(filepath.Dir(formula), filepath.Base(p.URL)))))
	if p.SHA256 != sum {
		t.Errorf("the formula says %s of %s, which is %s", p.SHA256, p.URL, sum)
	}
	want := append([]string{binary}, links...)
	slices.Sort(want)
	if !slices.Equal(p.Bin, want) {
		t.Errorf("installed %q, want %q", p.Bin, want)
	}
	for i, name := range p.Bin {
		if !strings.HasPrefix(p.Versions[i], name+" ") || !strings.Contains(p.Versions[i], s.revision[:12]) {
			t.Errorf("%s --version: %s", name, p.Versions[i])
		}
	}
	for _, script := range p.Completions {
		if !strings.Contains(script, binary) {
			t.Errorf("no completion script: %.200s", script)
		}
	}
}

// TestFormula writes the formula of archives that are stand-ins, and reads it as Homebrew
// does on every system that it knows; without ruby, line by line.
func TestFormula(t *testing.T) {
	s := &source{root: root, version: "v1.2.3"}
	out := t.TempDir()
	var made []archive
	for target := range strings.SplitSeq(targets, ",") {
		system, processor, _ := strings.Cut(target, "/")
		a := archive{system, processor, s.name(system, processor) + ".tar.gz"}
		if err := os.WriteFile(filepath.Join(out, a.file), []byte(target), 0o600); err != nil {
			t.Fatal(err)
		}
		made = append(made, a)
	}
	if err := s.formula(made, out); err != nil {
		t.Fatal(err)
	}
	formula := filepath.Join(out, "credence.rb")
	text := string(readFile(t, formula))
	const download = "https://github.com/credence-stream/credence/releases/download/v1.2.3/"
	pairs := regexp.MustCompile(`url "(.*)"\n\s+sha256 "(.*)"\n`).FindAllStringSubmatch(text, -1)
	if len(pairs) != 4 || strings.Count(text, " do\n")+strings.Count(text, "def ")+1 != len(regexp.MustCompile(`(?m)^\s*end$`).FindAllString(text, -1)) {
		t.Errorf("%d archives, or a block without end:\n%s", len(pairs), text)
	}
	for _, pair := range pairs {
		if sum := fmt.Sprintf("%x", sha256.Sum256(readFile(t, filepath.Join(out, filepath.Base(pair[1]))))); !strings.HasPrefix(pair[1], download) || pair[2] != sum {
			t.Errorf("%s has checksum %s, not %s", pair[1], sum, pair[2])
		}
	}
	program := ruby(t)
	if program == "" {
		return
	}
	if said, err := exec.CommandContext(t.Context(), program, "-wc", formula).CombinedOutput(); err != nil || string(said) != "Syntax OK\n" {
		t.Errorf("ruby -wc: %v %s", err, said)
	}
	// A program that answers as the real one would.
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, binary), []byte("#!/bin/sh\necho credence ATL\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	for system, goos := range map[string]string{"macos": "darwin", "linux": "linux"} {
		for processor, goarch := range map[string]string{"intel": "amd64", "arm": "arm64"} {
			p := evaluated(t, program, formula, system, processor, folder)
			if want := download + s.name(goos, goarch) + ".tar.gz"; p.URL != want || p.Version != "1.2.3" {
				t.Errorf("%s, %s: version %s, %s, want %s", system, processor, p.Version, p.URL, want)
			}
		}
	}
}
