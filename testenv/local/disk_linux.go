package local

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// FillDisk makes the writes of a Redis server to its append-only file fail, as
// on a full disk, until the function that it returns is called.
func (s *Server) FillDisk() (free func() error, err error) {
	var largest int64
	files, err := filepath.Glob(filepath.Join(s.data, "*"))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			largest = max(largest, info.Size())
		}
	}
	pid := s.proc.pid()
	if pid == 0 {
		return nil, fmt.Errorf("%s is not running", s.Name)
	}
	limit := func(now uint64) error {
		return unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: now, Max: unix.RLIM_INFINITY}, nil)
	}
	return func() error { return limit(unix.RLIM_INFINITY) }, limit(uint64(largest))
}
