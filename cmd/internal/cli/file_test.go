package cli

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A file that could not be written whole leaves what was there, and nothing beside it.
func TestFilesAreWholeOrNotThere(t *testing.T) {
	full := errors.New("no space left on device")
	for _, c := range []struct {
		about      string
		old, later string // what is there before Create, and before Finish
		over       bool
		err        error
		want, says string
	}{
		{"a new file", "", "", false, nil, "new", ""},
		{"a full disk", "", "", false, full, "", full.Error()},
		{"over another", "old", "", true, nil, "new", ""},
		{"over another on a full disk", "old", "", true, full, "old", full.Error()},
		{"not over another", "old", "", false, nil, "old", "--force writes over it"},
		{"another that appears meanwhile", "", "later", false, nil, "later", "--force writes over it"},
		{"over another that appears meanwhile", "", "later", true, nil, "new", ""},
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, "c.yaml")
		put := func(text string) {
			if text == "" {
				return
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(name, 0o604); err != nil {
				t.Fatal(err)
			}
		}
		put(c.old)
		f, err := Create(name, c.over, 0o666)
		if err == nil {
			if _, err := f.WriteString("new"); err != nil {
				t.Fatal(err)
			}
			put(c.later)
			err = f.Finish(c.err)
		}
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.about, err)
		}
		if got, err := os.ReadFile(name); string(got) != c.want || err != nil && c.want != "" {
			t.Errorf("%s: %q is there, %v", c.about, got, err)
		}
		if info, err := os.Stat(name); c.old != "" && (err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o604) {
			t.Errorf("%s: the permissions are %v, %v", c.about, info.Mode(), err)
		}
		if all, err := os.ReadDir(dir); err != nil || len(all) != len(c.want)/max(len(c.want), 1) {
			t.Errorf("%s: the folder has %v, %v", c.about, all, err)
		}
	}
}

// What no file can be made of is told before the work.
func TestNamesOfNoFile(t *testing.T) {
	dir := t.TempDir()
	for _, over := range []bool{false, true} {
		if err := Free(dir, over); err == nil || !strings.Contains(err.Error(), "is a folder: name a file in it") {
			t.Errorf("a folder: %v", err)
		}
		if err := Free(filepath.Join(dir, "none", "c.yaml"), over); err == nil || !strings.Contains(err.Error(), "no folder for c.yaml: ") {
			t.Errorf("in a folder that is not there: %v", err)
		}
		if err := Free(os.DevNull, over); err != nil {
			t.Errorf("a device: %v", err)
		}
	}
}

// What a name of a file means to a shell but not here is refused, and an error names the file
// that was asked for.
func TestNamesOfFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := Create("-", true, 0o600); err == nil || !strings.Contains(err.Error(), "./- if that is meant") {
		t.Errorf("-: %v", err)
	}
	f, err := Create("./-", false, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Finish(nil); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("-"); err != nil {
		t.Error(err)
	}
	if _, err := Create(filepath.Join("-", "c.yaml"), false, 0o600); err == nil {
		t.Error("a file in a file")
	}
	if _, err := os.Stat("/proc/self"); err != nil {
		return // no folder in which nobody makes files
	}
	if _, err := Create("/proc/c.yaml", false, 0o600); err == nil || !strings.HasPrefix(err.Error(), "c.yaml can't be written") {
		t.Errorf("a folder that takes none: %v", err)
	}
}
