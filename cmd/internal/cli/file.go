package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file for the user that is there whole or not at all: it is written beside its
// name and gets it by Finish.
type File struct {
	*os.File
	// Dir is where other files on the way have room.
	Dir string

	become string // "": it is written to as it is
	over   bool   // another file may have the name
}

// Create begins the file of a name, or of what a link of that name leads to. Over says that
// it may replace a file, whose permissions it takes; perm, before the umask, are those of a
// new one. What is no plain file, such as a pipe or a device, is written to as it is.
func Create(name string, over bool, perm fs.FileMode) (*File, error) {
	if err := Free(name, over); err != nil {
		return nil, err
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		return &File{File: file, Dir: os.TempDir()}, err
	}
	if at, err := filepath.EvalSymlinks(name); err == nil {
		name = at
	}
	was, err := os.Stat(name)
	if err == nil {
		perm = was.Mode().Perm()
	}
	dir := filepath.Dir(name)
	for i := 0; ; i++ {
		file, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf(".credence-%d-%d", os.Getpid(), i)), os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
		switch {
		case errors.Is(err, fs.ErrExist):
		case err != nil:
			return nil, fmt.Errorf("%s can't be written, for it is made beside its name first: %w", filepath.Base(name), err)
		default:
			f := &File{File: file, Dir: dir, become: name, over: over}
			if was != nil {
				err = f.Chmod(perm) // whatever the umask
			}
			return f, f.clean(err)
		}
	}
}

// Free returns an error where a file cannot be made, or is that must not be written over. It is asked before
// work that takes a while; what counts is what Finish finds after it.
func Free(name string, over bool) error {
	info, err := os.Stat(name)
	_, dangling := os.Lstat(name)
	switch {
	case name == "-":
		return errors.New("- would be a file of that name: name another, or ./- if that is meant")
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder: name a file in it", name)
	case err == nil && (over || !info.Mode().IsRegular()):
		return nil
	case dangling == nil && !over:
		return taken(name)
	}
	if _, err := os.Stat(filepath.Dir(name)); err != nil {
		return fmt.Errorf("no folder for %s: %w", filepath.Base(name), err)
	}
	return nil
}

func taken(name string) error {
	return fmt.Errorf("%s is there already; --force writes over it", name)
}

// Finish gives the file its name, unless err says that it is not whole, and returns err or
// why that failed: then there is what was there before.
func (f *File) Finish(err error) error {
	if f.become == "" {
		return errors.Join(err, f.Close())
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = f.publish()
	}
	return f.clean(err)
}

func (f *File) publish() error {
	if !f.over {
		// A link is never made over a file. Where there are no links, a look has to do.
		switch err := os.Link(f.Name(), f.become); {
		case err == nil:
			return os.Remove(f.Name())
		case errors.Is(err, fs.ErrExist):
			return taken(f.become)
		}
		if err := Free(f.become, false); err != nil {
			return err
		}
	}
	return os.Rename(f.Name(), f.become)
}

// clean removes what is on the way after an error, which it returns.
func (f *File) clean(err error) error {
	if err != nil {
		_ = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	return err
}
