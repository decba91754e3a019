package app

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/cmd/internal/term"
)

// Listing prints lines in one of the formats, a block at a time.
type Listing struct {
	Format string
	out    *bufio.Writer
	head   []string
	cells  [][]string // of a table, until the block is full
	csv    *csv.Writer
	json   *json.Encoder
}

// NewListing returns a list without lines; head names its columns. The caller
// calls End.
func NewListing(out io.Writer, format string, head []string) *Listing {
	r := &Listing{Format: format, out: bufio.NewWriter(out), head: head}
	r.csv = csv.NewWriter(r.out)
	r.json = json.NewEncoder(r.out)
	r.json.SetEscapeHTML(false)
	return r
}

// Write prints one line: value as JSON, or its cells.
func (r *Listing) Write(value any, cells []string) error {
	switch r.Format {
	case JSON:
		return r.json.Encode(value)
	case CSV:
		if r.head != nil {
			if err := r.csv.Write(r.head); err != nil {
				return err
			}
			r.head = nil
		}
		return r.csv.Write(cells)
	}
	r.cells = append(r.cells, cells)
	if len(r.cells) < tableBlock {
		return nil
	}
	return r.block()
}

// End prints what is left.
func (r *Listing) End() error {
	if err := r.block(); err != nil {
		return err
	}
	r.csv.Flush()
	if err := r.csv.Error(); err != nil {
		return err
	}
	return r.out.Flush()
}

// widestCell is how many columns of the terminal a cell takes: of a long one all cells above
// and below it would be as wide, and a record may have a key of any length.
const widestCell = 120

// tableBlock is how many lines of a table are aligned with each other.
const tableBlock = 500

func (r *Listing) block() error {
	if len(r.cells) == 0 {
		return nil
	}
	var b strings.Builder
	if r.head != nil {
		b.WriteString(strings.ToUpper(strings.Join(r.head, "\t")) + "\n")
		r.head = nil
	}
	for _, cells := range r.cells {
		for i, cell := range cells {
			cells[i] = term.Cut(oneLine(cell), widestCell)
		}
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	r.cells = r.cells[:0]
	return Tabulate(r.out, b.String(), 0)
}

// oneLine makes text fit for a cell on a terminal.
func oneLine(s string) string {
	quoted := strconv.Quote(s)
	if quoted[1:len(quoted)-1] == s {
		return s
	}
	return quoted
}
