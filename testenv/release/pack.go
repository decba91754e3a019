package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// file is one file of an archive.
type file struct {
	name string // in the archive
	path string // on this machine
	mode fs.FileMode
	link string // the file beside it that has the same content, "" for none
}

// writeTo makes a file and has it written.
func writeTo(path string, write func(*os.File) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// tarred packs files below a folder. Nothing in the archive tells who made it,
// or when: every file has the time of the commit.
func tarred(w io.Writer, folder string, files []file, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: folder + "/" + f.name, Mode: int64(f.mode), ModTime: at, Format: tar.FormatUSTAR}
		if f.link != "" {
			h.Typeflag, h.Linkname = tar.TypeSymlink, f.link
			if err := t.WriteHeader(h); err != nil {
				return err
			}
			continue
		}
		content, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		h.Typeflag, h.Size = tar.TypeReg, int64(len(content))
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(content); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

// zipped is tarred for systems that open zip files, which have no links: what would be one
// is a copy.
func zipped(w io.Writer, folder string, files []file, at time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		content, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		out, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := out.Write(content); err != nil {
			return err
		}
	}
	return z.Close()
}
