package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/pipeline"
)

// liveTable is a table on a terminal that is drawn over itself: one line per
// key, what changed last on top. It is for one goroutine.
type liveTable struct {
	rows    map[string]*liveRow
	updates int64
	drawn   int    // lines of the last frame
	size    [2]int // of the terminal at that time
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
}

// remove takes a key out of the table.
func (t *liveTable) remove(key string) { delete(t.rows, key) }

// draw writes the next frame over the last one.
func (t *liveTable) draw(w io.Writer, status string, color bool) error {
	width, height := term.Size(w)
	lines := t.frame(width, height, status, color)
	var b strings.Builder
	switch size := [2]int{width, height}; {
	case t.drawn > 0 && size != t.size: // lines of before may be broken in two
		b.WriteString("\x1b[H\x1b[2J")
		t.size = size
	case t.drawn > 0:
		fmt.Fprintf(&b, "\x1b[%dA\r\x1b[J", t.drawn)
	default:
		t.size = size
	}
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	t.drawn = len(lines)
	_, err := io.WriteString(w, b.String())
	return err
}
