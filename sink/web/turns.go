package web

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	queuedPredictions = 64
	turnPatience      = 10 * time.Second
	// leastRoom is more than the answer to the largest request takes.
	leastRoom = 64 << 20
)

// turns shares out cores and memory among predictions. Whoever waits for a
// client, to send a body or to take an answer, holds room but no turn.
type turns struct {
	running  chan struct{} // holds one per prediction that computes
	queue    chan struct{} // holds one per prediction that waits for its turn
	patience time.Duration // of one in the queue
	room     *semaphore.Weighted
}

func newTurns(cores int, body int64) turns {
	return turns{
		running: make(chan struct{}, cores), queue: make(chan struct{}, queuedPredictions), patience: turnPatience,
		room: semaphore.NewWeighted(roomFor(body, cores)),
	}
}

// roomFor returns the bytes that bodies and answers may hold together: two of
// the largest bodies for every turn.
func roomFor(body int64, cores int) int64 { return max(leastRoom, 2*int64(cores)*body) }

// take waits in the queue for a turn, which give ends.
func (t *turns) take(ctx context.Context, w http.ResponseWriter) error {
	select {
	case t.queue <- struct{}{}:
	default:
		return later(w, 1, "busy", "%d predictions wait for their turn, which is all there may be", cap(t.queue))
	}
	defer func() { <-t.queue }()
	over := time.NewTimer(t.patience)
	defer over.Stop()
	select {
	case t.running <- struct{}{}:
		return nil
	case <-over.C:
		return later(w, 1, "busy", "there was no turn for this prediction within %v", t.patience)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *turns) give() { <-t.running }

// errNoRoom reports that other requests hold all the room.
var errNoRoom = errors.New("no room")

// hold is what one request holds of the room.
type hold struct {
	room  *semaphore.Weighted
	bytes int64
}

func (h *hold) grow(n int) error {
	if !h.room.TryAcquire(int64(n)) {
		return errNoRoom
	}
	h.bytes += int64(n)
	return nil
}

func (h *hold) end() { h.room.Release(h.bytes) }

// heldReader holds what it reads.
type heldReader struct {
	from io.Reader
	hold *hold
}

func (r heldReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if wrong := r.hold.grow(n); wrong != nil {
		return 0, wrong
	}
	return n, err
}

// readBody reads a whole body as it comes: a client is not waited for with a
// turn in hand, and one that names a length gets no memory for it.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, h *hold) ([]byte, error) {
	body, err := io.ReadAll(heldReader{http.MaxBytesReader(w, r.Body, s.options.Body), h})
	var large *http.MaxBytesError
	var slow net.Error
	switch {
	case errors.As(err, &large):
		return nil, refuse(http.StatusRequestEntityTooLarge, "too_large", "the body has more than %d bytes; send the rows in several requests", large.Limit)
	case errors.As(err, &slow) && slow.Timeout():
		return nil, refuse(http.StatusRequestTimeout, "too_slow", "the request did not arrive within %v", s.arrival)
	case errors.Is(err, errNoRoom):
		return nil, full(w)
	case err != nil:
		return nil, badBody("the body can't be read: %v", err)
	}
	return body, nil
}

func full(w http.ResponseWriter) error {
	return later(w, 1, "busy", "other predictions hold the memory that there is for them")
}
