package arrow

import "unsafe"

// keptBytes is the size up to which a buffer is kept whatever it serves next.
const keptBytes = 1 << 20

// arena hands out slices of one buffer, which is kept from record to record.
type arena[T any] struct {
	buf        []T
	used, need int
}

// reset takes back all slices. At most need values will be asked for before
// the next reset; room for them is made when the first are.
func (a *arena[T]) reset(need int) {
	if outgrown(cap(a.buf)*int(unsafe.Sizeof(*new(T))), need*int(unsafe.Sizeof(*new(T)))) {
		a.buf = nil
	}
	a.used, a.need = 0, need
}

// take returns n values, which hold anything.
func (a *arena[T]) take(n int) []T {
	if len(a.buf) < a.need {
		a.buf = make([]T, a.need)
	}
	s := a.buf[a.used : a.used+n : a.used+n]
	a.used += n
	return s
}

// outgrown tells whether a buffer of size bytes, kept from an unusually large
// record, should be let go where need bytes are enough.
func outgrown(size, need int) bool { return size > keptBytes && need < size/16 }
