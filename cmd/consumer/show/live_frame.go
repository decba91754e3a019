package show

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/term"
	"github.com/credence-stream/credence/pipeline"
)

const (
	bold  = "\x1b[1m"
	green = "\x1b[32m"
	reset = "\x1b[0m"

	// What has changed since the last frame is marked, also without colour.
	changedMark = "* "
	noMark      = "  "

	// widestHead is how wide the name of a variable may make its column.
	widestHead = 20
	// maxColumns is more variables than any terminal shows side by side.
	maxColumns = 64
)

// frame returns the lines of a frame, none wider or more than the terminal
// has room for.
func (t *liveTable) frame(width, height int, status string, color bool) []string {
	rows := slices.SortedFunc(maps.Values(t.rows), func(a, b *liveRow) int { return cmp.Compare(b.changed, a.changed) })
	// One line each for the head, the status and the cursor.
	room := max(1, height-4)
	hidden := max(0, len(rows)-room)
	rows = rows[:len(rows)-hidden]

	cells, changed, beyond := sideBySide(rows)
	lines, left := align(cells, width-len(noMark))
	left += beyond
	if len(rows) == 1 && left > 0 {
		// One key that is wider than the terminal is shown from top to bottom.
		cells, changed, left = oneBelowAnother(rows[0], room)
		lines, _ = align(cells, width-len(noMark))
	}
	for i, line := range lines {
		switch mark := changed[i]; {
		case i == 0 && color:
			lines[i] = bold + noMark + line + reset
		case mark && color:
			lines[i] = green + changedMark + line + reset
		case mark:
			lines[i] = changedMark + line
		default:
			lines[i] = noMark + line
		}
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	for _, r := range rows {
		r.shown = r.changed
	}
	var more []string
	if hidden > 0 {
		more = append(more, several(hidden, "key"))
	}
	if left > 0 {
		more = append(more, several(left, "variable"))
	}
	if len(more) > 0 {
		status = fmt.Sprintf("... and %s more. %s", strings.Join(more, " and "), status)
	}
	return append(lines, term.Cut(status, width))
}

func several(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// sideBySide lays keys out one to a line, with the variables that any of them
// has, those of the first key first, and says which lines have changed and how
// many variables are beyond what any terminal shows.
func sideBySide(rows []*liveRow) (cells [][]string, changed []bool, beyond int) {
	head, has := []string{"KEY", "SHARDS", "ROWS"}, map[string]bool{}
	for _, r := range rows {
		for i := range r.posterior.Summary.Rows {
			name := r.posterior.Summary.Rows[i].Variable
			if has[name] {
				continue
			}
			if has[name] = true; len(has) > maxColumns {
				beyond++
				continue
			}
			head = append(head, name)
		}
	}
	cells, changed = append(cells, head), append(changed, false)
	for _, r := range rows {
		cells = append(cells, line(r.posterior, head))
		changed = append(changed, r.changed > r.shown)
	}
	return cells, changed, beyond
}

// line is a posterior with the variables that the head names from its fourth
// cell on.
func line(p *pipeline.Posterior, head []string) []string {
	rows := p.Summary.Rows
	cells := []string{p.Key, fmt.Sprint(p.Summary.T), fmt.Sprint(p.Summary.N)}
	for _, name := range head[3:] {
		cell := ""
		if i := slices.IndexFunc(rows, func(r cdf.Row) bool { return r.Variable == name }); i >= 0 {
			cell = plusMinus(&rows[i])
		}
		cells = append(cells, cell)
	}
	return cells
}

// oneBelowAnother lays the variables of one key out, one to a line, and says
// how many found no room.
func oneBelowAnother(r *liveRow, room int) (cells [][]string, changed []bool, left int) {
	s := r.posterior.Summary
	title := fmt.Sprintf("%s (%s, %s)", r.posterior.Key, several(int(s.T), "shard"), several(int(s.N), "row"))
	cells, changed = [][]string{{title, "MEAN", "2.5%", "97.5%"}}, []bool{false}
	shown := min(len(s.Rows), room)
	for i := range s.Rows[:shown] {
		v := &s.Rows[i]
		cells = append(cells, []string{v.Variable, plusMinus(v), short(v.Q025), short(v.Q975)})
		changed = append(changed, r.changed > r.shown)
	}
	return cells, changed, len(s.Rows) - shown
}

// align pads cells to columns, the first to the left and the others to the
// right, and leaves out the columns that the width has no room for, whose
// number it returns.
func align(cells [][]string, width int) (lines []string, left int) {
	lines = make([]string, len(cells))
	used := 0
	for j := range cells[0] {
		w, gap := 0, 2
		for i, row := range cells {
			wide := displayWidth(row[j])
			if i == 0 && j > 0 {
				wide = min(wide, widestHead)
			}
			w = max(w, wide)
		}
		if j == 0 {
			gap, w = 0, min(w, max(8, width/3))
		}
		if used+gap+w > width {
			return lines, len(cells[0]) - j
		}
		used += gap + w
		for i, row := range cells {
			cell := term.Cut(row[j], w)
			pad := strings.Repeat(" ", max(0, w-displayWidth(cell)))
			if j == 0 {
				lines[i] += cell + pad
			} else {
				lines[i] += strings.Repeat(" ", gap) + pad + cell
			}
		}
	}
	return lines, 0
}

// displayWidth is how many columns of a terminal a text takes: some characters
// take two and some none.
func displayWidth(text string) int { return uniseg.StringWidth(term.HarmlessText(text)) }
