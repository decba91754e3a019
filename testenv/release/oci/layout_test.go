//go:build unix

package oci

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var files = []File{
	{Name: "usr/bin/program", Mode: 0o755, Data: []byte("content")},
	{Name: "usr/bin/other", Link: "program"},
	{Name: "tmp", Mode: fs.ModeDir | fs.ModeSticky | 0o777},
	{Name: "etc/passwd", Mode: 0o644, Data: []byte("x")},
}

// written makes a layout of two platforms, with statements.
func written(t *testing.T) (archive []byte, digest string) {
	t.Helper()
	l := &Layout{Name: "x", Tag: "v1", Time: time.Unix(1_700_000_000, 0).UTC(), Annotations: map[string]string{"a": "b", "c": "d"}}
	for _, processor := range []string{"amd64", "arm64"} {
		run := Config{User: "1:1", Entrypoint: []string{"/usr/bin/program"}, Labels: l.Annotations}
		made, err := l.Add(Platform{processor, "linux"}, run, Parents(files))
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Attest(made, Statement{"https://example.org/p", []byte(`{"about":"` + processor + `"}`)}); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	digest, err := l.Write(&b)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), digest
}

// read returns the files of a tar file.
func read(t *testing.T, r io.Reader) (names []string, content map[string][]byte) {
	t.Helper()
	content = map[string][]byte{}
	for r := tar.NewReader(r); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names, content
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.ModTime.Unix() != 1_700_000_000 {
			t.Errorf("%s tells who made it, or when: %+v", h.Name, h)
		}
		names = append(names, fmt.Sprintf("%s %o %s", h.Name, h.Mode, h.Linkname))
		if content[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLayout follows every descriptor of a layout from its index to the files.
func TestLayout(t *testing.T) {
	archive, digest := written(t)
	again, same := written(t)
	if !bytes.Equal(archive, again) || digest != same {
		t.Error("two layouts of the same files differ")
	}
	_, blobs := read(t, bytes.NewReader(archive))
	blob := func(d Descriptor, into any) []byte {
		b, ok := blobs[blobPath(d.Digest)]
		if !ok || int64(len(b)) != d.Size || fmt.Sprintf("sha256:%x", sha256.Sum256(b)) != d.Digest {
			t.Fatalf("%+v is %d bytes of another digest, or missing", d, len(b))
		}
		if into != nil {
			if err := json.Unmarshal(b, into); err != nil {
				t.Fatal(err)
			}
		}
		return b
	}
	var top, all index
	if err := json.Unmarshal(blobs["index.json"], &top); err != nil || len(top.Manifests) != 1 || top.Manifests[0].Digest != digest {
		t.Fatalf("index.json: %+v %v", top, err)
	}
	blob(top.Manifests[0], &all)
	var platforms []string
	for _, d := range all.Manifests {
		var m manifest
		blob(d, &m)
		platforms = append(platforms, d.Platform.OS+"/"+d.Platform.Architecture)
		if m.Subject != nil {
			var said struct{ About string }
			blob(m.Layers[0], &said)
			of := slices.IndexFunc(all.Manifests, func(x Descriptor) bool { return x.Digest == m.Subject.Digest })
			if of < 0 || all.Manifests[of].Platform.Architecture != said.About || d.Annotations["vnd.docker.reference.digest"] != m.Subject.Digest ||
				m.ArtifactType == "" || string(blob(m.Config, nil)) != "{}" || m.Layers[0].Annotations["in-toto.io/predicate-type"] != "https://example.org/p" {
				t.Errorf("a statement about %q: %+v", said.About, m)
			}
			continue
		}
		var c image
		blob(m.Config, &c)
		z, err := gzip.NewReader(bytes.NewReader(blob(m.Layers[0], nil)))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if sum := fmt.Sprintf("sha256:%x", sha256.Sum256(plain)); len(c.RootFS.DiffIDs) != 1 || c.RootFS.DiffIDs[0] != sum || c.Architecture != d.Platform.Architecture || c.Config.User != "1:1" {
			t.Errorf("config %+v, and the layer is %s", c, sum)
		}
		names, _ := read(t, bytes.NewReader(plain))
		if want := []string{"etc/ 755 ", "etc/passwd 644 ", "tmp/ 1777 ", "usr/ 755 ", "usr/bin/ 755 ", "usr/bin/other 777 program", "usr/bin/program 755 "}; !slices.Equal(names, want) {
			t.Errorf("the layer has %q, want %q", names, want)
		}
	}
	if want := []string{"linux/amd64", "linux/arm64", "unknown/unknown", "unknown/unknown"}; !slices.Equal(platforms, want) {
		t.Errorf("the index has %q, want %q", platforms, want)
	}
	var load []loaded
	if err := json.Unmarshal(blobs["manifest.json"], &load); err != nil || len(load) != 2 || load[1].RepoTags[0] != "x:v1-arm64" || blobs[load[1].Config] == nil || blobs[load[1].Layers[0]] == nil {
		t.Errorf("Docker's loader finds %+v %v", load, err)
	}
}

// TestWriteFiles writes what the layer has, whatever the umask.
func TestWriteFiles(t *testing.T) {
	dir := t.TempDir()
	defer syscall.Umask(syscall.Umask(0o077))
	if err := WriteFiles(dir, Parents(files)); err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		i, err := d.Info()
		link, _ := os.Readlink(path)
		got = append(got, strings.TrimSpace(strings.TrimPrefix(path, dir+"/")+" "+i.Mode().String()+" "+link))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{
		"etc drwxr-xr-x", "etc/passwd -rw-r--r--", "tmp dtrwxrwxrwx", "usr drwxr-xr-x", "usr/bin drwxr-xr-x",
		"usr/bin/other Lrwxrwxrwx program", "usr/bin/program -rwxr-xr-x",
	}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
