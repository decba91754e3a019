package rows

import (
	"fmt"
	"os"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Lengths in a damaged Arrow or Parquet file can ask for more memory than
// there is, and Go doesn't survive that. What a sound file asks for at once
// is a column of one of its batches, and these bounds leave much room.
const (
	leastBound = 1 << 30
	expansion  = 8 // of the file, when it is unpacked
)

// bounded is an allocator that refuses a length no sound file has. The panic
// is for recovered; the Arrow library has no other way to take it.
type bounded struct {
	memory.Allocator
	most int
}

// allocatorFor returns the allocator for reading a file.
func allocatorFor(f *os.File) (memory.Allocator, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return bounded{memory.DefaultAllocator, int(max(leastBound, expansion*info.Size()))}, nil
}

func (b bounded) check(size int) {
	if size > b.most {
		panic(fmt.Sprintf("%d bytes for one buffer", size))
	}
}

func (b bounded) Allocate(size int) []byte {
	b.check(size)
	return b.Allocator.Allocate(size)
}

func (b bounded) Reallocate(size int, old []byte) []byte {
	b.check(size)
	return b.Allocator.Reallocate(size, old)
}
