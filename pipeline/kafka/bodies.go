package kafka

import "sync"

// bodies keeps the memory of full answers for those that follow. While much is
// waiting in the log all answers are full: nearly half of what the process
// allocates would be their bytes.
type bodies struct{ free sync.Pool } // of *[]byte

// A full answer has the megabyte that was asked for, which brokers fill to the
// byte, and what is said of it. A smaller one gets memory of its own size: what
// it takes is bounded by what it has.
const (
	bodyBytes = 1<<20 + 4<<10
	fullBytes = bodyBytes / 8 * 7
)

// take returns size bytes, whatever is in them.
func (b *bodies) take(size int) []byte {
	if size < fullBytes || size > bodyBytes {
		return make([]byte, size)
	}
	if kept, ok := b.free.Get().(*[]byte); ok {
		return (*kept)[:size]
	}
	return make([]byte, size, bodyBytes)
}

// giver returns what gives a body back, nil where it is not to be kept.
func (b *bodies) giver(body []byte) func() {
	if cap(body) != bodyBytes {
		return nil
	}
	return func() { b.free.Put(&body) }
}
