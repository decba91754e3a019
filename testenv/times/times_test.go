//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sources are packages that pass, fail, end in the middle and do not compile.
var sources = map[string]string{
	"go.mod": "module example.org/m\n\ngo 1.26\n",
	"good/good_test.go": `package good
import "testing"
func TestOne(t *testing.T) { t.Log("of one"); t.Run("inner", func(t *testing.T) { t.Log("of inner") }) }
func TestNone(t *testing.T) { t.Skip("not here") }
`,
	"bad/bad_test.go": `package bad
import ("fmt"; "testing")
func TestRight(t *testing.T) { t.Log("of right") }
func TestWrong(t *testing.T) {
	fmt.Println("printed by wrong")
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) { t.Parallel(); if name == "b" { t.Errorf("b is wrong") } })
	}
}
`,
	"dies/dies_test.go": `package dies
import ("os"; "testing")
func TestDies(t *testing.T) { t.Log("before the end"); println("last words"); os.Exit(3) }
`,
	"panics/panics_test.go": `package panics
import "testing"
func TestPanics(t *testing.T) { t.Run("sub", func(t *testing.T) { panic("out of order") }) }
`,
	"broken/broken_test.go": "package broken\nimport \"testing\"\nfunc TestBroken(t *testing.T) { undefined() }\n",
	"empty/empty.go":        "package empty\n",
}

// went are times and addresses, which differ from run to run.
var went = regexp.MustCompile(`\d+\.\d+s|0x[0-9a-f]+|\+?goroutine \d+|\?$`)

// saidBy are the lines of go test's own output without what differs from run to run, the lines
// that only say FAIL, of which there is one at its end, and those of tests that take turns.
func saidBy(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		line = went.ReplaceAllString(strings.TrimSpace(line), "T")
		if line != "" && line != "FAIL" && !strings.HasPrefix(line, "=== NAME") && !strings.HasPrefix(line, "=== CONT") && !strings.Contains(line, ".go:") {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}

// TestSaysWhatGoTestSays compares what is passed on, and the exit code, with go test's own.
func TestSaysWhatGoTestSays(t *testing.T) {
	dir := t.TempDir()
	for name, text := range sources {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "-mod=mod -vet=off")
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"./..."}, 1},
		{[]string{"-v", "./..."}, 1},
		{[]string{"./good", "./empty"}, 0},
	} {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"test"}, c.args...)...)
		var own bytes.Buffer
		cmd.Stdout = &own
		if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != c.code {
			t.Fatalf("go test %q: %v, want exit code %d", c.args, err, c.code)
		}
		var out bytes.Buffer
		code, err := run(t.Context(), &out, append([]string{"go", "test"}, c.args...))
		if err != nil || code != c.code {
			t.Errorf("%q: exit code %d and %v, go test has %d", c.args, code, err, c.code)
		}
		passed, report, _ := strings.Cut(out.String(), "\nslowest packages:\n")
		// go test writes what does not compile to stderr, with -json to stdout.
		passed = regexp.MustCompile(`(?m)^(#.*|broken/.*|FAIL\t.*\[build failed\])\n`).ReplaceAllString(passed, "")
		want := slices.DeleteFunc(saidBy(own.String()), func(l string) bool { return strings.Contains(l, "[build failed]") })
		if got := saidBy(passed); !slices.Equal(got, want) {
			t.Errorf("%q: it says\n%s\ngo test says\n%s", c.args, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if c.code == 1 && !strings.Contains(report, "\nfailed:\n") {
			t.Errorf("%q: at the end nothing is said of what failed:\n%s", c.args, report)
		}
		for _, name := range []string{"bad TestWrong/b", "dies", "panics TestPanics/sub", "broken"} {
			if found := strings.Contains(report, "\n  example.org/m/"+name+"\n"); found != (c.code == 1) {
				t.Errorf("%q: among what failed is %s: %t\n%s", c.args, name, found, report)
			}
		}
	}
}

// TestExitCode: the code of a command that ends at once is passed on, too.
func TestExitCode(t *testing.T) {
	other := filepath.Join(t.TempDir(), "go")
	if err := os.WriteFile(other, []byte("#!/bin/sh\n[ \"$2\" = -json ] || exit 9\nexit 7\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	if code, err := run(t.Context(), new(bytes.Buffer), []string{other, "test"}); code != 7 || err != nil {
		t.Errorf("exit code %d and %v, want 7", code, err)
	}
	if code, err := run(t.Context(), new(bytes.Buffer), []string{other, "vet"}); code == 0 || err == nil {
		t.Errorf("what is not go test has exit code %d and %v", code, err)
	}
}

// TestOneSpeaksAtATime: what the first package says is printed before it has ended, what
// others say after it.
func TestOneSpeaksAtATime(t *testing.T) {
	var out bytes.Buffer
	v := newVoice(&out, true)
	for _, step := range []struct {
		e    event
		said string
	}{
		{event{Action: "start", Package: "a"}, ""},
		{event{Action: "start", Package: "b"}, ""},
		{event{Action: "output", Package: "b", Test: "T", Output: "b1\n"}, ""},
		{event{Action: "output", Package: "a", Test: "T", Output: "a1\n"}, "a1\n"},
		{event{Action: "pass", Package: "a", Test: "T"}, "a1\n"},
		{event{Action: "pass", Package: "a"}, "a1\nb1\n"},
		{event{Action: "output", Package: "b", Output: "b2\n"}, "a1\nb1\nb2\n"},
		{event{Action: "build-output", Output: "c\n"}, "a1\nb1\nb2\nc\n"},
	} {
		if v.hear(step.e); out.String() != step.said {
			t.Errorf("after %+v it has said %q, want %q", step.e, out.String(), step.said)
		}
	}
}

// TestSlowest: tests are told of without their subtests, the slowest first.
func TestSlowest(t *testing.T) {
	took := new(times)
	v := newVoice(new(bytes.Buffer), false)
	const stream = `{"Action":"pass","Package":"github.com/credence-stream/credence/cdf","Test":"TestA/x","Elapsed":5}
{"Action":"pass","Package":"github.com/credence-stream/credence/cdf","Test":"TestA/y/z","Elapsed":1.5}
{"Action":"pass","Package":"github.com/credence-stream/credence/cdf","Test":"TestA/y","Elapsed":1.75}
{"Action":"fail","Package":"github.com/credence-stream/credence/cdf","Test":"TestA","Elapsed":9}
{"Action":"fail","Package":"github.com/credence-stream/credence/cdf","Elapsed":10}
{"Action":"pass","Package":"github.com/credence-stream/credence/docs","Test":"TestB","Elapsed":2}
{"Action":"pass","Package":"github.com/credence-stream/credence/docs","Elapsed":20}
not an event
`
	if err := read(strings.NewReader(stream), took.add, v); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	took.report(&out, 4)
	const want = `
slowest packages:
    20.0 s  docs
    10.0 s  cdf

slowest tests, each without its subtests:
     5.0 s  cdf TestA/x
     2.2 s  cdf TestA
     2.0 s  docs TestB
     1.5 s  cdf TestA/y/z

failed:
  cdf TestA
  cdf
`
	if out.String() != want {
		t.Errorf("it reports\n%s\nwant\n%s", out.String(), want)
	}
}
