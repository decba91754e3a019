package run

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/credence-stream/credence/testenv/probe"
)

func TestWantsBrowser(t *testing.T) {
	for _, c := range []struct {
		terminal bool
		env      string
		want     bool
	}{
		{true, "HOME=/", true}, {false, "HOME=/", false}, {true, "CI=true", false}, {true, "CI=1", false},
		{true, "CI=", true}, {true, "CI=false", true}, {true, "SSH_CONNECTION=a b", false}, {true, "CIRCLE=1", true},
	} {
		if got := wantsBrowser(c.terminal, []string{"X=y", c.env}); got != c.want {
			t.Errorf("terminal %t, %s: %t", c.terminal, c.env, got)
		}
	}
}

func TestPageURL(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", "[::1]:80": "http://[::1]:80", "0.0.0.0:8080": "http://localhost:8080", "[::]:8080": "http://localhost:8080",
	} {
		if got := pageURL(address, false); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	if got := pageURL("0.0.0.0:8443", true); got != "https://localhost:8443" {
		t.Errorf("encrypted: %s", got)
	}
}

func TestOpener(t *testing.T) {
	for system, want := range map[string]string{"linux": "xdg-open", "freebsd": "xdg-open", "darwin": "open", "windows": "rundll32"} {
		if got := opener(system, "http://x"); got[0] != want || got[len(got)-1] != "http://x" {
			t.Errorf("%s: %q", system, got)
		}
	}
}

// The opener is given the address, and that there is none is silent.
func TestOpenBrowser(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the opener of this test is a shell script")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	openBrowser(t.Context(), "http://127.0.0.1:1")
	told := filepath.Join(dir, "told")
	script := "#!/bin/sh\necho \"$1\" > '" + told + ".new'\n/bin/mv '" + told + ".new' '" + told + "'\n"
	if err := os.WriteFile(filepath.Join(dir, opener(runtime.GOOS, "")[0]), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	openBrowser(t.Context(), "http://127.0.0.1:2")
	var said []byte
	probe.EventuallyNil(t, "the opener is run", func() (err error) {
		said, err = os.ReadFile(told)
		return err
	})
	if strings.TrimSpace(string(said)) != "http://127.0.0.1:2" {
		t.Errorf("the opener was told %q", said)
	}
}
