//go:build linux || darwin

package offheap

import "syscall"

// obtain returns n bytes that the collector does not know, of the heap where the system has
// none.
func obtain(n int) []byte {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return make([]byte, n)
	}
	mapped.Add(int64(n))
	return b
}

// giveBack gives back what obtain returned. What is of the heap is not known to Munmap,
// which leaves it to the collector.
func giveBack(b []byte) {
	if syscall.Munmap(b) == nil {
		mapped.Add(-int64(len(b)))
	}
}
