package oci

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
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
)

// File is a file, a folder or a symbolic link of an image; it belongs to root.
type File struct {
	Name string      // below the root, with slashes between its parts and none at its ends
	Mode fs.FileMode // with fs.ModeDir of a folder
	Data []byte
	Link string // what a symbolic link has in it, "" if this is none
}

// Parents returns the files in the order of their names, each folder that one of them lies
// in before it: those that are missing have mode 0755.
func Parents(files []File) []File {
	known := map[string]bool{}
	for _, f := range files {
		known[f.Name] = true
	}
	all := slices.Clone(files)
	for _, f := range files {
		for dir := path.Dir(f.Name); dir != "." && !known[dir]; dir = path.Dir(dir) {
			known[dir] = true
			all = append(all, File{Name: dir, Mode: fs.ModeDir | 0o755})
		}
	}
	slices.SortFunc(all, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// WriteFiles writes the files of Parents into a folder that is there, with their modes
// whatever the umask is.
func WriteFiles(dir string, files []File) error {
	for _, f := range files {
		at := filepath.Join(dir, filepath.FromSlash(f.Name))
		var err error
		switch {
		case f.Link != "":
			if err := os.Symlink(f.Link, at); err != nil {
				return err
			}
			continue
		case f.Mode.IsDir():
			err = os.Mkdir(at, 0o755)
		default:
			err = os.WriteFile(at, f.Data, 0o600)
		}
		if err := errors.Join(err, os.Chmod(at, f.Mode)); err != nil {
			return err
		}
	}
	return nil
}

// layer returns the files of Parents as a compressed layer of an image, and the digest of
// what it is uncompressed. Nothing but their names, contents and modes and the time is in it.
func layer(files []File, at time.Time) (packed []byte, plain string, err error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	sum := sha256.New()
	t := tar.NewWriter(io.MultiWriter(z, sum))
	for _, f := range files {
		h := &tar.Header{Name: f.Name, Mode: posix(f.Mode), ModTime: at, Format: tar.FormatUSTAR, Typeflag: tar.TypeReg, Size: int64(len(f.Data))}
		switch {
		case f.Link != "":
			h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, f.Link, 0o777
		case f.Mode.IsDir():
			h.Typeflag, h.Name = tar.TypeDir, f.Name+"/"
		}
		if err := t.WriteHeader(h); err != nil {
			return nil, "", fmt.Errorf("%s: %w", f.Name, err)
		}
		if _, err := t.Write(f.Data); err != nil {
			return nil, "", fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if err := errors.Join(t.Close(), z.Close()); err != nil {
		return nil, "", err
	}
	return b.Bytes(), fmt.Sprintf("sha256:%x", sum.Sum(nil)), nil
}

// posix is a mode as tar has it.
func posix(m fs.FileMode) int64 {
	mode := int64(m.Perm())
	if m&fs.ModeSticky != 0 {
		mode |= 0o1000
	}
	return mode
}
