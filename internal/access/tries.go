package access

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// MostTries is how often in a row a server may refuse a password before it is not sent any
// more: many servers lock an account that is tried too often.
const MostTries = 5

// ErrExhausted reports a password that was refused MostTries times.
var ErrExhausted = errors.New("the password was refused too often and is not sent again")

// Tries counts how often a server has refused a password. It is safe for concurrent use.
type Tries struct {
	turn      chan struct{} // holds one while a password that is not known to be right is tried
	exhausted chan struct{}

	mu      sync.Mutex
	current string
	right   bool
	refused int
}

// NewTries returns a count that begins.
func NewTries() *Tries {
	return &Tries{turn: make(chan struct{}, 1), exhausted: make(chan struct{})}
}

// Begin says that a password will be sent; done must be called with what came of it: whether the
// server took it, and whether it refused it. One that was not taken yet is sent once at a time. The error
// is ErrExhausted, or that of ctx. Another password begins anew.
func (t *Tries) Begin(ctx context.Context, password string) (done func(taken, refused bool), err error) {
	if t.known(password) {
		return func(taken, refused bool) { t.Heard(password, taken, refused) }, nil
	}
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := t.Left(password); err != nil {
		<-t.turn
		return nil, err
	}
	return func(taken, refused bool) {
		t.Heard(password, taken, refused)
		<-t.turn
	}, nil
}

func (t *Tries) known(password string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.right && t.current == password
}

// Left returns ErrExhausted once a password was refused too often. Another password begins
// anew.
func (t *Tries) Left(password string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current != password {
		t.current, t.right, t.refused = password, false, 0
	}
	if t.refused >= MostTries {
		return fmt.Errorf("%w: %d times", ErrExhausted, t.refused)
	}
	return nil
}

// Heard counts what came of sending a password.
func (t *Tries) Heard(password string, taken, refused bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current != password {
		return
	}
	switch {
	case taken:
		t.right, t.refused = true, 0
	case refused:
		t.right = false
		if t.refused++; t.refused == MostTries {
			select {
			case <-t.exhausted:
			default:
				close(t.exhausted)
			}
		}
	}
}

// Exhausted is closed when a password was refused MostTries times.
func (t *Tries) Exhausted() <-chan struct{} { return t.exhausted }
