package term

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// interval is the least time between two plain lines of progress.
const interval = 5 * time.Second

// Bar shows how far a long piece of work has come: a moving bar on a terminal,
// a plain line every five seconds elsewhere. It is for one goroutine.
type Bar struct {
	w     io.Writer
	label string
	total int64
	done  int64
	last  time.Time
	bar   *progressbar.ProgressBar // nil: plain lines
}

// Progress starts a bar on w. The label names what is counted, for example
// "rows sent"; a total below 1 means that it is not known.
func Progress(w io.Writer, label string, total int64) *Bar {
	b := &Bar{w: w, label: label, total: total, last: time.Now()}
	if !IsTerminal(w) {
		return b
	}
	theme := progressbar.ThemeASCII
	if Color(w) {
		theme = progressbar.Theme{
			Saucer: "[green]=[reset]", SaucerHead: "[green]>[reset]", SaucerPadding: " ",
			BarStart: "[", BarEnd: "]",
		}
	}
	if total < 1 {
		total = -1
	}
	b.bar = progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(label),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetTheme(theme),
		progressbar.OptionEnableColorCodes(Color(w)),
		progressbar.OptionClearOnFinish(),
		// By default a bar without a total is drawn ten times a second, over what comes
		// after it too.
		progressbar.OptionSetSpinnerChangeInterval(0),
	)
	return b
}

// Add counts n more.
func (b *Bar) Add(n int64) {
	b.done += n
	if b.bar != nil {
		// A terminal that can't be drawn on is no reason to stop the work.
		_ = b.bar.Add64(n)
		return
	}
	if time.Since(b.last) >= interval {
		b.last = time.Now()
		b.line()
	}
}

func (b *Bar) line() {
	if b.total < 1 {
		_, _ = fmt.Fprintf(b.w, "%s: %d\n", b.label, b.done)
		return
	}
	_, _ = fmt.Fprintf(b.w, "%s: %d of %d (%d%%)\n", b.label, b.done, b.total, b.done*100/b.total)
}

// Printf writes a line of its own without garbling the bar. The newline is
// added.
func (b *Bar) Printf(format string, args ...any) {
	if b.bar != nil {
		_ = b.bar.Clear()
	}
	_, _ = fmt.Fprintf(b.w, format+"\n", args...)
}

// Done removes the bar from the terminal. Lines that were written stay.
func (b *Bar) Done() {
	if b.bar != nil {
		_ = b.bar.Clear()
		_ = b.bar.Exit()
	}
}
