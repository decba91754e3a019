package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Budget bounds the bytes of records and outputs held at once by all
// partitions of a process. Only fetching waits for it, and only with empty
// hands: who waits holds nothing, so nobody waits for one who waits. Outputs
// are added as debt, so that a lane or a barrier never waits for memory that
// only its own progress can free. One half goes to who comes first, a quarter is
// kept for partitions that hold less than their share of it, and a quarter for
// what outputs and whole batches take beyond that.
type Budget struct {
	limit int64

	mu    sync.Mutex
	used  int64
	queue []*claimant // in the order they came
}

// claimant is somebody who waits for n bytes.
type claimant struct {
	n     int64
	given chan struct{}
}

// NewBudget returns a budget of limit bytes.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// large requests would hardly ever fit beside others.
func (b *Budget) large(n int64) bool { return n > b.limit/4 }

// fits reports whether n bytes may be taken. A large request may take the total
// above the limit, by itself: until the total is below it again, nobody else is
// given anything.
func (b *Budget) fits(n int64) bool {
	return b.used <= 0 || b.used+n <= b.limit || b.large(n) && b.used <= b.limit
}

// Acquire takes n bytes, after all who came before. The caller must not hold
// bytes that only its own progress gives back.
func (b *Budget) Acquire(ctx context.Context, n int64) error {
	b.mu.Lock()
	if len(b.queue) == 0 && b.fits(n) {
		b.used += n
		b.mu.Unlock()
		return nil
	}
	c := &claimant{n, make(chan struct{})}
	b.queue = append(b.queue, c)
	b.mu.Unlock()
	select {
	case <-c.given:
		return nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.queue, c); i >= 0 {
		b.queue = slices.Delete(b.queue, i, i+1)
	} else {
		b.used -= n
	}
	b.serve()
	return ctx.Err()
}

// try takes n bytes if they are below the given limit and nobody waits.
func (b *Budget) try(n, limit int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) > 0 || b.used+n > limit {
		return false
	}
	b.used += n
	return true
}

// common reports whether there are bytes that anybody may take.
func (b *Budget) common() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue) == 0 && b.used < b.limit/2
}

// share is what each of n partitions may hold whatever the others do.
func (b *Budget) share(n int) int64 { return max(1, b.limit/4/int64(max(n, 1))) }

// Common runs f once with room in the half that anybody may take. Where that has
// too little, the error is a *ShortError. The room is like that of Within.
func (b *Budget) Common(f func(*Room) error) (*Room, error) {
	r := &Room{budget: b, limit: b.limit / 2}
	if !b.common() {
		return r, &ShortError{1}
	}
	return r, r.run(f)
}

// Add takes n bytes without waiting; n may be negative.
func (b *Budget) Add(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += n
	if n < 0 {
		b.serve()
	}
}

// serve lets those go on for whom there is room now.
func (b *Budget) serve() {
	for len(b.queue) > 0 && b.fits(b.queue[0].n) {
		c := b.queue[0]
		b.queue = slices.Delete(b.queue, 0, 1)
		b.used += c.n
		close(c.given)
	}
}

// Used returns the bytes held.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// Within runs f with room in the budget. Where there is too little, f ends with
// the error of Room.Take; what it took is given back and it is run again once
// all that it had needed is there. The room of the last run is returned: it
// holds what f took, and nothing after another error.
func (b *Budget) Within(ctx context.Context, f func(*Room) error) (*Room, error) {
	for need := int64(0); ; {
		if need > 0 {
			if err := b.Acquire(ctx, need); err != nil {
				return &Room{budget: b}, err
			}
		}
		r := &Room{budget: b, limit: b.limit, held: need}
		err := r.run(f)
		var short *ShortError
		if !errors.As(err, &short) {
			return r, err
		}
		need = max(short.Need, need+1)
	}
}

// Room is what one fetch takes of a budget. Bytes are taken before they come
// into being, so that there is no moment in which they are not counted. It is
// used by one goroutine; a nil Room has no end.
type Room struct {
	budget *Budget
	limit  int64 // of the bytes that the budget has given, to get more of it
	held   int64 // of the budget
	taken  int64 // of these
}

// run runs f, after whose error the room holds nothing.
func (r *Room) run(f func(*Room) error) error {
	err := f(r)
	if err != nil {
		r.Settle(0)
	}
	return err
}

// ShortError reports that a budget has no room at present.
type ShortError struct{ Need int64 }

// Error says how much is needed.
func (e *ShortError) Error() string { return fmt.Sprintf("no room for %d bytes at present", e.Need) }

// roomStep is the least that a room takes of its budget where it can, so that many small
// pieces do not ask one by one.
const roomStep = 64 << 10

// Take takes n bytes without waiting. A *ShortError says that they are not there.
func (r *Room) Take(n int64) error {
	if r == nil {
		return nil
	}
	if more := r.taken + n - r.held; more > 0 {
		step := max(more, roomStep)
		if !r.budget.try(step, r.limit) {
			if step = more; !r.budget.try(step, r.limit) {
				return &ShortError{r.taken + n}
			}
		}
		r.held += step
	}
	r.taken += n
	return nil
}

// Give takes n bytes back: they are gone and may be taken again.
func (r *Room) Give(n int64) {
	if r != nil {
		r.taken -= n
	}
}

// Settle leaves n bytes of the budget held, those of what was fetched, for the
// caller to give back one day.
func (r *Room) Settle(n int64) {
	r.budget.Add(n - r.held)
	r.held, r.taken = n, n
}
