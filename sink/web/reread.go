package web

import (
	"fmt"
	"os"
	"sync"
)

// reread is a value that is made of files, and made anew when one of them has changed. It is
// safe for concurrent use.
type reread[T any] struct {
	files []string // "" is none
	read  func() (T, error)
	tell  func(error) // of a change that cannot be read

	mu    sync.Mutex
	seen  string // of the files, when they were read last
	value T
	have  bool
}

func newReread[T any](files []string, read func() (T, error), tell func(error)) *reread[T] {
	return &reread[T]{files: files, read: read, tell: tell}
}

// now returns the value. A file that cannot be read leaves the value as it was; the first
// time there is none, and the error is returned.
func (r *reread[T]) now() (T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.look()
	if r.have && seen == r.seen {
		return r.value, nil
	}
	value, err := r.read()
	switch {
	case err == nil:
		r.value, r.have = value, true
	case !r.have:
		return value, err
	default:
		r.tell(err)
	}
	r.seen = seen
	return r.value, nil
}

// look is what tells files from what they were: their times and sizes, through links.
func (r *reread[T]) look() (seen string) {
	for _, name := range r.files {
		if info, err := os.Stat(name); err == nil {
			seen += fmt.Sprint(info.ModTime().UnixNano(), info.Size())
		}
		seen += "\n"
	}
	return seen
}
