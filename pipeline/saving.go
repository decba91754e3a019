package pipeline

import "time"

// saving measures how long checkpoints take that no outage holds up: the end of
// an assignment waits for its last one as long as it may be expected to take.
type saving struct {
	since   time.Time // of the checkpoint under way
	last    time.Duration
	slowest time.Duration
}

// flushGrace is what the last checkpoint of an assignment has beside twice the
// time of the slowest one, and an interval for what waits at the lanes.
const flushGrace = 2 * time.Second

func (s *saving) begin() { s.since = time.Now() }

// held says that something holds up the checkpoint under way.
func (s *saving) held() { s.since = time.Time{} }

func (s *saving) done() {
	if !s.since.IsZero() {
		s.last = time.Since(s.since)
		s.slowest = max(s.slowest, s.last)
	}
	s.since = time.Time{}
}
