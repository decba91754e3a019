package run

import (
	"bytes"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	// mostHeld bounds the bytes of lines that wait for a reader.
	mostHeld = 1 << 20
	// usualPatience is how long a line is waited for, once, and all of them at the end.
	usualPatience = time.Second
)

// patient passes lines on to a writer that may stand still, as a pipe that nobody reads, a terminal
// that was told to pause or a disk that is full, and does not stand still with it: partitions say
// what they do. Usually a line is written when Write returns. Once one took too long lines wait, and those
// that do not fit are counted, told of and lost.
type patient struct {
	to   io.Writer
	tell *slog.Logger // of lost lines, to told
	told bytes.Buffer
	wait time.Duration

	mu    sync.Mutex
	came  sync.Cond
	lines []line // not written, in their order; the first may be on its way
	held  int    // their bytes
	stuck bool   // one has waited too long, and they are not all written yet
	ended bool
	lost  int64 // lines that nobody was told of
	all   int64 // lines that were lost
}

// line is what one Write has.
type line struct {
	text    []byte
	written chan struct{} // closed once it is, or has failed
}

// newPatient returns one whose own lines have the form of a logger's. End ends it.
func newPatient(to io.Writer, format string, wait time.Duration) *patient {
	p := &patient{to: to, wait: wait}
	p.came.L = &p.mu
	p.tell = newLogger(&p.told, format, slog.LevelWarn)
	go p.run()
	return p
}

// Write takes a line. It never fails, and the bytes are not retained.
func (p *patient) Write(b []byte) (int, error) {
	p.mu.Lock()
	if p.ended || p.held > 0 && p.held+len(b) > mostHeld {
		p.lose()
		p.mu.Unlock()
		return len(b), nil
	}
	l := line{bytes.Clone(b), make(chan struct{})}
	p.lines, p.held = append(p.lines, l), p.held+len(b)
	stuck := p.stuck
	p.came.Signal()
	p.mu.Unlock()
	if !stuck && !p.within(l.written) {
		p.mu.Lock()
		p.stuck = len(p.lines) > 0
		p.mu.Unlock()
	}
	return len(b), nil
}

// within reports whether something is done before patience ends.
func (p *patient) within(done <-chan struct{}) bool {
	timer := time.NewTimer(p.wait)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// lose counts a line. The lock is held.
func (p *patient) lose() { p.lost, p.all = p.lost+1, p.all+1 }

// run writes lines until the end.
func (p *patient) run() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		for len(p.lines) == 0 && !p.ended {
			p.came.Wait()
		}
		if len(p.lines) == 0 {
			return
		}
		l := p.lines[0]
		if p.put(l.text) {
			p.account()
		} else {
			p.lose()
		}
		close(l.written)
		p.lines[0] = line{}
		p.lines, p.held = p.lines[1:], p.held-len(l.text)
		if len(p.lines) == 0 {
			p.lines, p.stuck = nil, false
		}
	}
}

// put writes text and reports whether it is written. The lock is held, but for the time that this takes.
func (p *patient) put(text []byte) bool {
	p.mu.Unlock()
	_, err := p.to.Write(text)
	p.mu.Lock()
	return err == nil
}

// account tells of lost lines, after those that came before them. The lock is held.
func (p *patient) account() {
	if p.lost == 0 || len(p.lines) > 1 {
		return
	}
	n := p.lost
	p.told.Reset()
	p.tell.Warn("log lines were lost", "lines", n, "reason", "nobody took them from stderr, or its file is full")
	if p.put(p.told.Bytes()) {
		p.lost -= n
	}
}

// End waits for the lines, as long as it has patience for, and takes no more. It reports whether all that
// came is written.
func (p *patient) End() bool {
	p.mu.Lock()
	var last <-chan struct{}
	if n := len(p.lines); n > 0 {
		last = p.lines[n-1].written
	}
	p.ended = true
	p.came.Signal()
	p.mu.Unlock()
	return last == nil || p.within(last)
}

// linesLost returns how many lines were lost, none of no patient.
func (p *patient) linesLost() int64 {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all
}
