package trace

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/prometheus/client_golang/prometheus"
)

// queued is how many spans may wait to be sent: some seconds of a busy process.
const queued = 8192

// Tracer makes contexts and keeps the spans that have ended until somebody takes them. It
// never waits: where nobody takes them in time they are dropped, and counted. It is safe
// for concurrent use.
type Tracer struct {
	below uint64 // a trace is sampled where the last 63 bits of its id are below
	ended chan Span
	lost  prometheus.Counter
}

// New returns a tracer that samples the given share, from 0 to 1, of the traces that begin
// in this process. Lost counts the spans that were dropped because too many waited.
func New(share float64, lost prometheus.Counter) *Tracer {
	below := uint64(1 << 63)
	if share < 1 {
		below = uint64(share * (1 << 63))
	}
	return &Tracer{below: below, ended: make(chan Span, queued), lost: lost}
}

// Root returns the context of a span that begins a trace. Whether it is sampled is a
// function of the trace's id: a process with the same share decides alike.
func (t *Tracer) Root() Context {
	c := newTrace()
	if binary.BigEndian.Uint64(c.Trace[8:])&math.MaxInt64 < t.below {
		c.Flags = flagSampled
	}
	return c
}

// Linked returns the context of a span that begins a trace and is recorded whatever the
// share: its work belongs to traces that are.
func (t *Tracer) Linked() Context {
	c := newTrace()
	c.Flags = flagSampled
	return c
}

// child returns the context of a span under a parent: recorded if the parent is.
func (t *Tracer) child(parent Context) Context {
	binary.BigEndian.PutUint64(parent.Span[:], notZero())
	return parent
}

// Under returns a span that is a part of another.
func (t *Tracer) Under(parent Context) Span {
	return Span{Context: t.child(parent), Parent: parent.Span}
}

// End takes a span that has ended, if it is sampled.
func (t *Tracer) End(s Span) {
	if !s.Sampled() {
		return
	}
	select {
	case t.ended <- s:
	default:
		t.lost.Inc()
	}
}

// Ended returns the spans that have ended, for the one who sends them.
func (t *Tracer) Ended() <-chan Span { return t.ended }

func newTrace() (c Context) {
	binary.BigEndian.PutUint64(c.Trace[:8], notZero())
	binary.BigEndian.PutUint64(c.Trace[8:], rand.Uint64())
	binary.BigEndian.PutUint64(c.Span[:], notZero())
	return c
}

// notZero is random: an id of zeros names nothing.
func notZero() uint64 { return 1 + rand.Uint64N(math.MaxUint64) }
