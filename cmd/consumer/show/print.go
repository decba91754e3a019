package show

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/consumer/app"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink"
)

// converter turns a message of the output topic into its JSON form.
type converter func(r *pipeline.Record) ([]byte, error)

// Selection decides which messages are worth showing.
type Selection struct {
	glob    string // "": every key
	repeats *repeats
	left    int // messages still to show, negative: no limit
}

// NewSelection takes the keys that match the glob, up to limit records; 0 is no
// limit.
func NewSelection(glob string, limit int) *Selection {
	s := &Selection{glob: glob, repeats: newRepeats(), left: -1}
	if limit > 0 {
		s.left = limit
	}
	return s
}

// takes reports whether a message is asked for and not a repeat.
func (s *Selection) takes(r *pipeline.Record) bool {
	return (s.glob == "" || cdf.Glob(s.glob, string(r.Key))) && s.repeats.fresh(r)
}

// shown counts one message and reports whether more may follow.
func (s *Selection) shown() bool {
	if s.left > 0 {
		s.left--
	}
	return s.left != 0
}

// streamPrinter prints messages one after the other. A tombstone has no form
// in any of its formats and is left out.
type streamPrinter struct {
	*Selection
	convert converter
	out     *bufio.Writer
	write   func(text []byte) error
	notify  func(format string, args ...any)
}

func newStreamPrinter(out io.Writer, format string, s *Selection, convert converter, notify func(string, ...any)) *streamPrinter {
	p := &streamPrinter{Selection: s, convert: convert, out: bufio.NewWriter(out), notify: notify}
	lines := newCSV(p.out)
	p.write = func(text []byte) error {
		if format == app.JSON {
			_, err := p.out.Write(append(bytes.TrimSpace(text), '\n'))
			return err
		}
		posterior, _, err := sink.ParseJSON(text)
		if err != nil {
			p.notify("%v", err)
			return nil
		}
		if format == app.CSV {
			return lines.write(posterior)
		}
		return writeLine(p.out, posterior)
	}
	return p
}

func (p *streamPrinter) print(r *pipeline.Record) (bool, error) {
	if !p.takes(r) || r.Value == nil {
		return true, nil
	}
	text, err := p.convert(r)
	if err != nil {
		p.notify("offset %d, key %q is left out: %v", r.Offset, r.Key, err)
		return true, nil
	}
	if err := p.write(text); err != nil {
		return false, err
	}
	return p.shown(), nil
}

func (p *streamPrinter) flush() error { return p.out.Flush() }

// livePrinter keeps a table of all keys on a terminal.
type livePrinter struct {
	*Selection
	convert  converter
	out      io.Writer
	table    *liveTable
	messages int64
	failed   int64
	color    bool
	title    string
	note     atomic.Pointer[string]
	dirty    atomic.Bool
}

func newLivePrinter(out io.Writer, s *Selection, convert converter, title string) *livePrinter {
	p := &livePrinter{
		Selection: s, convert: convert, out: out, table: newLiveTable(),
		color: term.Color(out), title: title,
	}
	p.dirty.Store(true)
	return p
}

// notify shows a message below the table, until the next one. It may be
// called from any goroutine.
func (p *livePrinter) notify(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.note.Store(&text)
	p.dirty.Store(true)
}

func (p *livePrinter) print(r *pipeline.Record) (bool, error) {
	if !p.takes(r) {
		return true, nil
	}
	p.dirty.Store(true)
	if r.Value == nil {
		p.table.remove(string(r.Key))
		return true, nil
	}
	text, err := p.convert(r)
	var posterior *pipeline.Posterior
	if err == nil {
		posterior, _, err = sink.ParseJSON(text)
	}
	if err != nil {
		p.failed++
		return true, nil
	}
	p.messages++
	p.table.set(posterior)
	return p.shown(), nil
}

// flush draws the next frame when something has changed.
func (p *livePrinter) flush() error {
	if !p.dirty.Swap(false) {
		return nil
	}
	status := fmt.Sprintf("%s: %d posteriors of %d keys", p.title, p.messages, len(p.table.rows))
	if p.failed > 0 {
		status += fmt.Sprintf(", %d messages could not be read", p.failed)
	}
	if note := p.note.Load(); note != nil {
		status += "; " + *note
	}
	return p.table.draw(p.out, status, p.color)
}
