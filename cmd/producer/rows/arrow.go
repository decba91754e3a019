package rows

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// What Arrow files and streams start with.
const (
	fileMagic   = "ARROW1"
	streamMagic = "\xff\xff\xff\xff"
)

// openArrow opens an Arrow file or stream. The bytes, not the extension, say
// which it is: both are in use for both.
func openArrow(name string, sel Selection) (src Source, err error) {
	defer recovered(name, &err)
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	start := make([]byte, len(fileMagic))
	if _, err := io.ReadFull(f, start); err != nil {
		return nil, fmt.Errorf("%s: %w: too short for Arrow", name, ErrInput)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	alloc, err := allocatorFor(f)
	if err != nil {
		return nil, err
	}
	switch {
	case string(start) == fileMagic:
		return openArrowFile(name, f, sel, alloc)
	case strings.HasPrefix(string(start), streamMagic):
		return openArrowStream(name, f, sel, alloc)
	default:
		return nil, fmt.Errorf("%s: %w: neither an Arrow file nor an Arrow stream", name, ErrInput)
	}
}

func openArrowFile(name string, f *os.File, sel Selection, alloc memory.Allocator) (Source, error) {
	r, err := ipc.NewFileReader(f, ipc.WithAllocator(alloc))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", name, ErrInput, err)
	}
	s, err := newRecordSource(name, sel, r.Schema())
	if err != nil {
		return nil, err
	}
	i := 0
	s.next = func() (arrow.Record, error) {
		if i == r.NumRecords() {
			return nil, io.EOF
		}
		i++
		return r.Record(i - 1)
	}
	s.closer = f
	return s, nil
}

func openArrowStream(name string, f *os.File, sel Selection, alloc memory.Allocator) (Source, error) {
	r, err := ipc.NewReader(bufio.NewReaderSize(f, 1<<16), ipc.WithAllocator(alloc))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", name, ErrInput, err)
	}
	s, err := newRecordSource(name, sel, r.Schema())
	if err != nil {
		return nil, err
	}
	s.next = r.Read
	s.closer = f
	return s, nil
}
