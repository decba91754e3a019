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
func openArrow(name string, sel Selection) (*recordSource, error) {
	return openRecords(name, func(f *os.File, alloc memory.Allocator) (*recordSource, error) {
		start := make([]byte, len(fileMagic))
		if _, err := io.ReadFull(f, start); err != nil {
			return nil, fmt.Errorf("%s: %w: too short for Arrow; %s", name, ErrInput, anew)
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		var schema *arrow.Schema
		var next func() (arrow.Record, error)
		var err error
		switch {
		case string(start) == fileMagic:
			schema, next, err = arrowFile(f, alloc)
		case strings.HasPrefix(string(start), streamMagic):
			schema, next, err = arrowStream(f, alloc)
		default:
			return nil, fmt.Errorf("%s: %w: neither an Arrow file nor an Arrow stream; %s", name, ErrInput, otherwise(f))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w; %s", name, ErrInput, err, anew)
		}
		s, err := newRecordSource(name, sel, schema)
		if err != nil {
			return nil, err
		}
		s.next, s.closer = next, f
		return s, nil
	})
}

func arrowFile(f *os.File, alloc memory.Allocator) (*arrow.Schema, func() (arrow.Record, error), error) {
	r, err := ipc.NewFileReader(f, ipc.WithAllocator(alloc))
	if err != nil {
		return nil, nil, err
	}
	i := 0
	return r.Schema(), func() (arrow.Record, error) {
		if i == r.NumRecords() {
			return nil, io.EOF
		}
		i++
		return r.Record(i - 1)
	}, nil
}

func arrowStream(f *os.File, alloc memory.Allocator) (*arrow.Schema, func() (arrow.Record, error), error) {
	r, err := ipc.NewReader(bufio.NewReaderSize(f, 1<<16), ipc.WithAllocator(alloc))
	if err != nil {
		return nil, nil, err
	}
	return r.Schema(), r.Read, nil
}
