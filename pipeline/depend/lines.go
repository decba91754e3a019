package depend

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Lines takes the lines of a library's own logger and passes each on once a minute at
// most: in an outage a client repeats itself many times a second. Lines that differ by
// numbers alone are one. It is safe for concurrent use.
type Lines struct {
	log     *slog.Logger
	library string
	level   slog.Level
	now     func() time.Time

	mu   sync.Mutex
	last map[string]time.Time
}

const (
	linesEvery = time.Minute
	// mostLines bounds the lines that are remembered; then all are forgotten.
	mostLines = 200
)

// NewLines returns what passes the lines of a library on at a level.
func NewLines(log *slog.Logger, library string, level slog.Level) *Lines {
	return &Lines{log: log, library: library, level: level, now: time.Now, last: map[string]time.Time{}}
}

// Printf takes a line.
func (l *Lines) Printf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if l.fresh(withoutDigits(text)) {
		l.log.Log(context.Background(), l.level, "library", "name", l.library, "text", text)
	}
}

// fresh reports whether a line is to be passed on.
func (l *Lines) fresh(line string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if at, ok := l.last[line]; ok && now.Sub(at) < linesEvery {
		return false
	}
	if len(l.last) >= mostLines {
		clear(l.last)
	}
	l.last[line] = now
	return true
}
