package depend

import (
	"context"
	"slices"
	"sync"
)

// Turns lets work begin that takes several requests and a time limit for all of them: any number at once, until
// some run out of their time. Where everybody's requests wait for those of the others nobody comes to its end, and
// what was done is done again; then half as many are under way at once, and one more for every few that end well.
// The zero value is ready.
type Turns struct {
	mu    sync.Mutex
	most  int // under way at once, 0: any number
	well  int // that ended since there was one more
	busy  int
	queue []chan struct{} // in the order in which they came
}

const (
	leastTurns = 8 // what is away must not keep others waiting for long
	moreAfter  = 4 // that ended well
)

// Take waits for a turn, and ends with ctx. Done gives it back.
func (t *Turns) Take(ctx context.Context) error {
	t.mu.Lock()
	if t.most == 0 || t.busy < t.most {
		t.busy++
		t.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	t.queue = append(t.queue, turn)
	t.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.queue, turn); i >= 0 {
		t.queue = slices.Delete(t.queue, i, i+1)
		return ctx.Err()
	}
	t.busy-- // it came at this moment
	t.next()
	return ctx.Err()
}

// Done gives a turn back. Late says that its time was over before its work was done, well that it was done.
func (t *Turns) Done(well, late bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case late:
		t.most, t.well = max(leastTurns, t.busy/2), 0
	case well && t.most > 0:
		if t.well++; t.well == moreAfter {
			t.most, t.well = t.most+1, 0
		}
	}
	t.busy--
	t.next()
}

// next gives turns to those who wait.
func (t *Turns) next() {
	for len(t.queue) > 0 && (t.most == 0 || t.busy < t.most) {
		close(t.queue[0])
		t.queue = slices.Delete(t.queue, 0, 1)
		t.busy++
	}
}
