package connect

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
)

// Reasons counts why records are of no use, alike ones together: those that differ by no
// more than numbers and what is in quotes. The zero value has none. It is for one
// goroutine.
type Reasons struct {
	Total int
	list  []*Reason
	byKey map[string]*Reason
	other int // of reasons beyond mostReasons
}

// Reason is one of them, as it was first met.
type Reason struct {
	Count     int
	Text      string
	Partition int32
	Offset    int64
}

// mostReasons bounds the reasons that are told apart: texts from outside are in them.
const mostReasons = 200

// mostListed is how many are listed.
const mostListed = 5

var (
	quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)+'`)
	digits = regexp.MustCompile(`[0-9]+`)
)

// Add counts a record.
func (r *Reasons) Add(partition int32, offset int64, text string) {
	r.Total++
	key := digits.ReplaceAllString(quoted.ReplaceAllString(text, `""`), "0")
	if known := r.byKey[key]; known != nil {
		if known.Count++; known.Partition == partition && offset < known.Offset { // read from the end
			known.Text, known.Offset = text, offset
		}
		return
	}
	if len(r.list) == mostReasons {
		r.other++
		return
	}
	if r.byKey == nil {
		r.byKey = map[string]*Reason{}
	}
	fresh := &Reason{1, text, partition, offset}
	r.byKey[key], r.list = fresh, append(r.list, fresh)
}

// Lines are the most frequent reasons, one to a line, each with how many records it is of
// and where the first of these is.
func (r *Reasons) Lines() (lines []string) {
	list := slices.Clone(r.list)
	slices.SortStableFunc(list, func(a, b *Reason) int { return cmp.Compare(b.Count, a.Count) })
	rest := r.other
	for i, one := range list {
		if i >= mostListed {
			rest += one.Count
			continue
		}
		where := "at"
		if one.Count > 1 {
			where = "the first at"
		}
		lines = append(lines, fmt.Sprintf("%s: %s (%s partition %d, offset %d)", cli.Count(one.Count), term.Cut(one.Text, 160), where, one.Partition, one.Offset))
	}
	if rest > 0 {
		lines = append(lines, cli.Count(rest)+": other reasons")
	}
	return lines
}

// String is Lines below each other, indented.
func (r *Reasons) String() string { return "  " + strings.Join(r.Lines(), "\n  ") }
