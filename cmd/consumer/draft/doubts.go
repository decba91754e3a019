package draft

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/producer/rows"
)

// doubts are columns of text that look as if numbers were meant: with a word
// for what is missing among them, or as people write them. The names are those of the
// programs.
func (p *Profile) doubts(names cli.Names) []string {
	var all []string
	for _, c := range p.columns {
		if c.kind != cdf.Text {
			continue
		}
		numbers, commas, others := 0, 0, map[string]int{}
		for text, n := range c.counts {
			switch {
			case isNumber(text):
				numbers += n
			case rows.IsFigure(text):
				commas += n
			default:
				others[text] += n
			}
		}
		if 2*(numbers+commas) <= c.values || numbers+commas == 0 {
			continue
		}
		doubt := fmt.Sprintf("column %q is text, and most of it looks like numbers:", c.name)
		if commas > 0 {
			doubt += " numbers in shards are sent as numbers; " + names.Producer + " replay reads such text from files;"
		}
		if len(others) > 0 {
			most := byFrequency(others)[0]
			doubt += fmt.Sprintf(" if %s means missing, say --null %s here and to %s replay", most, most, names.Producer)
		}
		all = append(all, strings.TrimRight(doubt, ";:"))
	}
	return all
}

// explained adds to the error of a draft why columns are text: what the reader of a file
// noted of the response, which names a line, else all doubts.
func (l *look) explained(err error, names cli.Names, response string) error {
	why := l.profile.doubts(names)
	for _, note := range l.notes {
		if c := l.profile.find(response); c != nil && c.kind == cdf.Text && strings.HasPrefix(note, fmt.Sprintf("column %q is text", response)) {
			why = []string{note}
		}
	}
	if errors.As(err, new(unknownColumn)) {
		for _, note := range l.notes {
			if strings.Contains(note, rows.OnlyName) {
				return fmt.Errorf("%w; %s", err, note)
			}
		}
		if l.first != "" {
			return fmt.Errorf("%w; if the first line, with %q, is a row, put a line of names before it", err, l.first)
		}
	}
	if len(why) == 0 {
		return err
	}
	return fmt.Errorf("%w (%s)", err, strings.Join(why, "; "))
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}
