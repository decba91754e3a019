package access

import (
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// Reread is a value that is made of files, and made anew when one of them has changed. It is
// safe for concurrent use, and nobody waits for who makes it.
type Reread[T any] struct {
	files []string // "" is none
	read  func() (T, error)
	tell  func(error)
	seed  maphash.Seed

	now    atomic.Pointer[made[T]]
	making sync.Mutex
}

// made is a value, and what the files were when they were read last.
type made[T any] struct {
	seen  uint64
	value T
}

// NewReread makes the value for the first time. Tell, where not nil, is told once of each
// change that cannot be read.
func NewReread[T any](files []string, read func() (T, error), tell func(error)) (*Reread[T], error) {
	r := &Reread[T]{files: files, read: read, tell: tell, seed: maphash.MakeSeed()}
	first := &made[T]{seen: r.look()}
	var err error
	first.value, err = read()
	r.now.Store(first)
	return r, err
}

// Now returns the value. Files that cannot be read leave it as it was, until they change
// again; so does a change that somebody else is making it of at the time.
func (r *Reread[T]) Now() T {
	now := r.now.Load()
	if r.look() == now.seen || !r.making.TryLock() {
		return now.value
	}
	defer r.making.Unlock()
	return r.anew()
}

// anew makes the value, unless that was done since the caller looked.
func (r *Reread[T]) anew() T {
	now, next := r.now.Load(), &made[T]{seen: r.look()}
	if next.seen == now.seen {
		return now.value
	}
	var err error
	if next.value, err = r.read(); err != nil {
		next.value = now.value
		if r.tell != nil {
			r.tell(err)
		}
	}
	r.now.Store(next)
	return next.value
}

// room is what files are read into: a look at them leaves nothing behind.
var room = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// look is a digest of what the files hold, through links. Their times do not tell: two writes
// within one tick of the file system's clock have the same.
func (r *Reread[T]) look() uint64 {
	var h maphash.Hash
	h.SetSeed(r.seed)
	buf := room.Get().(*[32 << 10]byte) //nolint:forcetypeassert // the pool has nothing else
	defer room.Put(buf)
	for _, name := range r.files {
		n, err := pour(&h, name, buf[:])
		fmt.Fprintln(&h, n, err == nil)
	}
	return h.Sum64()
}

// pour writes what a file holds to h.
func pour(h *maphash.Hash, name string, buf []byte) (size int, err error) {
	if name == "" {
		return 0, os.ErrNotExist
	}
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	for {
		n, err := f.Read(buf)
		h.Write(buf[:n]) //nolint:errcheck // a hash takes everything
		size += n
		if err == io.EOF { //nolint:errorlint // Read returns it as it is
			return size, nil
		}
		if err != nil {
			return size, err
		}
	}
}
