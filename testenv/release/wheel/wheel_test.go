package wheel

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestVersion(t *testing.T) {
	for git, want := range map[string]string{
		"v1.2.3":                  "1.2.3",
		"v1.2.3-dirty":            "1.2.3+dirty",
		"v1.2.3-5-gabc1234":       "1.2.3.post5+gabc1234",
		"v1.2-5-gabc1234-dirty":   "1.2.post5+gabc1234.dirty",
		"1d610a7":                 "0.0.0+g1d610a7",
		"1234567":                 "0.0.0+g1234567",
		"1d610a7-dirty":           "0.0.0+g1d610a7.dirty",
		"release-candidate-1-g1a": "0.0.0+grelease-candidate-1-g1a",
	} {
		if got := Version(git); got != want {
			t.Errorf("%s is %s, want %s", git, got, want)
		}
	}
}

// written packs the package with a stand-in for the program.
func written(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "credence")
	if err := os.WriteFile(program, []byte("program"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	w := Wheel{Root: "../../..", Version: "v1.2.3", Target: "linux/amd64", Program: program, Time: time.Unix(1_700_000_000, 0)}
	path, err := w.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestWheel holds every file against RECORD, which pip believes, and looks at
// what pip makes programs of.
func TestWheel(t *testing.T) {
	path := written(t)
	if want := "credence-1.2.3-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl"; filepath.Base(path) != want {
		t.Errorf("named %s, want %s", filepath.Base(path), want)
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	content := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		content[f.Name] = string(data)
		if program := strings.Contains(f.Name, "/bin/"); program != (f.Mode()&0o111 != 0) {
			t.Errorf("%s has mode %v", f.Name, f.Mode())
		}
	}
	const info = "credence-1.2.3.dist-info"
	lines := strings.Fields(content[info+"/RECORD"])
	if len(lines) != len(content) {
		t.Errorf("RECORD has %d lines of %d files", len(lines), len(content))
	}
	for _, line := range lines {
		name, rest, _ := strings.Cut(line, ",")
		sum := sha256.Sum256([]byte(content[name]))
		want := fmt.Sprintf("sha256=%s,%d", base64.RawURLEncoding.EncodeToString(sum[:]), len(content[name]))
		if name == info+"/RECORD" {
			want = ","
		}
		if rest != want {
			t.Errorf("RECORD has %s, want %s,%s", line, name, want)
		}
	}
	for file, want := range map[string]string{
		"credence/bin/credence":    "program",
		"credence/py.typed":        "",
		info + "/METADATA":         "Version: 1.2.3\n",
		info + "/entry_points.txt": "consumer = credence._programs:consumer\ncredence = credence._programs:credence\nproducer = credence._programs:producer\n",
		info + "/WHEEL":            "Tag: py3-none-musllinux_1_1_x86_64\n",
		info + "/licenses/LICENSE": "Apache License",
		"credence/__init__.py":     "from credence._sending import",
		info + "/RECORD":           "credence/_http.py,sha256=",
		"credence/_programs.py":    "def credence",
		"credence/_reading.py":     "def watch",
		"credence/_draws.py":       "def draws",
		"credence/_frames.py":      "def to_arrow",
		"credence/_kafka.py":       "class DeliveryError",
		"credence/_sending.py":     "def send",
		"credence/_http.py":        "class Client",
	} {
		if text, ok := content[file]; !ok || !strings.Contains(text, want) {
			t.Errorf("%s is missing or lacks %q", file, want)
		}
	}
}

func TestWheelIsTheSameAgain(t *testing.T) {
	var files [2][]byte
	for i := range files {
		data, err := os.ReadFile(written(t))
		if err != nil {
			t.Fatal(err)
		}
		files[i] = data
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two wheels of the same files differ")
	}
}

func TestNoWheelForOtherSystems(t *testing.T) {
	w := Wheel{Root: "../../..", Target: "plan9/386"}
	if _, err := w.Write(t.TempDir()); err == nil || !strings.Contains(err.Error(), "plan9/386") {
		t.Errorf("said %v", err)
	}
}
