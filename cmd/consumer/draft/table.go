package draft

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/cmd/internal/term"
)

const (
	mostListed = 60 // columns of a table
	mostNamed  = 3  // levels of a column
	nameWidth  = 40
)

// table says of each column what was seen of it and what it is for, a line each in
// cells that tabs separate; of many columns the first, and how many others serve as
// what.
func (m *Model) table(key string, p *Profile) string {
	var w strings.Builder
	w.WriteString("COLUMN\tTYPE\tVALUES\tMISSING\tUSE\n")
	if key != "" {
		many := plural(len(p.Keys), "key", "keys")
		if p.Of != 0 && p.Of != int64(p.Rows) {
			many += " in the sample"
		}
		fmt.Fprintf(&w, "%s\t%s\t%s\t%s\t%s\n", shown(key), "-", many, "-", "key: each value gets a model")
	}
	of := map[*column]*given{}
	for i := range m.columns {
		of[m.columns[i].column] = &m.columns[i]
	}
	more := map[string]int{}
	for i, c := range p.columns {
		use := m.use(c, of[c])
		if i >= mostListed {
			word, _, _ := strings.Cut(use, ":")
			word, _, _ = strings.Cut(word, ";")
			more[word]++
			continue
		}
		gaps := "-"
		if n := p.Rows - c.values - c.infinite; n > 0 {
			gaps = fmt.Sprintf("%d (%s)", n, percent(n, p.Rows))
		}
		fmt.Fprintf(&w, "%s\t%s\t%s\t%s\t%s\n", shown(c.name), c.typed(), c.ranged(), gaps, use)
	}
	for _, word := range byFrequency(more) {
		fmt.Fprintf(&w, "and %d more\t\t\t\t%s\n", more[word], word)
	}
	for i, s := range p.skipped {
		if i == mostListed {
			fmt.Fprintf(&w, "and %d more\t\t\t\tleft out\n", len(p.skipped)-i)
			break
		}
		fmt.Fprintf(&w, "%s\t%s\t-\t-\tleft out: the type is not read\n", shown(s.Name), plain(s.Type))
	}
	return w.String()
}

// shown is a name from outside in quotes, so that blanks and marks in it are seen.
func shown(name string) string { return fmt.Sprintf("%q", term.Cut(name, nameWidth)) }

// typed is the type of the values in words.
func (c *column) typed() string {
	switch {
	case c.mixed:
		return "several"
	case c.kind == cdf.Bool:
		return "yes or no"
	case c.kind == cdf.Integer:
		return "integers"
	case c.kind == cdf.Time && c.dates:
		return "dates"
	case c.kind == cdf.Time:
		return "times"
	case c.kind == cdf.Text:
		return "text"
	}
	return "numbers"
}

// ranged is from where to where the values go, or the levels.
func (c *column) ranged() string {
	switch {
	case c.values == 0:
		return "-"
	case c.kind == cdf.Bool:
		return percent(c.exact[1], c.values) + " yes"
	case c.kind == cdf.Time:
		ends := cdf.Column{Type: cdf.Time, Number: []float64{c.least, c.most}}
		from, _ := ends.Label(0)
		to, _ := ends.Label(1)
		return from + " to " + to
	case c.kind != cdf.Text:
		return span(c.least, c.most)
	}
	var some []string
	for _, level := range c.levels() {
		if len(some) == mostNamed {
			some = append(some, "...")
			break
		}
		some = append(some, fmt.Sprintf("%q", term.Cut(level, 20)))
	}
	many := plural(len(c.counts), "level", "levels")
	if c.full {
		many = "over " + many
	}
	return many + ": " + strings.Join(some, ", ")
}

// span writes a range, with the digits that tell its ends apart.
func span(least, most float64) string {
	from, to := number(least), number(most)
	for digits := 5; least != most && from == to && digits <= 17; digits++ {
		from, to = strconv.FormatFloat(least, 'g', digits, 64), strconv.FormatFloat(most, 'g', digits, 64)
		if math.Abs(most) < 1e15 && least == math.Trunc(least) && most == math.Trunc(most) {
			from, to = cli.Count(int64(least)), cli.Count(int64(most))
		}
	}
	return from + " to " + to
}

// few reports integers of few values, which may be names of something.
func (c *column) few() bool {
	return c.kind == cdf.Integer && c.distinct() > 2 && c.distinct() <= mostListed && 10*c.distinct() <= c.values
}

// use says what becomes of a column, and of rows that lack it.
func (m *Model) use(c *column, g *given) string {
	gaps, refused := c.values < m.profile.Rows, m.profile.refused(c)
	switch {
	case c == m.response && refused != "":
		return "response; " + refused
	case c == m.response && gaps:
		return "response; rows without it are predicted, not learnt from"
	case c == m.response:
		return "response"
	case g.role == leftOut:
		return "left out: " + term.Cut(g.why, 160)
	case g.role == categoricalFeature && refused != "":
		return "feature, an effect per level; " + refused
	case g.role == categoricalFeature && gaps && (m.formula == nil || m.formula.KeepsMissing(c.name)):
		return "feature, an effect per level; a missing one is a level"
	case g.role == categoricalFeature && gaps:
		return fmt.Sprintf("feature, an effect per level; rows without it are left out; C(%s, missing=level) keeps them", plain(c.name))
	}
	what := map[role]string{
		numericFeature: "feature", categoricalFeature: "feature, an effect per level", group: "names groups", clock: "time", dated: "feature",
	}[g.role]
	if len(g.parts) > 0 {
		what = "features: " + strings.Join(g.parts, ", ")
	}
	if g.role == numericFeature && m.profile.Of != 0 && c.few() && term.HarmlessText(c.name) == c.name {
		what += "; --text " + cli.Quote(c.name) + " makes its values levels"
	}
	switch {
	case refused != "":
		what += "; " + refused
	case gaps && g.role == group:
		what += "; rows without it are a group"
	case gaps && g.role != clock:
		what += "; rows without it are left out"
	}
	return what
}
