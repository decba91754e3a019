package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	xterm "golang.org/x/term"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// liveTable is a table on a terminal that is drawn over itself: one line per
// key, what changed last on top. It is for one goroutine.
type liveTable struct {
	rows    map[string]*liveRow
	columns []string // variables, in order of appearance
	updates int64
	drawn   int // lines of the last frame
}

type liveRow struct {
	posterior *pipeline.Posterior
	changed   int64 // the update that changed it last
	shown     int64 // changed, as of the last frame
}

func newLiveTable() *liveTable { return &liveTable{rows: map[string]*liveRow{}} }

// set puts a posterior into the table.
func (t *liveTable) set(p *pipeline.Posterior) {
	t.updates++
	row := t.rows[p.Key]
	if row == nil {
		row = &liveRow{}
		t.rows[p.Key] = row
	}
	row.posterior, row.changed = p, t.updates
	for i := range p.Summary.Rows {
		if name := p.Summary.Rows[i].Variable; len(t.columns) < maxColumns && !slices.Contains(t.columns, name) {
			t.columns = append(t.columns, name)
		}
	}
}

// maxColumns is more variables than any terminal shows side by side.
const maxColumns = 32

// remove takes a key out of the table.
func (t *liveTable) remove(key string) { delete(t.rows, key) }

// draw writes the next frame over the last one.
func (t *liveTable) draw(w io.Writer, status string, color bool) error {
	width, height := terminalSize(w)
	lines := t.frame(width, height, status, color)
	var b strings.Builder
	if t.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r\x1b[J", t.drawn)
	}
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	t.drawn = len(lines)
	_, err := io.WriteString(w, b.String())
	return err
}

const (
	bold  = "\x1b[1m"
	green = "\x1b[32m"
	reset = "\x1b[0m"
)

// frame returns the lines of a frame, none wider or more than the terminal
// has room for.
func (t *liveTable) frame(width, height int, status string, color bool) []string {
	rows := make([]*liveRow, 0, len(t.rows))
	for _, r := range t.rows {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b *liveRow) int { return cmp.Compare(b.changed, a.changed) })
	// One line each for the head, the status and the cursor.
	hidden := max(0, len(rows)-max(1, height-4))
	rows = rows[:len(rows)-hidden]

	head := append([]string{"KEY", "SHARDS", "ROWS"}, t.columns...)
	cells := [][]string{head}
	for _, r := range rows {
		cells = append(cells, t.cells(r.posterior))
	}
	lines := align(cells, width)
	if color {
		lines[0] = bold + lines[0] + reset
	}
	for i, r := range rows {
		if color && r.changed > r.shown {
			lines[i+1] = green + lines[i+1] + reset
		}
		r.shown = r.changed
	}
	if hidden > 0 {
		status = fmt.Sprintf("... and %d keys more. %s", hidden, status)
	}
	return append(lines, cut(status, width))
}

func (t *liveTable) cells(p *pipeline.Posterior) []string {
	rows := p.Summary.Rows
	line := []string{p.Key, fmt.Sprint(p.Summary.T), fmt.Sprint(p.Summary.N)}
	for _, name := range t.columns {
		cell := ""
		if i := slices.IndexFunc(rows, func(r cdf.Row) bool { return r.Variable == name }); i >= 0 {
			cell = plusMinus(&rows[i])
		}
		line = append(line, cell)
	}
	return line
}

// align pads cells to columns, the first to the left and the others to the
// right, and leaves out the columns that the width has no room for.
func align(cells [][]string, width int) []string {
	lines := make([]string, len(cells))
	used := 0
	for j := range cells[0] {
		w := 0
		for _, row := range cells {
			w = max(w, utf8.RuneCountInString(row[j]))
		}
		gap := 2
		if j == 0 {
			gap, w = 0, min(w, max(8, width/3))
		}
		if used+gap+w > width {
			break
		}
		used += gap + w
		for i, row := range cells {
			cell := cut(row[j], w)
			pad := strings.Repeat(" ", w-utf8.RuneCountInString(cell))
			if j == 0 {
				lines[i] += cell + pad
			} else {
				lines[i] += strings.Repeat(" ", gap) + pad + cell
			}
		}
	}
	return lines
}

// cut shortens text to width characters, and takes out what would move the
// cursor: a key may hold any UTF-8.
func cut(text string, width int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(0, width-1)]) + "…"
}

// terminalSize returns columns and lines, 80 by 24 where it can't be known.
func terminalSize(w io.Writer) (width, height int) {
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if width, height, err := xterm.GetSize(int(f.Fd())); err == nil && width > 0 && height > 0 {
			return width, height
		}
	}
	return 80, 24
}
