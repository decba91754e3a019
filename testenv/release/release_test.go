//go:build unix

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const root = "../.."

// released is what a release of this machine's system is, built once.
func released(t *testing.T) (out, name string) {
	t.Helper()
	if testing.Short() {
		t.Skip("a release is built, which takes a minute")
	}
	out = t.TempDir()
	if err := run(t.Context(), root, out, []string{runtime.GOOS + "/" + runtime.GOARCH}); err != nil {
		t.Fatal(err)
	}
	s, err := describe(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	return out, fmt.Sprintf("credence_%s_%s_%s", s.version, runtime.GOOS, runtime.GOARCH)
}

func TestRelease(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into ELF files, which this system does not run")
	}
	out, name := released(t)
	again, _ := released(t)
	sums := readFile(t, filepath.Join(out, "SHA256SUMS"))
	if other := readFile(t, filepath.Join(again, "SHA256SUMS")); !bytes.Equal(sums, other) {
		t.Errorf("two builds differ:\n%s\n%s", sums, other)
	}
	checksums(t, out, string(sums))
	s, err := describe(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	dir := unpack(t, filepath.Join(out, name+".tar.gz"), name)
	static(t, filepath.Join(dir, name, binary))
	everyModule(t, filepath.Join(dir, name, binary), filepath.Join(out, name+"_"+binary+".cdx.json"))
	verified(t, out, s)
	for _, program := range append([]string{binary}, links...) {
		path := filepath.Join(dir, name, program)
		text, err := exec.CommandContext(t.Context(), path, "--version").CombinedOutput()
		if err != nil || !strings.HasPrefix(string(text), program+" ") || !strings.Contains(string(text), s.revision[:12]) {
			t.Errorf("%s --version: %v\n%s; the commit is %s", program, err, text, s.revision)
		}
	}
	pours(t, filepath.Join(out, "credence.rb"), filepath.Join(dir, name), s)
	if err := run(t.Context(), root, out, nil); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("into a folder that holds a release: %v", err)
	}
}

// checksums holds every file against its line.
func checksums(t *testing.T, out, sums string) {
	t.Helper()
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(sums, "\n"); lines != len(entries)-1 || lines != 8 { // an archive, a wheel, a bill, a formula; an image with digest, bill and provenance
		t.Errorf("%d checksums of %d files", lines, len(entries)-1)
	}
	for line := range strings.Lines(sums) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if got := fmt.Sprintf("%x", sha256.Sum256(readFile(t, filepath.Join(out, name)))); got != sum {
			t.Errorf("%s has checksum %s, not %s", name, got, sum)
		}
	}
	if tool, err := exec.LookPath("sha256sum"); err == nil {
		cmd := exec.CommandContext(t.Context(), tool, "-c", "--strict", "SHA256SUMS")
		cmd.Dir = out
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("sha256sum: %v\n%s", err, text)
		}
	}
}

// unpack takes an archive apart and checks what is in it.
func unpack(t *testing.T, archive, name string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	s, err := describe(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, strings.TrimSuffix(h.Name+" -> "+h.Linkname, " -> "))
		if !h.ModTime.Equal(s.time) || h.Uid != 0 || h.Gid != 0 || h.Uname != "" {
			t.Errorf("%s tells who made it, or when: %+v", h.Name, h)
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeSymlink {
			if err := os.Symlink(h.Linkname, path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := writeTo(path, func(w *os.File) error {
			_, err := io.Copy(w, r)
			return errors.Join(err, w.Chmod(os.FileMode(h.Mode)))
		}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{name + "/credence", name + "/consumer -> credence", name + "/producer -> credence", name + "/LICENSE", name + "/README.md", name + "/" + noticesName}; !slices.Equal(names, want) {
		t.Errorf("the archive holds %q, want %q", names, want)
	}
	return dir
}

// static refuses a binary that needs a loader or a library.
func static(t *testing.T, path string) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Errorf("%s needs a loader", path)
		}
	}
	if libraries, err := f.ImportedLibraries(); err == nil && len(libraries) > 0 {
		t.Errorf("%s needs %q", path, libraries)
	}
}

// everyModule holds a bill of materials against what go says is in a binary.
func everyModule(t *testing.T, binary, bill string) {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), "go", "version", "-m", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	var b bom
	if err := json.Unmarshal(readFile(t, bill), &b); err != nil {
		t.Fatal(err)
	}
	if b.Format != "CycloneDX" || b.Spec != "1.6" || !strings.HasPrefix(b.Serial, "urn:uuid:") {
		t.Errorf("%s: %s %s %s", bill, b.Format, b.Spec, b.Serial)
	}
	listed := map[string]string{}
	for _, c := range b.Components {
		listed[c.Name+" "+c.Version] = c.PURL
	}
	modules := 0
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] != "dep" {
			continue
		}
		modules++
		if purl := listed[fields[1]+" "+fields[2]]; !strings.HasPrefix(purl, "pkg:golang/"+fields[1]+"@") {
			t.Errorf("%s does not list %s %s (purl %q)", bill, fields[1], fields[2], purl)
		}
	}
	if modules < 10 || len(b.Components) != modules+1 || len(b.Dependencies) != modules+2 {
		t.Errorf("%s lists %d components and %d dependencies of %d modules", bill, len(b.Components), len(b.Dependencies), modules)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(readFile(t, binary)))
	if root := b.Metadata.Component; len(root.Hashes) != 1 || root.Hashes[0].Content != sum {
		t.Errorf("%s is about another binary: %+v", bill, root.Hashes)
	}
}

// TestArchivesAreTheSameAgain packs files that differ in their times only.
func TestArchivesAreTheSameAgain(t *testing.T) {
	at := time.Unix(1_700_000_000, 0).UTC()
	for kind, pack := range map[string]func(io.Writer, string, []file, time.Time) error{"tar": tarred, "zip": zipped} {
		var packed [2]bytes.Buffer
		for i := range packed {
			path := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(path, []byte("content"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, time.Time{}, at.Add(time.Duration(i)*time.Hour)); err != nil {
				t.Fatal(err)
			}
			if err := pack(&packed[i], "folder", []file{{name: "program", path: path, mode: 0o755}, {name: "other", path: path, mode: 0o755, link: "program"}}, at); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(packed[0].Bytes(), packed[1].Bytes()) {
			t.Errorf("%s: the time of a file is in the archive", kind)
		}
		if kind != "zip" {
			continue
		}
		z, err := zip.NewReader(bytes.NewReader(packed[0].Bytes()), int64(packed[0].Len()))
		if err != nil || len(z.File) != 2 || z.File[1].CRC32 != z.File[0].CRC32 || z.File[0].Name != "folder/program" || !z.File[0].Modified.Equal(at) || z.File[0].Mode() != 0o755 {
			t.Errorf("zip: %+v, error %v", z, err)
		}
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
