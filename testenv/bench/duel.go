//go:build unix

package main

import (
	"context"
	"fmt"
	"math"
	"syscall"
	"time"
)

// pace is the seconds that a piece of work takes.
type pace struct{ cpu, wall float64 }

var unknown = pace{math.NaN(), math.NaN()}

// least takes the smaller of both figures: other work on the machine can only
// make a batch slower.
func (p pace) least(q pace) pace {
	switch {
	case math.IsNaN(p.cpu):
		return q
	case math.IsNaN(q.cpu):
		return p
	}
	return pace{min(p.cpu, q.cpu), min(p.wall, q.wall)}
}

// contestant works for about so long and returns its pace.
type contestant interface {
	batch(ctx context.Context, d time.Duration) (pace, error)
}

// effort is how long is measured.
type effort struct {
	rounds int
	batch  time.Duration // 0: what a contestant has to do
}

func (e effort) String() string {
	if e.batch == 0 {
		return fmt.Sprintf("least of %d runs", e.rounds)
	}
	return fmt.Sprintf("least of %d turns of %v", e.rounds, e.batch)
}

// duel lets contestants work in turns, a short batch each, and returns the
// least pace of each.
func (e effort) duel(ctx context.Context, all ...contestant) ([]pace, error) {
	best := make([]pace, len(all))
	for i := range best {
		best[i] = unknown
	}
	for range e.rounds {
		for i, c := range all {
			p, err := c.batch(ctx, e.batch)
			if err != nil {
				return nil, err
			}
			best[i] = best[i].least(p)
		}
	}
	return best, nil
}

// here is work of this process.
type here struct {
	do      func() error
	pieces  float64 // of work that do does
	repeats int     // between two looks at the clock
}

func ours(do func() error, pieces float64) *here { return &here{do: do, pieces: pieces, repeats: 1} }

func (h *here) batch(ctx context.Context, d time.Duration) (pace, error) {
	cpu, start, done := processor(), time.Now(), 0
	for {
		before := time.Now()
		for range h.repeats {
			if err := h.do(); err != nil {
				return pace{}, err
			}
		}
		done += h.repeats
		now := time.Now()
		if now.Sub(start) >= d || ctx.Err() != nil {
			n := float64(done) * h.pieces
			return pace{(processor() - cpu).Seconds() / n, now.Sub(start).Seconds() / n}, ctx.Err()
		}
		if now.Sub(before) < time.Millisecond {
			h.repeats *= 2
		}
	}
}

// processor is the time that this process has had, collecting garbage included.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
