// Package wheel packs the Python package of clients/python with the program of
// one system into a wheel, the binary distribution format of Python packages, so
// that pip installs both: version 1.0 of the format. The same
// files give the same bytes.
package wheel

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// Package is the folder of the package in the sources.
const Package = "clients/python"

// platforms are the tags of systems, as GOOS/GOARCH. Programs are static, so that
// any Linux will do; macOS is the oldest that Go supports.
var platforms = map[string]string{
	"linux/amd64":   "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
	"linux/arm64":   "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
	"darwin/amd64":  "macosx_12_0_x86_64",
	"darwin/arm64":  "macosx_12_0_arm64",
	"windows/amd64": "win_amd64",
	"windows/arm64": "win_arm64",
}

// Wheel is what a wheel is made of.
type Wheel struct {
	Root    string    // of the sources
	Version string    // as git describes the commit
	Target  string    // GOOS/GOARCH
	Program string    // path of the program
	Time    time.Time // of every file
}

// entry is one file of a wheel.
type entry struct {
	name string
	mode fs.FileMode
	data []byte
}

// Write writes the wheel into a folder and returns its path.
func (w *Wheel) Write(dir string) (string, error) {
	platform, ok := platforms[w.Target]
	if !ok {
		return "", fmt.Errorf("no wheel is known for %s", w.Target)
	}
	p, err := readProject(filepath.Join(w.Root, Package))
	if err != nil {
		return "", err
	}
	version, tag := Version(w.Version), "py3-none-"+platform
	info := fmt.Sprintf("%s-%s.dist-info", p.Name, version)
	entries, err := w.files(p.Name)
	if err != nil {
		return "", err
	}
	license, err := os.ReadFile(filepath.Join(w.Root, "LICENSE"))
	if err != nil {
		return "", err
	}
	entries = append(entries,
		entry{info + "/licenses/LICENSE", 0o644, license},
		entry{info + "/METADATA", 0o644, p.metadata(version)},
		entry{info + "/WHEEL", 0o644, description(tag)},
		entry{info + "/entry_points.txt", 0o644, p.entryPoints()},
	)
	entries = append(entries, record(entries, info+"/RECORD"))
	file := filepath.Join(dir, fmt.Sprintf("%s-%s-%s.whl", p.Name, version, tag))
	f, err := os.Create(file)
	if err != nil {
		return "", err
	}
	return file, errors.Join(pack(f, entries, w.Time), f.Close())
}

// files are the modules of the package, and the program below its folder bin.
func (w *Wheel) files(name string) ([]entry, error) {
	source := filepath.Join(w.Root, Package, "src", name)
	found, err := os.ReadDir(source)
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, f := range found {
		if f.IsDir() || filepath.Ext(f.Name()) != ".py" && f.Name() != "py.typed" {
			continue // what Python has compiled
		}
		data, err := os.ReadFile(filepath.Join(source, f.Name()))
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{path.Join(name, f.Name()), 0o644, data})
	}
	data, err := os.ReadFile(w.Program)
	if err != nil {
		return nil, err
	}
	entries = append(entries, entry{path.Join(name, "bin", filepath.Base(w.Program)), 0o755, data})
	return entries, nil
}

// pack writes the entries as they are named, which puts what describes the
// wheel at its end, where installers look for it.
func pack(w io.Writer, entries []entry, at time.Time) error {
	z := zip.NewWriter(w)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(e.mode)
		out, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := out.Write(e.data); err != nil {
			return err
		}
	}
	return z.Close()
}

// record lists every file with its hash and size, and itself without.
func record(entries []entry, name string) entry {
	var b bytes.Buffer
	for _, e := range entries {
		sum := sha256.Sum256(e.data)
		fmt.Fprintf(&b, "%s,sha256=%s,%d\n", e.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(e.data))
	}
	fmt.Fprintf(&b, "%s,,\n", name)
	return entry{name, 0o644, b.Bytes()}
}

// description is the file WHEEL; a compressed set of tags is written out in it.
func description(tag string) []byte {
	var b bytes.Buffer
	b.WriteString("Wheel-Version: 1.0\nGenerator: credence-release\nRoot-Is-Purelib: false\n")
	const any = "py3-none-"
	for platform := range strings.SplitSeq(strings.TrimPrefix(tag, any), ".") {
		fmt.Fprintf(&b, "Tag: %s%s\n", any, platform)
	}
	return b.Bytes()
}

// project is what a wheel needs of pyproject.toml.
type project struct {
	Name         string              `toml:"name"`
	Description  string              `toml:"description"`
	License      string              `toml:"license"`
	Python       string              `toml:"requires-python"`
	Dependencies []string            `toml:"dependencies"`
	Optional     map[string][]string `toml:"optional-dependencies"`
	Classifiers  []string            `toml:"classifiers"`
	Scripts      map[string]string   `toml:"scripts"`

	readme []byte
}

func readProject(dir string) (*project, error) {
	var file struct {
		Project project `toml:"project"`
	}
	if _, err := toml.DecodeFile(filepath.Join(dir, "pyproject.toml"), &file); err != nil {
		return nil, err
	}
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	file.Project.readme = readme
	return &file.Project, err
}

// metadata is the file METADATA, version 2.4 of Python's core metadata.
func (p *project) metadata(version string) []byte {
	var b bytes.Buffer
	field := func(name, value string) { fmt.Fprintf(&b, "%s: %s\n", name, value) }
	field("Metadata-Version", "2.4")
	field("Name", p.Name)
	field("Version", version)
	field("Summary", p.Description)
	field("License-Expression", p.License)
	field("License-File", "LICENSE")
	for _, c := range p.Classifiers {
		field("Classifier", c)
	}
	field("Requires-Python", p.Python)
	for _, d := range p.Dependencies {
		field("Requires-Dist", d)
	}
	for _, extra := range sorted(p.Optional) {
		field("Provides-Extra", extra)
		for _, d := range p.Optional[extra] {
			field("Requires-Dist", fmt.Sprintf("%s; extra == '%s'", d, extra))
		}
	}
	field("Description-Content-Type", "text/markdown")
	b.WriteByte('\n')
	b.Write(p.readme)
	return b.Bytes()
}

func (p *project) entryPoints() []byte {
	var b bytes.Buffer
	b.WriteString("[console_scripts]\n")
	for _, name := range sorted(p.Scripts) {
		fmt.Fprintf(&b, "%s = %s\n", name, p.Scripts[name])
	}
	return b.Bytes()
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
